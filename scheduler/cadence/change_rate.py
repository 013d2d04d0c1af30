"""How often a page changes, from looks at it that say only "the same" or "another": a Poisson rate, with censoring.

Several changes between two looks are seen as one, so changes counted over time give too low a rate (Cho and
Garcia-Molina, "Estimating frequency of change", ACM TOIT 3(3), 2003). Under a Poisson process a look after `t` days
finds a change with the chance `1 - exp(-rate t)`. For looks at any distances the likelihood has no closed maximum; with
a Gamma prior, which keeps a page that was looked at twice from the rates 0 and infinity, its slope in the rate is

    (SHAPE - 1) / rate - PRIOR_DAYS + sum over changed of t / (exp(rate t) - 1) - sum over unchanged of t

which falls as the rate grows, so that halving finds its one zero: the most probable rate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from schemas.records.schedule import Look

SHAPE: Final = 1.5
PRIOR_DAYS: Final = 15.0
"""Without any look: (1.5 - 1) / 15, a change a month; weighs as much as a page that was seen the same for two weeks."""
LEAST_A_DAY: Final = 1e-4
"""One change in 27 years: nobody looks for longer."""
MOST_A_DAY: Final = 24.0
"""Once an hour, the shortest distance of visits."""
PPM: Final = 1_000_000
_DAY_SECONDS: Final = 86_400
_STEPS: Final = 60


def changes_a_day_ppm(looks: Sequence[Look]) -> int:
    """The most probable rate of change, in changes a day times a million."""
    changed = [max(look.seconds, 1) / _DAY_SECONDS for look in looks if look.changed]
    unchanged_days = sum(look.seconds for look in looks if not look.changed) / _DAY_SECONDS
    low, high = math.log(LEAST_A_DAY), math.log(MOST_A_DAY)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _slope(math.exp(middle), changed, unchanged_days) > 0:
            low = middle
        else:
            high = middle
    return round(math.exp(low) * PPM)


def _slope(rate: float, changed: Sequence[float], unchanged_days: float) -> float:
    """Of the logarithm of the posterior density, up to what does not depend on the rate."""
    seen = sum(days / math.expm1(min(rate * days, 700.0)) for days in changed)
    return (SHAPE - 1) / rate - PRIOR_DAYS + seen - unchanged_days
