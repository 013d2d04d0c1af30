"""`parked/<stage>/…` and `parked/again/…`: segments that did not get on stay parked, unless somebody took them up again
since, or they have got on."""

from __future__ import annotations

from scheduler.parked import ParkedSegment, RetriedSegment
from scheduler.rebuild.work import Restoration
from scheduler.sweep import SWEPT
from schemas import keys
from workers.catalog.packing import microseconds


async def restore(work: Restoration) -> None:
    """What happened last to each segment holds."""
    store, last = work.ports.store, dict[str, ParkedSegment | RetriedSegment]()
    found = [key for stage in SWEPT async for key in store.list(keys.parked_at(stage))]
    async for _, parked in work.documents("parked segments", found, ParkedSegment):
        known = last.get(parked.segment_id)
        if known is None or _at(known) < _at(parked):
            last[parked.segment_id] = parked
    again = [key async for key in store.list(keys.PARKED_AGAIN)]
    async for _, retried in work.documents("segments taken up again", again, RetriedSegment):
        known = last.get(retried.segment_id)
        if known is not None and _at(known) <= _at(retried):
            last[retried.segment_id] = retried
    for segment_id, what in last.items():
        entry = work.entries.get(segment_id)
        if isinstance(what, ParkedSegment) and entry is not None and entry.stage == what.stage:
            await work.ports.ledger.park(segment_id, error=what.error or what.reason, now_ms=_at(what) // 1000)


def _at(what: ParkedSegment | RetriedSegment) -> int:
    return microseconds(what.parked_at if isinstance(what, ParkedSegment) else what.retried_at)
