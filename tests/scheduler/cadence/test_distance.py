"""Distances that follow from rates of change, their bounds, and what a budget makes of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.cadence.budget import Demand, Waiting, first, room, stretch_ppm
from scheduler.cadence.distance import distance_seconds
from scheduler.cadence.following import after_visit
from scheduler.cadence.times import milliseconds
from schemas.records.schedule import Adaptive, Every, Version, Visited, VisitVerdict

DAY = 86_400
RATES = st.integers(100, 24_000_000)
BOUNDS = Adaptive(least_seconds=DAY, most_seconds=60 * DAY)


def visited(verdict: VisitVerdict, at: str, period: int = 1) -> Visited:
    return Visited(period=period, job_id="job-1", at=at, verdict=verdict, outcome=None)


def version(at: str, digest: str = "0" * 64) -> Version:
    return Version(
        snapshot_id="snap-000000000000-20261130T120000Z-00000000",
        retrieved_at=at,
        content_sha256=digest,
        text_sha256=None,
    )


def test_a_page_is_visited_when_it_is_even_odds_that_it_changed(schedule):
    each = schedule(cadence=BOUNDS, changes_a_day_ppm=100_000)
    assert round(distance_seconds(each) / DAY, 2) == 6.93, "ln 2 / 0.1"


@given(RATES)
def test_a_cited_page_is_visited_no_less_often_and_all_within_their_bounds(schedule, rate):
    plain = distance_seconds(schedule(cadence=BOUNDS, changes_a_day_ppm=rate))
    cited = distance_seconds(schedule(cadence=BOUNDS, changes_a_day_ppm=rate, cited=True))
    assert DAY <= cited <= plain <= 60 * DAY
    if cited > DAY and plain < 60 * DAY:
        assert 2.3 < plain / cited < 2.5


@given(RATES, RATES)
def test_what_changes_more_often_is_visited_no_less_often(schedule, one, other):
    slow, fast = (schedule(cadence=BOUNDS, changes_a_day_ppm=rate) for rate in sorted((one, other)))
    assert distance_seconds(fast) <= distance_seconds(slow)


def test_a_page_that_is_gone_is_asked_for_ever_less_often_and_again_when_it_is_back(schedule):
    each = schedule(cadence=Adaptive(), captured_at="2026-11-01T00:00:00Z")
    distances = [distance_seconds(each)]
    for period in range(1, 12):
        each = after_visit(each, visited(VisitVerdict.GONE, "2026-11-30T00:00:00Z", period), None)
        distances.append(distance_seconds(each))
    assert [round(later / distances[0]) for later in distances[:3]] == [1, 2, 4]
    assert distances[-1] == 90 * DAY
    back = after_visit(each, visited(VisitVerdict.FIRST, "2026-11-30T00:00:00Z", 12), version("2026-11-30T00:00:00Z"))
    assert back.away == 0


def test_a_visit_without_an_answer_is_made_up_for_within_a_day_and_says_nothing_of_the_rate(schedule):
    each = schedule(cadence=Adaptive(), captured_at="2026-11-01T00:00:00Z")
    at = "2026-11-30T00:00:00Z"
    after = after_visit(each, visited(VisitVerdict.NO_ANSWER, at), None)
    assert milliseconds(after.due_at) - milliseconds(at) < 1.11 * DAY * 1000
    assert (after.looks, after.changes_a_day_ppm) == ((), None)
    fixed = after_visit(schedule(captured_at=at), visited(VisitVerdict.NO_ANSWER, at), None)
    assert milliseconds(fixed.due_at) - milliseconds(at) >= 14 * DAY * 1000, "a fixed distance is kept"


def test_looks_make_the_rate_and_what_was_seen_is_kept(schedule):
    each = schedule(cadence=Adaptive(), captured_at="2026-11-01T00:00:00Z")
    times = ["2026-11-01T00:00:00Z", "2026-11-03T00:00:00Z", "2026-11-05T00:00:00Z"]
    verdicts = [VisitVerdict.FIRST, VisitVerdict.CHANGED, VisitVerdict.UNCHANGED]
    for period, (at, verdict) in enumerate(zip(times, verdicts, strict=True), 1):
        each = after_visit(each, visited(verdict, at, period), version(at, f"{period:064x}"))
    assert [(look.seconds, look.changed) for look in each.looks] == [(2 * DAY, True), (2 * DAY, False)]
    assert each.seen == version(times[-1], f"{3:064x}")
    assert each.changes_a_day_ppm is not None
    assert each.visits_made == 3


def test_a_budget_leaves_room_until_it_is_spent():
    assert [room(0, 10**6, most=50), room(100, 90, most=50), room(100, 120, most=50)] == [50, 10, 0]


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9), st.integers(1, 10**6))
def test_stretching_makes_demand_fit_where_it_can(fixed, cited, other, budget):
    demand = Demand(fixed, cited, other)
    stretch = stretch_ppm(demand, budget) / 1e6
    assert 1 <= stretch <= 1000
    needed = fixed + cited / stretch**0.5 + other / stretch
    if fixed + cited + other <= budget * 1_000_000:
        assert stretch == 1
    elif stretch < 1000:
        assert abs(needed - budget * 1_000_000) <= 2 + budget
    assert stretch_ppm(demand, 0) == 1_000_000


def test_demand_adds_up(schedule):
    demand = Demand()
    demand.add(schedule(cadence=Every(every_seconds=DAY)))
    demand.add(schedule(cadence=BOUNDS, changes_a_day_ppm=24_000_000, cited=True))
    demand.add(schedule(cadence=BOUNDS, changes_a_day_ppm=24_000_000))
    assert (demand.fixed_ppm, demand.cited_ppm, demand.other_ppm) == (1_000_000, 1_000_000, 1_000_000)
    assert demand.bounded_ppm == {(True, 5): 1_000_000, (False, 5): 1_000_000}, "60 days are 32 times a day, and more"


def test_who_has_reached_its_bound_is_made_up_for_by_the_others(schedule):
    """Ten pages that may be visited every second day at the rarest save half; the eleventh has to save the rest."""
    demand = Demand()
    for most in [*([2 * DAY] * 10), 1_800 * DAY]:
        cadence = Adaptive(least_seconds=DAY, most_seconds=most)
        demand.add(schedule(cadence=cadence, changes_a_day_ppm=24_000_000))
    assert stretch_ppm(Demand(0, 0, 11_000_000), 6) / 1e6 == pytest.approx(11 / 6, rel=0.01)
    stretch = stretch_ppm(demand, 6) / 1e6
    assert stretch == pytest.approx(11 / 6, rel=0.01), "nobody is at its bound yet"
    assert stretch_ppm(demand, 5) == 1_000_000_000, "ten halves alone are five a day"
    cited = Demand()
    cited.add(
        schedule(cadence=Adaptive(least_seconds=DAY, most_seconds=2 * DAY), changes_a_day_ppm=24_000_000, cited=True)
    )
    cited.other_ppm += 1_000_000
    stretch = stretch_ppm(cited, 1) / 1e6
    assert 1 / stretch**0.5 + 1 / stretch == pytest.approx(1, rel=0.01), "cited pages by the square root, within 2"


@given(st.lists(st.tuples(st.integers(0, 10**9), st.booleans()), max_size=12), st.integers(0, 12))
def test_the_latest_go_first_cited_pages_before_others_as_late(schedule, lateness, count):
    waiting = [
        Waiting(schedule(f"https://a.test/{number}", cited=cited), late)
        for number, (late, cited) in enumerate(lateness)
    ]
    chosen = first(waiting, count)
    assert len(chosen) == min(count, len(waiting))
    left = [each for each in waiting if each not in chosen]
    for gone, stays in ((a, b) for a in chosen for b in left):
        assert not (stays.late_ms > gone.late_ms and (stays.schedule.cited or not gone.schedule.cited))
