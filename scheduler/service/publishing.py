"""When a manifest is due: a job ended, or what waits has waited long, or is much (contracts, "Manifest log").

Pure but for the questions that it asks of its ports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workers.ports import Frontier, Ledger, SegmentEntry


@dataclass(frozen=True, slots=True)
class PublishLimits:
    """How long and how much may wait."""

    seconds: float = 60.0
    segments: int = 200
    """A bulk segment has some 50 to 100 snapshots: about 10,000 leaves."""


async def publication_is_due(frontier: Frontier, ledger: Ledger, limits: PublishLimits, *, now_ms: int) -> bool:
    """Whether to publish now."""
    waiting = await ledger.at("clustered")
    if is_pressing(waiting, limits, now_ms=now_ms):
        return True
    for job_id in dict.fromkeys(entry.job_id for entry in waiting):
        progress = await frontier.progress(job_id)
        if progress is not None and progress.at_rest and has_ended(await ledger.of_job(job_id)):
            return True
    return False


def is_pressing(waiting: Sequence[SegmentEntry], limits: PublishLimits, *, now_ms: int) -> bool:
    """Whether what waits must not wait longer, whatever its jobs do. `waiting`: longest there first."""
    if not waiting:
        return False
    return len(waiting) >= limits.segments or now_ms - waiting[0].since_ms >= limits.seconds * 1000


def has_ended(entries: Sequence[SegmentEntry]) -> bool:
    """Whether no segment of a job that is at rest is still on its way to the publisher."""
    return all(entry.parked or entry.stage in ("clustered", "published") for entry in entries)
