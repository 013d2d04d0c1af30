"""The data plane: pure stages in the middle, adapters and Celery at the edge.

Read `workers/flows` top-down to follow a page through the house.
"""
