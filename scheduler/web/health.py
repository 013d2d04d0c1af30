"""Whether work is done: the judgement alone, from numbers that others have read.

A process that exists proves nothing. Healthy is who finished something not long ago, or has nothing to do. Hosts
that wait for their next turn (politeness, Retry-After) are nothing to do now; idle is who has no open URL at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from scheduler.web.answers import Health
from schemas.ids import utc_string

LOOK = "look into the logs of workers and scheduler; `citevault doctor` says which part is away"
RESTORE = "`citevault status` names the object to restore, and what to do where there is no copy of it"
REBUILD = "`citevault rebuild` brings URLs back that are in no queue"
STALL_SECONDS = 600.0
"""A task hands back what is left after 300 s, its lease ends after 60 s, and the next one needs as long again."""


@dataclass(frozen=True, slots=True)
class Load:
    """What waits to be done now."""

    batches: int
    """Released or leased, neither ended nor set aside."""
    ready_hosts: int
    """Hosts with waiting URLs that may be asked now."""
    segments: int
    """Committed, and not yet published; parked ones left out."""
    stranded: int = 0
    """Open URLs of running jobs that are in nothing which could bring them forward."""
    resting: int = 0
    """Open URLs of running jobs that wait for the next turn of their host, or for their next try: nothing to do now."""

    aside: int = 0
    """Batches that wait until somebody restores an object."""

    @property
    def waits(self) -> bool:
        return bool(self.for_machines or self.aside)

    @property
    def for_machines(self) -> bool:
        """Whether something waits that nobody has to do anything for."""
        return bool(self.batches or self.ready_hosts or self.segments or self.stranded)

    def __str__(self) -> str:
        parts = [("batch", "batches", self.batches), ("host", "hosts", self.ready_hosts)]
        parts.append(("segment", "segments", self.segments))
        parts.append(("URL in no queue", "URLs in no queue", self.stranded))
        parts.append(("batch that is set aside", "batches that are set aside", self.aside))
        return ", ".join(f"{count} {one if count == 1 else many}" for one, many, count in parts if count)


@dataclass(frozen=True, slots=True)
class Signs:
    """What processes told."""

    last_work: float
    """When a piece of work was last finished, seconds since 1970; 0: never."""
    troubles: Sequence[str] = ()
    """Errors that keep a live process from its work, in words."""


def judge(load: Load, signs: Signs, *, waiting_since: float, now: float) -> Health:
    """`waiting_since`: when it was first seen that something waits; work is not late before it is there."""
    trouble = "; ".join(signs.troubles)
    last = utc_string(datetime.fromtimestamp(signs.last_work, UTC)) if signs.last_work else None
    if not load.waits and load.resting:
        reason = f"{load.resting} URLs wait for the next turn of their host, or for their next try"
        return Health(status="working", reason=reason + (f", but: {trouble}" if trouble else ""), last_work_at=last)
    if not load.waits:
        reason = f"nothing waits to be done, but: {trouble}" if trouble else "nothing waits to be done"
        return Health(status="idle", reason=reason, last_work_at=last)
    next_step = LOOK if load.for_machines else RESTORE
    quiet = now - max(signs.last_work, waiting_since)
    if quiet <= STALL_SECONDS:
        reason = f"in work: {load}" + (f", but: {trouble}" if trouble else "")
        return Health(status="working", reason=reason, last_work_at=last)
    return Health(
        status="stalled",
        reason=f"{load} waiting, and nothing was finished for {quiet / 60:.0f} minutes"
        + (f": {trouble}" if trouble else ""),
        next_step=REBUILD if load.stranded else next_step,
        last_work_at=last,
    )
