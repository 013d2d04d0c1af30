"""Periods: what is due, which period a visit stands for, and a jitter that never changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scheduler.cadence.changing import new_schedule, paused, resumed, with_terms
from scheduler.cadence.following import after_visit
from scheduler.cadence.periods import DueVisit, NotYet, due_of_period, due_visit, jitter_ms
from scheduler.cadence.times import milliseconds, written
from schemas.ids import schedule_id
from schemas.records.job import JobOptions
from schemas.records.schedule import Adaptive, Every, Schedule, Visited, VisitVerdict

NOW = "2026-11-30T12:00:00.000000Z"
WEEK_MS = 7 * 86_400_000
NOW_MS = milliseconds(NOW)
URLS = [f"https://a.test/{number}" for number in range(200)]
DISTANCES = st.integers(3_600, 400 * 86_400)


def weekly(url: str = URLS[0], *, seconds: int = 7 * 86_400, captured_at: str | None = NOW) -> Schedule:
    return new_schedule(
        schedule_id("default", url),
        collection="default",
        requested_url=url,
        normalized_url=url,
        options=JobOptions(),
        cadence=Every(every_seconds=seconds),
        cited=False,
        captured_at=captured_at,
        now=NOW,
    )


def due(schedule: Schedule, now_ms: int) -> DueVisit | NotYet:
    return due_visit(schedule, adaptive_seconds=86_400, now_ms=now_ms)


def ended(period: int, *, at: str = NOW, verdict: VisitVerdict = VisitVerdict.UNCHANGED, missed: int = 0) -> Visited:
    return Visited(period=period, job_id="job-1", at=at, verdict=verdict, outcome=None, missed=missed)


def test_what_is_not_captured_is_due_at_once():
    assert due(weekly(captured_at=None), NOW_MS) == DueVisit(0, NOW_MS, 0)


def test_what_is_captured_is_due_one_distance_later_and_a_jitter():
    schedule = weekly()
    first = NOW_MS + WEEK_MS + jitter_ms(schedule.id, 7 * 86_400)
    assert due(schedule, first - 1) == NotYet(first)
    assert due(schedule, first) == DueVisit(1, first, 0)


def test_missed_periods_collapse_into_the_newest_and_are_told():
    schedule = weekly()
    now = due_of_period(schedule, Every(every_seconds=7 * 86_400), 9) + 5
    assert due(schedule, now) == DueVisit(9, now - 5, 8)


@given(DISTANCES, st.integers(0, 10**11))
def test_a_fixed_visit_is_made_in_the_period_that_its_time_falls_into(seconds: int, later_ms: int):
    schedule, cadence = weekly(seconds=seconds), Every(every_seconds=seconds)
    now = NOW_MS + later_ms
    found = due(schedule, now)
    if isinstance(found, NotYet):
        assert now < found.due_ms == due_of_period(schedule, cadence, 1)
        return
    assert due_of_period(schedule, cadence, found.period) <= now < due_of_period(schedule, cadence, found.period + 1)
    assert found.missed == found.period - 1
    following = after_visit(schedule, ended(found.period, missed=found.missed), None)
    assert isinstance(due(following, now), NotYet), "one visit stands for all that has passed"
    assert following.next_period == found.period + 1


@given(DISTANCES, st.lists(st.integers(1, 10**10), max_size=8))
def test_periods_only_grow_however_long_the_downtimes_are(seconds: int, downtimes: list[int]):
    schedule, now, periods = weekly(seconds=seconds), NOW_MS, []
    for downtime in downtimes:
        now += downtime
        found = due(schedule, now)
        if isinstance(found, DueVisit):
            periods.append(found.period)
            schedule = after_visit(schedule, ended(found.period, at=written(now), missed=found.missed), None)
    assert periods == sorted(set(periods))
    assert schedule.periods_missed == (periods[-1] - len(periods) if periods else 0)


def test_jitter_is_stable_spread_out_and_bounded():
    found = [jitter_ms(schedule_id("default", url), 7 * 86_400) for url in URLS]
    assert found == [jitter_ms(schedule_id("default", url), 7 * 86_400) for url in URLS]
    assert all(0 <= each < WEEK_MS / 10 for each in found)
    assert len({each // (WEEK_MS // 100) for each in found}) == 10, "a tenth of the week, all of it used"
    assert jitter_ms(schedule_id("default", URLS[0]), 365 * 86_400) < 86_400_000


def test_an_adaptive_visit_that_is_late_tells_how_many_distances_it_is_late():
    schedule = weekly().model_copy(update={"cadence": Adaptive(), "due_at": NOW, "next_period": 3})
    found = due_visit(schedule, adaptive_seconds=86_400, now_ms=NOW_MS + int(2.5 * 86_400_000))
    assert found == DueVisit(5, NOW_MS + 2 * 86_400_000, 2)


def test_a_pause_is_no_downtime():
    stopped = paused(weekly(), now=NOW)
    later = NOW_MS + 5 * WEEK_MS
    going = resumed(stopped, now=written(later))
    found = due(going, later)
    assert isinstance(found, DueVisit)
    assert (found.missed, going.paused_at) == (0, None)
    assert resumed(going, now=written(later)) == going
    assert paused(stopped, now=written(later)) == stopped


@given(DISTANCES, st.integers(1, 1000), st.integers(0, 10**10))
def test_another_cadence_goes_on_with_the_next_period(seconds: int, period: int, later: int):
    at = written(NOW_MS + later)
    schedule = after_visit(weekly(), ended(period, at=at), None)
    changed = with_terms(schedule, cadence=Every(every_seconds=seconds), options=JobOptions(), cited=False)
    assert changed.next_period == period + 1
    if seconds != 7 * 86_400:
        wanted = milliseconds(at) + seconds * 1000 + jitter_ms(schedule.id, seconds)
        assert due(changed, wanted) == DueVisit(period + 1, wanted, 0)
        assert isinstance(due(changed, wanted - 1), NotYet)


def test_the_same_terms_change_nothing():
    schedule = weekly()
    assert with_terms(schedule, cadence=schedule.cadence, options=schedule.options, cited=False) is schedule
    cited = with_terms(schedule, cadence=schedule.cadence, options=schedule.options, cited=True)
    assert with_terms(cited, cadence=schedule.cadence, options=schedule.options, cited=False).cited


@given(st.integers(0, 253_402_300_799_000))
def test_times_are_written_and_read_back(ms: int):
    assert milliseconds(written(ms)) == ms
