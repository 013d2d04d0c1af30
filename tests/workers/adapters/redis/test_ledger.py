"""Which segment is at which stage, on a real Valkey."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from schemas.records.job import Lane
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import STAGES, RedisLedger
from workers.errors import EpochError
from workers.frontier import names
from workers.ports import SegmentEntry, Stage


@pytest.fixture
def entry() -> Callable[..., SegmentEntry]:
    def make(number: int = 1, stage: Stage = "committed", *, since_ms: int = 1000) -> SegmentEntry:
        return SegmentEntry(
            segment_id=f"20261129T10000{number}Z-01ARZ3NDEKTSV4RRFFQ69G5FAV",
            job_id="job-1",
            lane=Lane.BULK,
            stage=stage,
            receipt_key=f"commits/job-1/b-1-000{number}.json",
            since_ms=since_ms,
        )

    return make


def test_a_segment_goes_through_the_stages_and_keeps_what_each_wrote(on_redis, entry):
    async def scenario(guard: Guard) -> None:
        ledger = RedisLedger(guard)
        first = entry()
        await ledger.advance(first)
        assert await ledger.at("committed") == [first]
        await ledger.advance(replace(first, stage="extracted", snapshots_key="text/s", prints_key="prints/s"))
        await ledger.advance(replace(first, stage="clustered", clusters_key="clusters/s", since_ms=5000))
        assert await ledger.at("committed") == []
        (found,) = await ledger.at("clustered")
        assert (found.snapshots_key, found.prints_key, found.clusters_key) == ("text/s", "prints/s", "clusters/s")
        assert found.since_ms == 5000
        assert await ledger.of_job("job-1") == [found]
        assert await ledger.depths() == {"committed": 0, "extracted": 0, "clustered": 1, "published": 0}

    on_redis(scenario)


@pytest.mark.parametrize("reached", STAGES)
def test_going_back_is_ignored(on_redis, entry, reached: Stage):
    async def scenario(guard: Guard) -> None:
        ledger = RedisLedger(guard)
        await ledger.advance(entry(stage=reached))
        for stage in STAGES[: STAGES.index(reached) + 1]:
            await ledger.advance(entry(stage=stage, since_ms=9000))
        assert await ledger.of_job("job-1") == [entry(stage=reached)]

    on_redis(scenario)


def test_segments_come_longest_there_first(on_redis, entry):
    async def scenario(guard: Guard) -> None:
        ledger = RedisLedger(guard)
        for number, since in ((1, 3000), (2, 1000), (3, 2000)):
            await ledger.advance(entry(number, since_ms=since))
        assert [found.since_ms for found in await ledger.at("committed")] == [1000, 2000, 3000]
        assert [found.since_ms for found in await ledger.at("committed", limit=1)] == [1000]
        await ledger.touch(entry(2).segment_id, now_ms=4000)
        touched = (await ledger.at("committed"))[-1]
        assert (touched.since_ms, touched.tries) == (4000, 1), "its message was sent again just now"

    on_redis(scenario)


def test_without_a_time_the_clock_of_redis_counts(on_redis, entry):
    async def scenario(guard: Guard) -> None:
        ledger = RedisLedger(guard)
        await ledger.advance(entry(since_ms=0))
        seconds, _ = await guard.client.time()
        (found,) = await ledger.at("committed")
        assert abs(found.since_ms - seconds * 1000) < 60_000

    on_redis(scenario)


def test_a_parked_segment_is_not_sent_again_and_comes_back_by_moving_on(on_redis, entry):
    async def scenario(guard: Guard) -> None:
        ledger = RedisLedger(guard)
        await ledger.advance(entry())
        await ledger.park(entry().segment_id, error="it did not get on", now_ms=2000)
        assert await ledger.at("committed") == []
        assert [found.parked for found in await ledger.of_job("job-1")] == [True]
        await ledger.touch(entry().segment_id, now_ms=3000)
        assert await ledger.at("committed") == []
        await ledger.advance(entry(stage="extracted"))
        assert [found.parked for found in await ledger.at("extracted")] == [False]

    on_redis(scenario)


def test_what_is_unknown_stays_unknown(on_redis):
    async def scenario(guard: Guard) -> None:
        ledger = RedisLedger(guard)
        await ledger.touch("20261129T100000Z-X", now_ms=1)
        await ledger.park("20261129T100000Z-X", error="it did not get on", now_ms=1)
        assert await ledger.of_job("job-1") == []
        assert await guard.client.keys("*") == [names.EPOCH.encode()]

    on_redis(scenario)


def test_an_emptied_redis_is_an_epoch_error_and_never_an_empty_ledger(on_redis, entry):
    async def scenario(guard: Guard) -> None:
        ledger = RedisLedger(guard)
        await ledger.advance(entry())
        await guard.client.flushall()
        for call in (
            lambda: ledger.advance(entry()),
            lambda: ledger.at("committed"),
            lambda: ledger.of_job("job-1"),
            lambda: ledger.touch(entry().segment_id, now_ms=1),
            ledger.depths,
        ):
            with pytest.raises(EpochError):
                await call()

    on_redis(scenario)


def test_a_job_is_not_captured_while_links_of_a_segment_are_to_be_taken(on_redis, job):
    """Completion is read from sets at one moment: what a page links to may become known later."""

    async def scenario(guard):
        frontier, ledger = RedisFrontier(guard), RedisLedger(guard)
        await frontier.open_job(job())
        await frontier.close_intake("job-1")
        seen = []
        for segment, leaves in (("s-1", "extracted"), ("s-2", "parked")):
            entry = SegmentEntry(segment, "job-1", Lane.BULK, "committed", "commits/x", follows=True)
            await ledger.advance(entry)
            await ledger.advance(replace(entry, follows=False))
            seen.append((await frontier.progress("job-1")).captured_all)
            if leaves == "parked":
                await ledger.park(segment, error="torn", now_ms=1)
            else:
                await ledger.advance(replace(entry, stage="extracted"))
            seen.append((await frontier.progress("job-1")).captured_all)
        await ledger.advance(SegmentEntry("s-3", "job-1", Lane.BULK, "committed", "commits/x"))
        seen.append((await frontier.progress("job-1")).captured_all)
        return seen

    assert on_redis(scenario) == [False, True, False, True, True]


def test_what_workers_say_is_kept_until_the_segment_moves_on(on_redis, entry):
    async def scenario(guard: Guard) -> None:
        ledger = RedisLedger(guard)
        await ledger.advance(entry())
        await ledger.fail(entry().segment_id, "the store is away", own=False, now_ms=2000)
        await ledger.fail(entry().segment_id, "torn", own=True, now_ms=3000)
        (found,) = await ledger.failing()
        assert (found.failures, found.put_off, found.error, found.failed) == (1, 1, "torn", True)
        assert found.since_ms == 3000
        await ledger.touch(entry().segment_id, now_ms=4000)
        assert await ledger.failing() == []
        (found,) = await ledger.at("committed")
        assert (found.tries, found.failures, found.error) == (0, 1, "torn")
        await ledger.fail(entry().segment_id, "torn", own=True, now_ms=5000)
        await ledger.advance(entry(stage="extracted"))
        assert await ledger.failing() == []
        assert await ledger.at("extracted") == [entry(stage="extracted")]

    on_redis(scenario)


def test_a_parked_segment_is_listed_with_its_error_and_resumed_at_the_head_of_its_stage(on_redis, entry):
    async def scenario(guard: Guard) -> None:
        ledger = RedisLedger(guard)
        for number in range(1, 3):
            await ledger.advance(entry(number))
        await ledger.fail(entry(2).segment_id, "torn", own=True, now_ms=1500)
        await ledger.park(entry(2).segment_id, error="torn", now_ms=2000)
        await ledger.fail(entry(2).segment_id, "a worker that was late", own=True, now_ms=2500)
        assert [(found.segment_id, found.error) for found in await ledger.parked()] == [(entry(2).segment_id, "torn")]
        await ledger.resume(entry(2).segment_id)
        await ledger.resume(entry(1).segment_id)
        assert await ledger.parked() == []
        first, second = await ledger.at("committed")
        assert (first.segment_id, first.failures, first.since_ms) == (entry(2).segment_id, 0, 0)
        assert second == entry(1)

    on_redis(scenario)
