"""Segments that do not get on: given up with their last error, and taken up again when somebody says so.

Both are objects of their own, `parked/<stage>/…` and `parked/again/…`, told apart by time: the later one holds. What
only Redis knew would be lost with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.base import Count, Id, LongText, Record, ShortText, UtcTime
from workers.ports import Ledger, ObjectStore, SegmentEntry


class ParkedSegment(Record):
    """`parked/<stage>/<segment>-<time>.json`: a segment that does not get on, kept until somebody looks."""

    schema_id: Literal["citevault/parked@1"] = Field(alias="schema")
    segment_id: Id
    job_id: Id
    stage: Literal["committed", "extracted"]
    """The stage that it could not leave."""
    receipt_key: ShortText
    tries: Count
    reason: ShortText
    error: LongText = ""
    """The last one that a worker told; empty where none did."""
    parked_at: UtcTime


class RetriedSegment(Record):
    """`parked/again/<segment>-<time>.json`: somebody wants a parked segment to be tried again."""

    schema_id: Literal["citevault/retried@1"] = Field(alias="schema")
    segment_id: Id
    job_id: Id
    retried_at: UtcTime
    why: ShortText


async def park_segment(store: ObjectStore, ledger: Ledger, entry: SegmentEntry, *, now_ms: int, now: str) -> None:
    """Give a segment up. The object first."""
    times = entry.tries + entry.failures + entry.put_off
    reason = f"it was tried {times + 1} times and did not get on"
    if not entry.error:
        reason += ", and no worker said why: it may end the process that works on it; see the workers' logs"
    record = ParkedSegment(
        schema="citevault/parked@1",
        segment_id=entry.segment_id,
        job_id=entry.job_id,
        stage="committed" if entry.stage == "committed" else "extracted",
        receipt_key=entry.receipt_key,
        tries=times,
        reason=reason,
        error=entry.error,
        parked_at=now,
    )
    await store.put(
        keys.parked(entry.stage, entry.segment_id, now), canonical_bytes(record), content_type="application/json"
    )
    await ledger.park(entry.segment_id, error=entry.error or reason, now_ms=now_ms)


async def retry_segments(store: ObjectStore, ledger: Ledger, job_id: str, *, now: str, why: str) -> Sequence[str]:
    """Take up all parked segments of a job; the sweep sends them within seconds. Their ids."""
    parked = [entry.segment_id for entry in await ledger.of_job(job_id) if entry.parked]
    for segment_id in parked:
        record = RetriedSegment(
            schema="citevault/retried@1", segment_id=segment_id, job_id=job_id, retried_at=now, why=why[:4096]
        )
        key = keys.parked_again(segment_id, now)
        await store.put(key, canonical_bytes(record), content_type="application/json")
        await ledger.resume(segment_id)
    return parked
