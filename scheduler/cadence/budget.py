"""A budget of visits a day: what it leaves for today, who goes first, and how much longer the others wait."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from scheduler.cadence.change_rate import PPM
from scheduler.cadence.distance import distance_seconds
from schemas.records.schedule import Every, Schedule

CITED_WEIGHT: Final = 4
MOST_STRETCH: Final = 1000
_DAY_SECONDS: Final = 86_400


@dataclass(slots=True)
class Demand:
    """Visits a day that all schedules ask for, in millionths: at fixed distances, and where those follow from rates of
    change, of cited pages and of others."""

    fixed_ppm: int = 0
    cited_ppm: int = 0
    other_ppm: int = 0
    bounded_ppm: Counter[tuple[bool, int]] = field(default_factory=Counter)
    """What of the last two is of schedules whose own bound is nearer than the longest stretch: by whether they are
    cited, and by the power of two below what their distance can grow by."""

    def add(self, schedule: Schedule) -> None:
        """Count one schedule that is not paused."""
        distance = distance_seconds(schedule)
        a_day = _DAY_SECONDS * PPM // distance
        if isinstance(schedule.cadence, Every):
            self.fixed_ppm += a_day
            return
        grows = max(1, schedule.cadence.most_seconds // distance)
        if grows < MOST_STRETCH:
            self.bounded_ppm[schedule.cited, grows.bit_length() - 1] += a_day
        if schedule.cited:
            self.cited_ppm += a_day
        else:
            self.other_ppm += a_day


def room(budget: int, planned_today: int, *, most: int) -> int:
    """How many visits may be planned now, `most` at most. Budget 0: as many as there are."""
    return most if budget == 0 else max(0, min(most, budget - planned_today))


def stretch_ppm(demand: Demand, budget: int) -> int:
    """How much longer distances that follow from rates of change get, so that all of it fits into a day's budget: fixed
    ones are kept, cited pages are stretched by the square root, and none beyond its own bound: what these do not save
    the others do. At most a thousand times; where that is not enough, the day ends before the list does, and who goes
    first is chosen."""
    if budget == 0:
        return PPM
    left = budget * PPM - demand.fixed_ppm

    def fits(stretch: float) -> bool:
        return (
            _stretched(demand, cited=True, by=math.sqrt(stretch)) + _stretched(demand, cited=False, by=stretch) <= left
        )

    low, high = 1.0, float(MOST_STRETCH)
    if fits(low):
        return PPM
    if not fits(high):
        return MOST_STRETCH * PPM
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return round(high * PPM)


def _stretched(demand: Demand, *, cited: bool, by: float) -> float:
    """Visits a day, in millionths, that are left of one kind."""
    bounded = {power: a_day for (kind, power), a_day in demand.bounded_ppm.items() if kind is cited}
    free = (demand.cited_ppm if cited else demand.other_ppm) - sum(bounded.values())
    return free / by + sum(a_day / min(by, float(2**power)) for power, a_day in bounded.items())


@dataclass(frozen=True, slots=True)
class Waiting:
    """A schedule that is due, and for how long, in ms."""

    schedule: Schedule
    late_ms: int


def first(waiting: Iterable[Waiting], count: int) -> list[Waiting]:
    """Who goes first where not all can: by how late they are, measured in their own distances, cited pages four times.
    Who waits grows later, so nobody waits for ever."""

    def urgency(each: Waiting) -> tuple[float, str]:
        weight = CITED_WEIGHT if each.schedule.cited else 1
        return (-(each.late_ms + 1) * weight / distance_seconds(each.schedule), each.schedule.id)

    return sorted(waiting, key=urgency)[:count]
