"""The ledger sweep: a segment that stands still has its message sent again, and in the end it is parked.

A broker that dies can lose a message between two commands of its client, so what has to happen next is
read from the ledger and never from the queue. Sending again is harmless, since every stage is idempotent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import Field

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.messages import ClusterSegment, ExtractSegment, Queue, TaskMessage
from schemas.records.base import Count, Id, Record, ShortText, UtcTime
from workers.ports import Announcer, Ledger, ObjectStore, SegmentEntry, Stage

SWEPT: Final[tuple[Stage, ...]] = ("committed", "extracted")
"""Stages that are left by a task. What is clustered waits for the publisher, which looks for itself."""

Step = Literal["wait", "send", "park"]


@dataclass(frozen=True, slots=True)
class SweepLimits:
    """When patience ends."""

    stuck_seconds: float = 60.0
    tries: int = 5
    forgotten_seconds: float = 1800.0
    """So long a message may lie in a queue that is never empty, before it is taken for lost."""


class ParkedSegment(Record):
    """`parked/<stage>/<segment>.json`: a segment that does not get on, kept until somebody looks."""

    schema_id: Literal["citevault/parked@1"] = Field(alias="schema")
    segment_id: Id
    job_id: Id
    stage: Literal["committed", "extracted"]
    """The stage that it could not leave."""
    receipt_key: ShortText
    tries: Count
    reason: ShortText
    parked_at: UtcTime


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep did."""

    sent: int = 0
    parked: int = 0


@dataclass(frozen=True, slots=True)
class SweepPorts:
    store: ObjectStore
    ledger: Ledger
    announcer: Announcer
    waiting: Callable[[Queue], Awaitable[int]]
    """Messages in a queue that no worker has taken."""


async def sweep(ports: SweepPorts, limits: SweepLimits, *, now_ms: int, now: str) -> Swept:
    """Look at all segments once. `now` is the same time as `now_ms`, RFC 3339 in UTC."""
    sent = parked = 0
    for stage in SWEPT:
        for entry in await ports.ledger.at(stage):
            message = message_for(entry)
            if now_ms - entry.since_ms < limits.stuck_seconds * 1000:
                break  # longest there first, so nobody behind it has waited longer
            waiting = await ports.waiting(message.destination())
            step = decide(entry, waiting=waiting, now_ms=now_ms, limits=limits)
            if step == "send":
                await ports.announcer.announce(message)
                await ports.ledger.touch(entry.segment_id, now_ms=now_ms)
                sent += 1
            elif step == "park":
                await _park(ports, entry, now_ms, now)
                parked += 1
    return Swept(sent, parked)


def decide(entry: SegmentEntry, *, waiting: int, now_ms: int, limits: SweepLimits) -> Step:
    """What to do with a segment. Each try is given longer than the one before; while messages wait in the queue, its
    own may be among them, so it is neither stuck nor at fault."""
    waited_seconds = (now_ms - entry.since_ms) / 1000
    if waited_seconds < limits.stuck_seconds * (entry.tries + 1):
        return "wait"
    if waiting > 0 and waited_seconds < limits.forgotten_seconds:
        return "wait"
    return "send" if entry.tries < limits.tries else "park"


def message_for(entry: SegmentEntry) -> TaskMessage:
    """The message that gets a segment out of its stage. ValueError for a stage that no task leaves."""
    match entry.stage:
        case "committed":
            return ExtractSegment(schema="citevault/extract-segment@1", lane=entry.lane, receipt_key=entry.receipt_key)
        case "extracted":
            return ClusterSegment(
                schema="citevault/cluster-segment@1",
                lane=entry.lane,
                snapshots_key=entry.snapshots_key,
                prints_key=entry.prints_key,
                receipt_key=entry.receipt_key,
            )
        case _:
            raise ValueError(f"no task takes a segment out of the stage {entry.stage}")


async def _park(ports: SweepPorts, entry: SegmentEntry, now_ms: int, now: str) -> None:
    """The object first: what only Redis knows is lost with it."""
    record = ParkedSegment(
        schema="citevault/parked@1",
        segment_id=entry.segment_id,
        job_id=entry.job_id,
        stage="committed" if entry.stage == "committed" else "extracted",
        receipt_key=entry.receipt_key,
        tries=entry.tries,
        reason=f"its message was sent {entry.tries + 1} times and it did not get on; the worker's log says why",
        parked_at=now,
    )
    await ports.store.put(
        keys.parked(entry.stage, entry.segment_id), canonical_bytes(record), content_type="application/json"
    )
    await ports.ledger.park(entry.segment_id, now_ms=now_ms)
