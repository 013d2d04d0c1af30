"""Batches go out: new ones while few wait for a worker, expired ones again under their own ids."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from scheduler.suspicion import DELIVERIES, Deaths, Step, decide
from schemas.messages import CaptureBatch
from schemas.records.job import Lane
from workers.errors import CitevaultError, CorruptError, PermanentError
from workers.ports import Announcer, Batch, Frontier


@dataclass(frozen=True, slots=True)
class LaneLimits:
    """How much of a lane is let out at a time."""

    waiting: int
    """Batches that may wait for a worker: enough that none is idle between two ticks, few enough that a host
    released early does not wait long."""
    urls: int
    """In one batch."""


DEFAULT_LIMITS = {
    Lane.INTERACTIVE: LaneLimits(waiting=16, urls=10),
    Lane.BULK: LaneLimits(waiting=8, urls=100),
}


Close = Callable[[Batch, Step], Awaitable[Sequence[Batch]]]
"""Ends a batch; what came out of it, to be announced."""


@dataclass(slots=True)
class Releaser:
    """Forms batches and sends their messages. A message that could not be sent is kept and sent first next time;
    should this process end before, the batch is reclaimed."""

    frontier: Frontier
    announcer: Announcer
    epoch: Callable[[], int]
    limits: dict[Lane, LaneLimits] = field(default_factory=lambda: dict(DEFAULT_LIMITS))
    close: Close | None = None
    """Ends batches that must not go out again; without it they do."""
    deliveries: int = DELIVERIES
    deaths: Deaths = field(default_factory=Deaths)
    held: frozenset[Lane] = frozenset()
    """Lanes of which no new batch is formed for now. What was formed before goes out, and comes back, as ever."""
    _unsent: list[Batch] = field(default_factory=list)

    async def release(self, now_ms: int) -> int:
        """One tick; how many batches were announced."""
        sent = await self._announce([])
        await self.frontier.wake(now_ms=now_ms)
        for lane, limits in self.limits.items():
            if lane in self.held:
                continue
            room = limits.waiting - await self.frontier.backlog(lane)
            if room > 0:
                forming = self.frontier.release_each(now_ms=now_ms, batches=room, urls=limits.urls, lane=lane)
                async for batch in forming:  # a worker begins with the first while the others are formed
                    sent += await self._announce([batch])
        return sent

    async def reclaim(self, now_ms: int) -> int:
        """One tick; how many batches were announced: expired ones again, and what others were taken apart into. What
        keeps one of them from being ended (such as a store that refuses its receipt) keeps no other, and is raised in
        the end."""
        back = await self.frontier.reclaim(now_ms=now_ms)
        self.deaths.note(back, now_ms)
        steps = [
            (decide(batch, deliveries=self.deliveries, elsewhere=self.deaths.elsewhere(batch, now_ms)), batch)
            for batch in back
        ]
        sent = await self._announce([batch for step, batch in steps if step == "send" or self.close is None])
        failed: list[CitevaultError] = []
        for step, batch in steps:
            if step != "send" and self.close is not None:
                try:
                    sent += await self._announce(await self.close(batch, step))
                except (CorruptError, PermanentError) as error:
                    failed.append(error)
        if failed:
            raise failed[0]
        return sent

    async def _announce(self, batches: Sequence[Batch]) -> int:
        """Send the messages of these batches, behind those that were left over; how many were sent."""
        self._unsent += batches
        sent = 0
        while self._unsent:
            batch = self._unsent.pop(0)  # taken before the wait: the other tick may come in between
            told = False
            try:
                await self.announcer.announce(_message(batch, self.epoch()))
                told = True
            finally:
                if not told:
                    self._unsent.insert(0, batch)
            sent += 1
        return sent


def _message(batch: Batch, epoch: int) -> CaptureBatch:
    return CaptureBatch(
        schema="citevault/capture-batch@1",
        lane=batch.lane,
        job_id=batch.job_id,
        batch_id=batch.batch_id,
        epoch=epoch,
    )
