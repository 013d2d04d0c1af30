"""Bulk batches are held while too much waits to be extracted, and not in turns with every segment."""

from __future__ import annotations

from scheduler.backpressure import Holding, hold


def test_they_are_held_from_the_limit_on_and_let_go_a_quarter_below_it() -> None:
    now = Holding()
    seen = []
    for waiting in (0, 99, 100, 99, 76, 75, 74, 75, 99, 100):
        now = hold(now, unextracted=waiting, most=100)
        seen.append(now.held)
    assert seen == [False, False, True, True, True, True, False, False, False, True]


def test_it_is_said_why_and_what_to_do() -> None:
    reason = hold(Holding(), unextracted=100, most=100).reason
    assert "100 segments or more wait to be extracted" in reason
    assert "CITEVAULT_EXTRACT_BACKLOG" in reason


def test_without_a_limit_nothing_is_held() -> None:
    assert hold(Holding(True, "x"), unextracted=10**6, most=0) == Holding()
