"""Celery shells: decode the message, call the flow, count. Celery is the conveyor, not the frontier."""
