"""A clock that is set while work is going on must neither end every lease at once nor make one last an hour longer.

Times in Redis are wall-clock times, since several machines write them. The scheduler holds Redis' clock against its own
monotonic one: where they come apart, the clock was set, and the frontier's times are moved along. Where only this
machine's clock differs from Redis', nothing is moved: it is told, and the scheduler waits until it is right again.

Not noticed: a clock that is set while no scheduler runs.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import Protocol

from workers.frontier.clocks import TOLERATED_SECONDS, apart
from workers.ports import Clock

LOG = logging.getLogger(__name__)


class Times(Protocol):
    """Redis' clock, and what is noted by it."""

    async def now_ms(self) -> int: ...

    async def shift(self, by_ms: int, *, now_ms: int, name: str) -> int: ...


@dataclass(slots=True)
class ClockWatch:
    """Belongs to one scheduler while it holds its lease."""

    times: Times
    clock: Clock
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _seen: tuple[int, float] | None = None
    """Redis' time in ms and our monotonic one in seconds, at the last look."""

    async def look(self) -> None:
        """To be called before anything is decided by the time. RetryableError while this machine's clock and Redis'
        differ."""
        async with self._lock:
            asked = self.clock.monotonic()
            now_ms = await self.times.now_ms()
            monotonic = self.clock.monotonic()
            if monotonic - asked > TOLERATED_SECONDS:
                return  # the answer is too old to tell anything
            if self._seen is not None:
                before_ms, before = self._seen
                jumped_ms = now_ms - before_ms - round((monotonic - before) * 1000)
                if abs(jumped_ms) > TOLERATED_SECONDS * 1000:
                    moved = await self.times.shift(jumped_ms, now_ms=now_ms, name=f"after {before_ms}")
                    LOG.warning("the clock was set: by_seconds=%.0f times_moved=%d", jumped_ms / 1000, moved)
            self._seen = now_ms, monotonic
            self._compare(now_ms)

    def _compare(self, redis_ms: int) -> None:
        trouble = apart(self.clock.now(), redis_ms, where="scheduler")
        if trouble is not None:
            raise trouble
