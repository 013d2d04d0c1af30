"""What a person does to a schedule: make it, change its cadence, pause it, let it go on. Periods never go back, since a
period names a visit."""

from __future__ import annotations

from scheduler.cadence.distance import distance_seconds
from scheduler.cadence.periods import SECOND, due_of_period, jitter_ms, newest_period
from scheduler.cadence.times import milliseconds, written
from schemas.records.job import JobOptions
from schemas.records.schedule import Cadence, Every, Schedule


def new_schedule(
    schedule_id: str,
    *,
    collection: str,
    requested_url: str,
    normalized_url: str,
    options: JobOptions,
    cadence: Cadence,
    cited: bool,
    captured_at: str | None,
    now: str,
) -> Schedule:
    """A page that is captured already is due one distance after that; one that is not, at once."""
    made = Schedule(
        schema="citevault/schedule@1",
        id=schedule_id,
        collection=collection,
        requested_url=requested_url,
        normalized_url=normalized_url,
        options=options,
        cadence=cadence,
        cited=cited,
        created_at=now,
        anchor_at=captured_at or now,
        next_period=0 if captured_at is None else 1,
        due_at=now,
    )
    return made if captured_at is None else made.model_copy(update={"due_at": written(_due_ms(made))})


def with_terms(schedule: Schedule, *, cadence: Cadence, options: JobOptions, cited: bool) -> Schedule:
    """The schedule under other terms; itself where they are the same. Once cited, a page stays so."""
    cited = cited or schedule.cited
    if (schedule.cadence, schedule.options, schedule.cited) == (cadence, options, cited):
        return schedule
    changed = schedule.model_copy(update={"cadence": cadence, "options": options, "cited": cited})
    if schedule.next_period == 0 or schedule.cadence == cadence:
        return changed
    base = schedule.visits[-1].at if schedule.visits else schedule.anchor_at
    moved = changed.model_copy(update={"anchor_at": base, "anchor_period": schedule.next_period - 1})
    return moved.model_copy(update={"due_at": written(_due_ms(moved))})


def paused(schedule: Schedule, *, now: str) -> Schedule:
    """Not visited any more; a visit on its way is still made."""
    return schedule if schedule.paused_at is not None else schedule.model_copy(update={"paused_at": now})


def resumed(schedule: Schedule, *, now: str) -> Schedule:
    """Visited again, at once if a period has come meanwhile. Those that passed by in the pause were not missed."""
    if schedule.paused_at is None:
        return schedule
    going = schedule.model_copy(update={"paused_at": None})
    now_ms = milliseconds(now)
    if milliseconds(schedule.due_at) >= now_ms:
        return going
    if schedule.next_period == 0:
        return going.model_copy(update={"anchor_at": now, "due_at": now})
    if isinstance(schedule.cadence, Every):
        period = max(schedule.next_period, newest_period(schedule, schedule.cadence, now_ms))
        due_ms = due_of_period(schedule, schedule.cadence, period)
        return going.model_copy(update={"next_period": period, "due_at": written(due_ms)})
    return going.model_copy(update={"due_at": now})


def _due_ms(schedule: Schedule) -> int:
    """When the next period is due, counted from the anchor."""
    if isinstance(schedule.cadence, Every):
        return due_of_period(schedule, schedule.cadence, schedule.next_period)
    distance = distance_seconds(schedule)
    return milliseconds(schedule.anchor_at) + distance * SECOND + jitter_ms(schedule.id, distance)
