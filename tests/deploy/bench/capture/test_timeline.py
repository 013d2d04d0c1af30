"""Time in which nobody is asked for a page is seen."""

from __future__ import annotations

import pytest

from deploy.bench.capture.timeline import Part, fetching_share, told

PARTS = (
    Part("one", formed=100.0, first=100.0, last=104.0, committed=105.0, urls=50),
    Part("one", formed=101.0, first=106.0, last=109.0, committed=110.0, urls=50),
    Part("two", formed=100.0, first=101.0, last=104.0, committed=105.0, urls=50),
)


def test_commits_and_pauses_are_no_time_of_fetching() -> None:
    assert fetching_share(PARTS, workers=2) == pytest.approx((4 + 3 + 3) / (2 * 10))


def test_moments_are_told_from_the_first_batch_on() -> None:
    lines = told(PARTS).splitlines()
    assert lines[2].split() == ["one", "50", "1.00", "6.00", "9.00", "10.00"]
    assert len(lines) == 4
