"""When the next round of visits is, in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.cli.next_round import next_round
from scheduler.visits import VisitLimits
from workers.ports import DueCounts

NOW = datetime(2026, 11, 30, 20, 40, tzinfo=UTC)
LIMITS = VisitLimits(gather_seconds=300, round_visits=2000)
FIRST_MS = round(NOW.timestamp() * 1000) - 60_000


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (DueCounts(waiting=3, due=0, first_ms=FIRST_MS + 90_000), None),
        (DueCounts(waiting=0, due=0, first_ms=None), None),
        (
            DueCounts(waiting=3, due=2, first_ms=FIRST_MS),
            "2 due and not on their way: the next round of visits is at 20:44:00Z (what is due waits up to 5m for",
        ),
        (DueCounts(waiting=3, due=2, first_ms=FIRST_MS - 3_600_000), "CITEVAULT_VISITS_A_DAY leave room"),
        (DueCounts(waiting=2000, due=2000, first_ms=FIRST_MS), "CITEVAULT_VISITS_A_DAY leave room"),
    ],
    ids=["nothing due yet", "no schedules", "waits for company", "overdue", "enough for a round"],
)
def test_what_is_due_is_told_when_it_is_visited(counts: DueCounts, said: str | None) -> None:
    sentence = next_round(counts, NOW, LIMITS)
    assert sentence is None if said is None else said in str(sentence)


@given(st.integers(1, 5000), st.integers(-10_000, 10_000))
def test_no_time_is_told_that_has_passed(due: int, ago: int) -> None:
    first = NOW - timedelta(seconds=ago)
    sentence = str(next_round(DueCounts(due, due, round(first.timestamp() * 1000)), NOW, LIMITS))
    begins = first + timedelta(seconds=LIMITS.gather_seconds)
    assert (f" at {begins:%H:%M:%S}Z" in sentence) == (begins > NOW and due < LIMITS.round_visits)
