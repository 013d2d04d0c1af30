"""The periods of a schedule: when each is due, and which of them a visit stands for.

Period `k` of fixed distances is due `k` distances after the anchor, and from the first on a **jitter** later, so that
what was scheduled in one go is not due in one go. The jitter follows from the schedule's id: it never changes, and
needs no memory. Periods that passed by unvisited (a downtime, a visit that took long) are visited once, as the newest
of them, and how many were missed is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from scheduler.cadence.times import milliseconds
from schemas.records.schedule import Every, Schedule

SECOND: Final = 1000
DAY_SECONDS: Final = 86_400
JITTER_SHARE: Final = 10
"""A tenth of the distance at most, and a day."""


@dataclass(frozen=True, slots=True)
class DueVisit:
    """A visit to be planned now. `missed`: periods before it that nobody visited."""

    period: int
    due_ms: int
    missed: int


@dataclass(frozen=True, slots=True)
class NotYet:
    """Nothing to plan before this time."""

    due_ms: int


def jitter_ms(schedule_id: str, distance_seconds: int) -> int:
    """From 0 to below a tenth of the distance, the same for each period of a schedule."""
    span = min(distance_seconds // JITTER_SHARE, DAY_SECONDS) * SECOND
    return span * int(schedule_id.removeprefix("sch-"), 16) >> 64


def due_of_period(schedule: Schedule, cadence: Every, period: int) -> int:
    """When a period of fixed distances is due, in ms. Period 0 is due at the anchor itself: nothing is captured yet."""
    anchor_ms = milliseconds(schedule.anchor_at)
    if period == 0:
        return anchor_ms
    periods = period - schedule.anchor_period
    return anchor_ms + periods * cadence.every_seconds * SECOND + jitter_ms(schedule.id, cadence.every_seconds)


def due_visit(schedule: Schedule, *, adaptive_seconds: int, now_ms: int) -> DueVisit | NotYet:
    """The visit that is due, or when the next one is. `adaptive_seconds`: the distance that the schedule has now, where
    that is not fixed."""
    due_ms = milliseconds(schedule.due_at)
    if due_ms > now_ms:
        return NotYet(due_ms)
    cadence = schedule.cadence
    if isinstance(cadence, Every):
        newest = newest_period(schedule, cadence, now_ms)
        missed = max(0, newest - schedule.next_period)
        period = schedule.next_period + missed
        return DueVisit(period, max(due_ms, due_of_period(schedule, cadence, period)) if missed else due_ms, missed)
    missed = (now_ms - due_ms) // (adaptive_seconds * SECOND)
    return DueVisit(schedule.next_period + missed, due_ms + missed * adaptive_seconds * SECOND, missed)


def newest_period(schedule: Schedule, cadence: Every, now_ms: int) -> int:
    """The newest period that is due; that of the anchor where none after it has come."""
    since = now_ms - milliseconds(schedule.anchor_at) - jitter_ms(schedule.id, cadence.every_seconds)
    return schedule.anchor_period + max(0, since // (cadence.every_seconds * SECOND))
