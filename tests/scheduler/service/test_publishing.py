"""When a manifest is due."""

from __future__ import annotations

import pytest

from scheduler.service.publishing import PublishLimits, has_ended, is_pressing
from schemas.records.job import Lane
from workers.ports import SegmentEntry, Stage

NOW = 1_790_000_000_000
LIMITS = PublishLimits(seconds=60, segments=3)


def entry(stage: Stage = "clustered", *, waited: float = 0, parked: bool = False) -> SegmentEntry:
    since = NOW - round(waited * 1000)
    return SegmentEntry("s", "job-1", Lane.BULK, stage, "commits/x", since_ms=since, parked=parked)


@pytest.mark.parametrize(
    ("waiting", "pressing"),
    [
        ([], False),
        ([entry()], False),
        ([entry(waited=59.9)], False),
        ([entry(waited=60)], True),
        ([entry()] * 2, False),
        ([entry()] * 3, True),
    ],
)
def test_what_waited_long_or_is_much_is_published(waiting: list[SegmentEntry], pressing: bool):
    assert is_pressing(waiting, LIMITS, now_ms=NOW) is pressing


@pytest.mark.parametrize(
    ("entries", "ended"),
    [
        ([entry(), entry("published")], True),
        ([entry(), entry("extracted")], False),
        ([entry(), entry("committed", parked=True)], True),
        ([], True),
    ],
)
def test_a_job_has_ended_when_no_segment_is_on_its_way(entries: list[SegmentEntry], ended: bool):
    assert has_ended(entries) is ended
