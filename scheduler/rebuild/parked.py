"""`parked/<stage>/…`: segments that did not get on stay parked."""

from __future__ import annotations

from scheduler.rebuild.work import Restoration
from scheduler.sweep import SWEPT, ParkedSegment
from schemas import keys
from workers.catalog.packing import milliseconds


async def restore(work: Restoration) -> None:
    """A segment that has got on since it was parked is parked no more."""
    found = [key for stage in SWEPT async for key in work.ports.store.list(keys.parked_at(stage))]
    async for _, parked in work.documents("parked segments", found, ParkedSegment):
        entry = work.entries.get(parked.segment_id)
        if entry is not None and entry.stage == parked.stage:
            await work.ports.ledger.park(parked.segment_id, now_ms=milliseconds(parked.parked_at))
