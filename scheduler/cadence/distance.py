"""How long to wait between two visits of a page, where that follows from its rate of change.

The distance at which a change in between has the chance `p`: `-ln(1 - p) / rate`. A page that a report cites is looked
at before it is even odds that it changed: half as much risk takes 2.4 times the visits. A page that is gone is asked
for less and less often: it may come back. What a budget cannot pay for is stretched, cited pages by less.
"""

from __future__ import annotations

import math
from typing import Final

from scheduler.cadence.change_rate import PPM, changes_a_day_ppm
from schemas.records.schedule import Adaptive, Every, Schedule

CHANCE: Final = 0.5
CITED_CHANCE: Final = 0.25
UNKNOWN_DAYS: Final = 7
"""The first time a page is compared, so that something is known of it."""
MOST_DOUBLINGS: Final = 8
_DAY_SECONDS: Final = 86_400


def distance_seconds(schedule: Schedule, *, stretch_ppm: int = PPM) -> int:
    """The present distance. `stretch_ppm`: how much a budget makes longer what is not fixed, 1,000,000: not at all."""
    cadence = schedule.cadence
    if isinstance(cadence, Every):
        return cadence.every_seconds
    rate = schedule.changes_a_day_ppm if schedule.changes_a_day_ppm is not None else changes_a_day_ppm(())
    chance = CITED_CHANCE if schedule.cited else CHANCE
    stretch = stretch_ppm / PPM
    wanted = -math.log1p(-chance) * PPM / max(rate, 1) * _DAY_SECONDS
    if schedule.changes_a_day_ppm is None:
        wanted = min(wanted, UNKNOWN_DAYS * _DAY_SECONDS)
    wanted *= math.sqrt(stretch) if schedule.cited else stretch
    wanted *= 2 ** min(schedule.away, MOST_DOUBLINGS)
    return within(round(wanted), cadence)


def within(seconds: int, cadence: Adaptive) -> int:
    """Within the bounds that the schedule was given."""
    return min(max(seconds, cadence.least_seconds), max(cadence.least_seconds, cadence.most_seconds))
