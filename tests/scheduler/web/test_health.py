"""Health means work done, or nothing to do."""

from __future__ import annotations

import asyncio

import pytest

from scheduler.web.health import STALL_SECONDS, Load, Signs, judge
from scheduler.web.load import read_load
from scheduler.web.room import open_room
from workers.frontier import names

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


def test_idle_is_said_of_nobody_who_has_open_urls():
    resting = judge(Load(0, 0, 0, resting=12), Signs(0.0), waiting_since=0.0, now=NOW)
    assert (resting.status, "12 URLs wait for the next turn" in resting.reason) == ("working", True)
    lost = Load(0, 0, 0, stranded=12)
    soon = judge(lost, Signs(0.0), waiting_since=NOW - 1, now=NOW)
    assert (soon.status, soon.reason) == ("working", "in work: 12 URLs in no queue")
    late = judge(lost, Signs(0.0), waiting_since=NOW - STALL_SECONDS - 1, now=NOW)
    assert (late.status, "citevault rebuild" in (late.next_step or "")) == ("stalled", True)


@pytest.mark.real
def test_a_job_whose_batches_nobody_knows_of_any_more_is_not_nothing_to_do(settings_in, plane_over, tmp_path):
    async def scenario() -> tuple[Load, Load]:
        settings = settings_in(tmp_path)
        async with plane_over(settings) as plane, open_room(settings) as room:
            await plane.job(["http://127.0.0.9:47111/"])
            await plane.release()
            before = await read_load(room)
            await plane.archive.redis.delete(names.LEASES)
            return before, await read_load(room)

    before, lost = asyncio.run(scenario())
    assert (before.batches, before.stranded) == (1, 0)
    assert (lost.batches, lost.stranded, lost.waits) == (0, 1, True)
