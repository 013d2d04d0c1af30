"""A schedule after a visit: what it remembers of it, its rate of change, and when it is due again."""

from __future__ import annotations

from scheduler.cadence.change_rate import PPM, changes_a_day_ppm
from scheduler.cadence.distance import distance_seconds
from scheduler.cadence.periods import DAY_SECONDS, SECOND, due_of_period, jitter_ms
from scheduler.cadence.times import milliseconds, written
from schemas.records.schedule import (
    LOOKS_KEPT,
    VISITS_KEPT,
    Every,
    Look,
    PlannedVisit,
    Schedule,
    Version,
    Visited,
    VisitVerdict,
)


def is_folded(schedule: Schedule, visit: PlannedVisit) -> bool:
    """Whether the schedule knows of the visit already, or is another one than the visit was planned for."""
    return schedule.created_at != visit.created_at or schedule.next_period > visit.period


def after_visit(schedule: Schedule, visited: Visited, version: Version | None, *, stretch_ppm: int = PPM) -> Schedule:
    """The schedule with a visit taken in. `version`: what was seen, where the verdict is a look."""
    looks, seen = schedule.looks, schedule.seen
    if visited.verdict.is_look and version is not None:
        if seen is not None and visited.verdict is not VisitVerdict.FIRST:
            seconds = max(0, milliseconds(version.retrieved_at) - milliseconds(seen.retrieved_at)) // SECOND
            looks = (*looks, Look(seconds=seconds, changed=visited.verdict is VisitVerdict.CHANGED))[-LOOKS_KEPT:]
        seen = version
    known = schedule.model_copy(
        update={
            "seen": seen,
            "looks": looks,
            "changes_a_day_ppm": changes_a_day_ppm(looks) if looks else None,
            "visits": (*schedule.visits, visited)[-VISITS_KEPT:],
            "visits_made": schedule.visits_made + (visited.verdict is not VisitVerdict.NOT_MADE),
            "periods_missed": schedule.periods_missed + visited.missed,
            "away": schedule.away + 1 if visited.verdict.is_away else _away(schedule, visited.verdict),
            "next_period": visited.period + 1,
        }
    )
    return known.model_copy(update={"due_at": written(next_due_ms(known, visited, stretch_ppm=stretch_ppm))})


def next_due_ms(schedule: Schedule, visited: Visited, *, stretch_ppm: int) -> int:
    """When `next_period` is due. A visit that found nobody is made up for within a day where the distance follows from
    the rate of change; a fixed one stays as it was asked for."""
    if isinstance(schedule.cadence, Every):
        return due_of_period(schedule, schedule.cadence, schedule.next_period)
    distance = distance_seconds(schedule, stretch_ppm=stretch_ppm)
    if visited.verdict in (VisitVerdict.NO_ANSWER, VisitVerdict.UNREADABLE, VisitVerdict.BLOCKED):
        distance = max(schedule.cadence.least_seconds, min(distance, DAY_SECONDS))
    return milliseconds(visited.at) + distance * SECOND + jitter_ms(schedule.id, distance)


def _away(schedule: Schedule, verdict: VisitVerdict) -> int:
    """Where nobody answered, what was known of the page stays."""
    return 0 if verdict.is_look else schedule.away
