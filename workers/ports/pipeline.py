"""Where segments stand, and the messages that bring them on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from schemas.messages import TaskMessage
from schemas.records.job import Lane

Stage = Literal["committed", "extracted", "clustered", "published"]


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """Where one segment stands in the pipeline."""

    segment_id: str
    job_id: str
    lane: Lane
    stage: Stage
    receipt_key: str
    snapshots_key: str = ""
    prints_key: str = ""
    clusters_key: str = ""
    since_ms: int = 0
    """When it got there, or when its message was last sent again."""
    tries: int = 0
    """How often its message was sent again because nobody had said anything."""
    failures: int = 0
    """How often a worker has told an error that is the segment's own."""
    put_off: int = 0
    """How often something else was missing: a store, or what another part has yet to write."""
    error: str = ""
    """The last one that a worker has told at this stage."""
    failed: bool = False
    """A worker has told an error since the message was sent last."""
    follows: bool = False
    """Its pages' links are followed, so its job is not captured before they are taken, which is before `extracted`."""
    parked: bool = False
    """Given up for now: its error lies under `parked/`. It leaves that state by reaching a later stage, or when
    somebody takes it up again."""


class Ledger(Protocol):
    """Which segment is at which stage. Derived from objects, so it can be rebuilt; completion is read from it."""

    async def advance(self, entry: SegmentEntry) -> None:
        """Put a segment at a stage; going back is ignored."""

    async def at(self, stage: Stage, *, limit: int = 1000) -> list[SegmentEntry]:
        """Segments at a stage, longest there first."""

    async def of_job(self, job_id: str) -> list[SegmentEntry]:
        """All segments of a job."""

    async def touch(self, segment_id: str, *, now_ms: int) -> None:
        """Note that its message was sent again."""

    async def fail(self, segment_id: str, error: str, *, own: bool, now_ms: int) -> None:
        """Note what a worker says that it failed with; `own`: the segment itself is the reason."""

    async def failing(self, *, limit: int = 1000) -> list[SegmentEntry]:
        """Segments whose worker told an error, and whose message was not sent again since; longest ago first."""

    async def park(self, segment_id: str, *, error: str, now_ms: int) -> None:
        """Stop sending its message: `at` leaves it out from now on, `of_job` shows it as parked, with this error."""

    async def resume(self, segment_id: str) -> None:
        """Take a parked segment up again, as if it had just got where it stands, and overdue."""

    async def parked(self, *, limit: int = 1000) -> list[SegmentEntry]:
        """Parked segments of all jobs, in order of their ids."""


class Announcer(Protocol):
    """Sends task messages. Losing one costs time, never data."""

    async def announce(self, message: TaskMessage) -> None: ...
