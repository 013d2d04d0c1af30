"""Whose turn it is: one request at a time a host within a batch, and the pause that politeness asks for.

Between batches the frontier holds the pause (a host is in one batch at a time); within one, this does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from workers.capture.guard import Networks, is_allowed
from workers.capture.pacing import Pace, delay_after, is_busy, retry_after
from workers.exchange import Exchange
from workers.ports import Clock


class OutOfTime(Exception):  # noqa: N818 (it is no error: the batch ends, and the rest is handed back)
    """The host's next turn lies beyond the end of the batch."""


@dataclass(slots=True)
class _Host:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    ready_at: float = 0.0
    crawl_delay: float | None = None


class Turns:
    """The hosts of one batch. Times by the clock's monotonic seconds."""

    def __init__(self, clock: Clock, *, ends_at: float, allowed: Networks, connections: int, pace: Pace) -> None:
        self._clock = clock
        self._ends_at = ends_at
        self._allowed = allowed
        self._pace = pace
        self._connections = asyncio.Semaphore(connections)
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait for the host, then hold it. Raises OutOfTime rather than wait beyond the batch."""
        state = self._hosts.setdefault(host, _Host())
        async with state.lock:
            pause = state.ready_at - self._clock.monotonic()
            if self._clock.monotonic() + max(pause, 0.0) >= self._ends_at:
                raise OutOfTime(host)
            if pause > 0:
                await asyncio.sleep(pause)
            async with self._connections:
                yield

    def crawl_delay(self, host: str, seconds: float | None) -> None:
        """Note what robots.txt asks for; it counts from the next response on."""
        self._hosts.setdefault(host, _Host()).crawl_delay = seconds

    def answered(self, host: str, exchange: Exchange) -> None:
        """Work out the host's next turn from an exchange that just ended."""
        state = self._hosts.setdefault(host, _Host())
        pause = delay_after(
            exchange.seconds_total or 0.0,
            inside_allowed=exchange.remote_ip is not None and is_allowed(exchange.remote_ip, self._allowed),
            crawl_delay=state.crawl_delay,
            pace=self._pace,
        )
        response = exchange.response
        if response is not None and is_busy(response.status):
            asked = retry_after(response.header("Retry-After"), self._clock.now(), pace=self._pace)
            pause = max(pause, asked or 0.0)
        if exchange.outcome.has_response or exchange.remote_ip is not None:
            state.ready_at = max(state.ready_at, self._clock.monotonic() + pause)

    def seconds_until_ready(self, host: str) -> float:
        """How long the frontier must keep the host back after this batch; 0 for now."""
        state = self._hosts.get(host)
        return 0.0 if state is None else max(0.0, state.ready_at - self._clock.monotonic())
