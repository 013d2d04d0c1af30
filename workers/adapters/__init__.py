"""The only place that talks to the world: stores, Redis, HTTP, Celery, files."""
