"""The scheduler holds bulk batches back, tells so among its troubles, and lets them go again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from scheduler.release import LaneLimits, Releaser
from scheduler.service.holding import HoldBack
from scheduler.service.ticking import WorkLog
from schemas.records.job import Lane
from workers import metrics
from workers.ports import SegmentEntry


class Shelves:
    """A ledger of segments that wait, and a frontier that notes for which lanes batches are formed."""

    def __init__(self) -> None:
        self.waiting = 0
        self.formed: list[Lane] = []

    async def at(self, stage: str, *, limit: int) -> list[SegmentEntry]:
        assert stage == "committed"
        entry = SegmentEntry("s", "job-1", Lane.BULK, "committed", "commits/x")
        return [entry] * min(self.waiting, limit)

    async def wake(self, *, now_ms: int) -> int:
        return 0

    async def backlog(self, lane: Lane) -> int:
        return 0

    async def release_each(self, *, lane: Lane, **_more: Any) -> AsyncIterator[Any]:
        self.formed.append(lane)
        for batch in ():
            yield batch


def test_bulk_waits_and_people_do_not() -> None:
    async def scenario() -> None:
        shelves, log = Shelves(), WorkLog()
        limits = {lane: LaneLimits(waiting=4, urls=10) for lane in (Lane.INTERACTIVE, Lane.BULK)}
        releaser = Releaser(shelves, shelves, lambda: 1, limits)  # type: ignore[arg-type]  # what it asks of them
        holding = HoldBack(shelves, releaser, log, 10)  # type: ignore[arg-type]
        for waiting, lanes in ((9, ["interactive", "bulk"]), (50, ["interactive"]), (7, ["interactive", "bulk"])):
            shelves.waiting, shelves.formed = waiting, []
            await holding.look()
            await releaser.release(0)
            assert shelves.formed == lanes
            held = "bulk" not in lanes
            assert ("backpressure" in log.troubles) is held
            assert metrics.HELD_BACK._value.get() == held

    asyncio.run(scenario())
