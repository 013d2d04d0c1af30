"""Health means work done, or nothing to do."""

from __future__ import annotations

import pytest

from scheduler.web.health import STALL_SECONDS, Load, Signs, judge

NOW = 1_800_000_000.0
NOTHING = Load(batches=0, ready_hosts=0, segments=0)
SOME = Load(batches=1, ready_hosts=2, segments=0)


@pytest.mark.parametrize(
    ("load", "last_work", "waiting_since", "status"),
    [
        (NOTHING, 0.0, 0.0, "idle"),
        (NOTHING, NOW - 10 * STALL_SECONDS, 0.0, "idle"),
        (SOME, NOW - 1, NOW - 10 * STALL_SECONDS, "working"),
        (SOME, NOW - 10 * STALL_SECONDS, NOW - 1, "working"),
        (SOME, NOW - STALL_SECONDS - 1, NOW - STALL_SECONDS - 1, "stalled"),
        (SOME, 0.0, NOW - STALL_SECONDS - 1, "stalled"),
        (Load(0, 0, 1), 0.0, NOW - STALL_SECONDS - 1, "stalled"),
    ],
)
def test_who_has_work_and_finishes_none_is_stalled(load, last_work, waiting_since, status):
    assert judge(load, Signs(last_work), waiting_since=waiting_since, now=NOW).status == status


def test_a_stall_says_what_waits_since_when_and_which_trouble_was_told():
    signs = Signs(NOW - 1200, ["worker-capture: no connection to Redis"])
    health = judge(SOME, signs, waiting_since=NOW - 5000, now=NOW)
    assert health.reason == (
        "1 batch, 2 hosts waiting, and nothing was finished for 20 minutes: worker-capture: no connection to Redis"
    )
    assert health.next_step
    assert health.last_work_at == "2027-01-15T07:40:00.000000Z"


def test_trouble_is_said_while_work_goes_on_too():
    assert "disk full" in judge(SOME, Signs(NOW, ["w: disk full"]), waiting_since=NOW, now=NOW).reason
    assert "disk full" in judge(NOTHING, Signs(NOW, ["w: disk full"]), waiting_since=NOW, now=NOW).reason
