"""Sends task messages by name through Celery's producer; the control plane needs no task code for it."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schemas.canonical import canonical_bytes
from schemas.messages import TaskMessage
from workers.errors import RetryableError

if TYPE_CHECKING:
    from celery import Celery
    from kombu.connection import ConnectionPool
    from kombu.pools import ProducerPool


SENDERS: Final = 10
"""Messages that are sent at a time, a connection each; Celery's own limit."""


@dataclass(frozen=True, slots=True)
class _Sender:
    """An application with connections of its own: those that kombu keeps for an application outlive it, and are closed
    by nobody."""

    app: Celery
    connections: ConnectionPool
    producers: ProducerPool


class CeleryAnnouncer:
    """`Announcer` over one Celery application, which is made with the first message: most commands send none."""

    def __init__(self, broker_url: str) -> None:
        self._broker_url = broker_url
        self._sender: _Sender | None = None
        self._making = threading.Lock()

    def close(self) -> None:
        """Close the connections, also those that are in use."""
        if self._sender is not None:
            self._sender.connections.force_close_all()
            self._sender.app.close()

    async def announce(self, message: TaskMessage) -> None:
        """Put one message on its queue, by the default exchange. RetryableError where the broker is away."""
        await asyncio.to_thread(self._send, message)

    def _send(self, message: TaskMessage) -> None:
        from kombu.exceptions import OperationalError

        queue = message.destination()
        sender = self._made()
        try:
            with sender.producers.acquire(block=True) as producer:
                sender.app.send_task(
                    message.task,
                    args=[canonical_bytes(message).decode("utf-8")],
                    queue=queue,
                    producer=producer,
                    ignore_result=True,
                    retry=False,
                )
        except OperationalError as error:
            raise RetryableError(
                "a task message could not be sent", where=f"queue {queue}", next_step="start Redis; it is sent again"
            ) from error

    def _made(self) -> _Sender:
        from kombu.pools import ProducerPool

        from workers.adapters.celery_app import make_app

        with self._making:
            if self._sender is None:
                app = make_app(self._broker_url)
                connections = app.connection_for_write().Pool(limit=SENDERS)
                self._sender = _Sender(app, connections, ProducerPool(connections, limit=SENDERS))
            return self._sender
