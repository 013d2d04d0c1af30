"""Stages and ports in order: a reader follows a page here, top-down. No Celery, no clients."""
