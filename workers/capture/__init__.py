"""One URL to one HTTP exchange: what is sent, how the answer is read, and when to ask again. Pure.

Nothing here opens a socket or reads a clock; `workers.adapters.http` does, and calls these functions.
"""
