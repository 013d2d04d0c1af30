"""Whether Celery workers answer: one ping over the broker for all of them that have not answered yet, since each ping
waits its whole time for whoever is missing."""

from __future__ import annotations

import time
from collections.abc import Collection

from scheduler.stack.part import Probe

PING_SECONDS = 1.0
EVERY_SECONDS = 0.5


class WorkerPings:
    """Pings of the worker nodes of one broker. A node that has answered once is not asked again."""

    def __init__(self, broker_url: str, nodes: Collection[str]) -> None:
        self._broker_url = broker_url
        self._silent = set(nodes)
        self._next_at = 0.0
        self._complaint = ""

    def probe(self, node: str) -> Probe:
        """The probe of one node."""

        def look() -> str | None:
            if node in self._silent and time.monotonic() >= self._next_at:
                self._ask()
                self._next_at = time.monotonic() + EVERY_SECONDS
            if node not in self._silent:
                return None
            return self._complaint or f"{node} does not answer a ping"

        return look

    def _ask(self) -> None:
        from kombu.exceptions import OperationalError
        from redis.exceptions import RedisError

        from workers.adapters.celery_app import make_app

        app = make_app(self._broker_url)
        app.conf.broker_pool_limit = 0  # kombu's pools outlive the application, and would outlive the broker
        try:
            answers = app.control.ping(destination=sorted(self._silent), timeout=PING_SECONDS)
        except (OperationalError, RedisError, OSError) as refused:
            self._complaint = f"the broker does not answer: {str(refused)[:200]}"
            return
        finally:
            app.close()
        self._complaint = ""
        for answer in answers or ():
            self._silent -= set(answer)
