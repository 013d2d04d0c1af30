"""The ledger sweep: a segment that stands still has its message sent again, and in the end it is parked.

A broker that dies can lose a message between two commands of its client, so what has to happen next is
read from the ledger and never from the queue. Sending again is harmless, since every stage is idempotent.

There are three reasons to stand still, with a patience each. Nobody has said anything: the message may lie in a queue,
may be lost, or the segment kills who works on it. A worker has told an error of the segment's own. Or one that is not:
a store was away, or another segment is not there yet; such a segment is sent again within seconds, and is given up only
after hours.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal

from scheduler.parked import park_segment
from schemas.messages import ClusterSegment, ExtractSegment, Queue, TaskMessage
from workers.ports import Announcer, Ledger, ObjectStore, SegmentEntry, Stage

SWEPT: Final[tuple[Stage, ...]] = ("committed", "extracted")
"""Stages that are left by a task. What is clustered waits for the publisher, which looks for itself."""

Step = Literal["wait", "send", "park"]


@dataclass(frozen=True, slots=True)
class SweepLimits:
    """When patience ends."""

    stuck_seconds: float = 60.0
    tries: int = 5
    """Unanswered messages and errors of its own, together, after which a segment is given up."""
    unserved: int = 48
    """Unanswered messages after which it is given up while others wait in the queue, which may be served by nobody: a
    day of half hours."""
    forgotten_seconds: float = 1800.0
    """So long a message may lie in a queue that is never empty, before it is taken for lost."""
    pause_seconds: float = 2.0
    """After an error that a worker told, before the message is sent again; doubled with each further one."""
    longest_pause_seconds: float = 300.0
    put_off: int = 200
    """Errors not its own after which a segment is given up all the same: some 16 hours of them."""


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
    for entry in await ports.ledger.failing():
        step = after_error(entry, now_ms=now_ms, limits=limits)
        if step == "send":
            await _send(ports, entry, now_ms)
            sent += 1
        elif step == "park":
            await park_segment(ports.store, ports.ledger, entry, now_ms=now_ms, now=now)
            parked += 1
    for stage in SWEPT:
        for entry in await ports.ledger.at(stage):
            if entry.failed:
                continue
            message = message_for(entry)
            if now_ms - entry.since_ms < limits.stuck_seconds * 1000:
                break  # longest there first, so nobody behind it has waited longer
            waiting = await ports.waiting(message.destination())
            step = decide(entry, waiting=waiting, now_ms=now_ms, limits=limits)
            if step == "send":
                await _send(ports, entry, now_ms)
                sent += 1
            elif step == "park":
                await park_segment(ports.store, ports.ledger, entry, now_ms=now_ms, now=now)
                parked += 1
    return Swept(sent, parked)


async def _send(ports: SweepPorts, entry: SegmentEntry, now_ms: int) -> None:
    await ports.announcer.announce(message_for(entry))
    await ports.ledger.touch(entry.segment_id, now_ms=now_ms)


def after_error(entry: SegmentEntry, *, now_ms: int, limits: SweepLimits) -> Step:
    """What to do with a segment whose worker told an error. The pause grows with the errors of that kind."""
    unanswered = min(entry.tries, limits.tries - 1)  # more were sent to a queue that nobody served
    if entry.failures + unanswered > limits.tries or entry.put_off > limits.put_off:
        return "park"
    errors = max(entry.failures, entry.put_off, 1)
    pause = min(limits.pause_seconds * 2 ** min(errors - 1, 20), limits.longest_pause_seconds)
    return "send" if now_ms - entry.since_ms >= pause * 1000 else "wait"


def decide(entry: SegmentEntry, *, waiting: int, now_ms: int, limits: SweepLimits) -> Step:
    """What to do with a segment of which nobody has said anything. Each try is given longer than the one before; while
    messages wait in the queue, its own may be among them, so it is neither stuck nor at fault."""
    waited_seconds = (now_ms - entry.since_ms) / 1000
    if waited_seconds < limits.stuck_seconds * (entry.tries + 1):
        return "wait"
    if waiting > 0 and waited_seconds < limits.forgotten_seconds:
        return "wait"
    most = limits.unserved if waiting > 0 else limits.tries
    return "send" if entry.tries + entry.failures < most else "park"


def message_for(entry: SegmentEntry) -> TaskMessage:
    """The message that gets a segment out of its stage. ValueError for a stage that no task leaves."""
    match entry.stage:
        case "committed":
            return ExtractSegment(
                schema="citevault/extract-segment@1",
                lane=entry.lane,
                segment_id=entry.segment_id,
                receipt_key=entry.receipt_key,
            )
        case "extracted":
            return ClusterSegment(
                schema="citevault/cluster-segment@1",
                lane=entry.lane,
                segment_id=entry.segment_id,
                snapshots_key=entry.snapshots_key,
                prints_key=entry.prints_key,
                receipt_key=entry.receipt_key,
            )
        case _:
            raise ValueError(f"no task takes a segment out of the stage {entry.stage}")
