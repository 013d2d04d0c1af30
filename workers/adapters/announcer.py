"""Sends task messages by name through Celery's producer; the control plane needs no task code for it."""

from __future__ import annotations

import asyncio

from celery import Celery
from kombu.exceptions import OperationalError

from schemas.canonical import canonical_bytes
from schemas.messages import TaskMessage
from workers.errors import RetryableError


class CeleryAnnouncer:
    """`Announcer` over one Celery application."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    async def announce(self, message: TaskMessage) -> None:
        """Put one message on its queue, by the default exchange. RetryableError where the broker is away."""
        await asyncio.to_thread(self._send, message)

    def _send(self, message: TaskMessage) -> None:
        queue = message.destination()
        try:
            self._app.send_task(
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
