"""The rate of change: right for pages that change by chance, and never worse for knowing more."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.cadence.change_rate import LEAST_A_DAY, MOST_A_DAY, PPM, changes_a_day_ppm
from schemas.records.schedule import LOOKS_KEPT, Look

DAY = 86_400
LOOKS = st.lists(st.builds(Look, seconds=st.integers(0, 400 * DAY), changed=st.booleans()), max_size=LOOKS_KEPT)


def test_without_looks_it_is_a_change_a_month():
    assert changes_a_day_ppm(()) == pytest.approx(PPM / 30, rel=1e-3)


@pytest.mark.parametrize("a_day", [0.02, 0.1, 0.5, 2.0])
def test_many_looks_at_a_page_that_changes_by_chance_find_its_rate(a_day: float):
    """Looks once a day see several changes as one: counted over time, 2 changes a day would be 0.86."""
    chance = random.Random(7)
    looks = [Look(seconds=DAY, changed=chance.expovariate(a_day) < 1) for _ in range(4000)]
    assert changes_a_day_ppm(looks) / PPM == pytest.approx(a_day, rel=0.15)


def test_looks_at_any_distances_count_by_their_distance():
    chance = random.Random(11)
    distances = [chance.uniform(0.2, 20) for _ in range(3000)]
    looks = [Look(seconds=round(days * DAY), changed=chance.expovariate(0.2) < days) for days in distances]
    assert changes_a_day_ppm(looks) / PPM == pytest.approx(0.2, rel=0.1)


@given(LOOKS, st.integers(1, 400 * DAY))
def test_a_change_never_makes_it_rarer_and_sameness_never_more_frequent(looks: list[Look], seconds: int):
    known = changes_a_day_ppm(looks)
    assert changes_a_day_ppm([*looks, Look(seconds=seconds, changed=True)]) >= known
    assert changes_a_day_ppm([*looks, Look(seconds=seconds, changed=False)]) <= known


@given(LOOKS)
def test_it_is_bounded_and_does_not_depend_on_the_order(looks: list[Look]):
    found = changes_a_day_ppm(looks)
    assert LEAST_A_DAY * PPM - 1 <= found <= MOST_A_DAY * PPM + 1
    assert changes_a_day_ppm(looks[::-1]) == pytest.approx(found, rel=1e-6, abs=1)
