"""What people have decided about a job: whether it runs, and which of its failures are to be tried again. Pure.

Read off the decision log, in its order, so that it is the same after any loss of Redis.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from schemas.records.decision import ControlJob, Decision
from schemas.records.outcome import WITH_RESPONSE, Outcome
from workers.ports import JobState

FAILURES: Final = frozenset(
    {
        Outcome.ROBOTS_UNREACHABLE,
        Outcome.DNS_FAILED,
        Outcome.CONNECT_FAILED,
        Outcome.TLS_FAILED,
        Outcome.TIMEOUT,
        Outcome.EMPTY_REPLY,
        Outcome.PARKED,
    }
)
"""What `retry` takes up where nothing else is said."""
TAKEN_UP: Final = frozenset(set(Outcome) - WITH_RESPONSE - {Outcome.CANCELLED, Outcome.OUT_OF_SCOPE})
"""What it can take up at all."""


@dataclass(frozen=True, slots=True)
class Control:
    """What holds for one job."""

    state: JobState = "running"
    calls: tuple[frozenset[Outcome], ...] = ()
    """For each time that somebody asked for another try, in order: outcomes to be tried again."""
    sequence: int = 0
    """Of the last decision about the job."""


def controls_of(log: Iterable[Decision]) -> dict[str, Control]:
    """Jobs about which something was decided."""
    found: dict[str, Control] = {}
    for entry in log:
        if isinstance(entry.decision, ControlJob):
            job_id = entry.decision.job_id
            found[job_id] = replace(_after(found.get(job_id, Control()), entry.decision), sequence=entry.sequence)
    return found


def decisions_about(log: Iterable[Decision], job_id: str) -> list[tuple[Decision, ControlJob]]:
    """What was decided about one job, in order."""
    return [
        (entry, entry.decision)
        for entry in log
        if isinstance(entry.decision, ControlJob) and entry.decision.job_id == job_id
    ]


def _after(control: Control, decision: ControlJob) -> Control:
    """A cancelled job stays cancelled: what it did not try is written off, and can be handed in again."""
    if control.state == "cancelled":
        return control
    match decision.action:
        case "pause":
            return replace(control, state="paused")
        case "resume":
            return replace(control, state="running")
        case "cancel":
            return replace(control, state="cancelled")
        case "retry":
            return replace(control, calls=(*control.calls, frozenset(decision.outcomes)))
