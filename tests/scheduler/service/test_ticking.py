"""After errors a tick comes seldom and then less often, and one that is meant to come seldom stays so."""

from __future__ import annotations

import pytest

from scheduler.service.ticking import pause_after


@pytest.mark.parametrize(
    ("seconds", "pauses"),
    [
        (0.2, [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]),
        (10.0, [20.0, 30.0, 30.0]),
        (900.0, [30.0, 60.0, 120.0, 240.0, 480.0, 900.0, 900.0]),
    ],
)
def test_pauses_grow_up_to_half_a_minute_or_the_ticks_own_distance(seconds, pauses):
    assert [pause_after(failures, seconds) for failures in range(1, len(pauses) + 1)] == pauses
    assert pause_after(10**6, seconds) == pauses[-1]
