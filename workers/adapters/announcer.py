"""Sends task messages by name through Celery's producer; the control plane needs no task code for it."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from schemas.canonical import canonical_bytes
from schemas.messages import TaskMessage
from workers.errors import RetryableError

if TYPE_CHECKING:
    from celery import Celery


class CeleryAnnouncer:
    """`Announcer` over one Celery application, which is made with the first message: most commands send none."""

    def __init__(self, broker_url: str) -> None:
        self._broker_url = broker_url
        self._app: Celery | None = None
        self._making = threading.Lock()

    def close(self) -> None:
        """Give back the producer's connections."""
        if self._app is not None:
            self._app.close()

    async def announce(self, message: TaskMessage) -> None:
        """Put one message on its queue, by the default exchange. RetryableError where the broker is away."""
        await asyncio.to_thread(self._send, message)

    def _send(self, message: TaskMessage) -> None:
        from kombu.exceptions import OperationalError

        queue = message.destination()
        try:
            self._producer().send_task(
                message.task,
                args=[canonical_bytes(message).decode("utf-8")],
                queue=queue,
                ignore_result=True,
                retry=False,
            )
        except OperationalError as error:
            raise RetryableError(
                "a task message could not be sent", where=f"queue {queue}", next_step="start Redis; it is sent again"
            ) from error

    def _producer(self) -> Celery:
        from workers.adapters.celery_app import make_app

        with self._making:
            if self._app is None:
                self._app = make_app(self._broker_url)
            return self._app
