"""A clock that is set while work goes on: leases last as long as they were meant to, by a clock that nobody sets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from scheduler.service.clockwatch import ClockWatch
from schemas.records.job import JobOptions, Lane, StoredJob
from workers.adapters.redis.client import connect
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.permits import RedisPermits
from workers.adapters.redis.times import RedisTimes
from workers.errors import RetryableError
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.ports import Lease, NotBefore, NotClaimed, QueuedUrl

HOUR_MS = 3_600_000
URLS = [QueuedUrl(f"https://a.test/{page}", f"https://a.test/{page}", "a.test:443") for page in range(2)]
JOB = StoredJob(
    schema="citevault/stored-job@1",
    id="job-1",
    collection="default",
    lane=Lane.BULK,
    created_at="2026-11-29T10:00:00Z",
    options=JobOptions(),
    seed_parts=(),
    lines=0,
    seeds=0,
    duplicates=0,
    bad_lines=0,
)


@dataclass
class Machine:
    """Wall and monotonic clock of one machine, on which Redis runs too."""

    wall_ms: int = 1_790_000_000_000
    seconds: float = 1000.0
    ahead_of_redis_ms: int = 0

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.wall_ms / 1000, UTC)

    def monotonic(self) -> float:
        return self.seconds

    def passes(self, seconds: float) -> None:
        self.wall_ms += round(seconds * 1000)
        self.seconds += seconds


@dataclass(frozen=True)
class Times(RedisTimes):
    """Of a Redis whose clock is the machine's, unless they were set apart."""

    machine: Machine

    async def now_ms(self) -> int:
        return self.machine.wall_ms - self.machine.ahead_of_redis_ms


@dataclass
class House:
    machine: Machine
    frontier: RedisFrontier
    permits: RedisPermits
    times: Times
    watch: ClockWatch

    async def leased(self) -> Lease:
        """A batch in the hands of a worker."""
        await self.frontier.open_job(JOB)
        await self.frontier.admit(JOB.id, URLS)
        (batch,) = await self.frontier.release(now_ms=self.machine.wall_ms, batches=1, urls=9)
        lease = await self.frontier.claim(batch.batch_id, worker="w", now_ms=self.machine.wall_ms)
        assert isinstance(lease, Lease)
        return lease


Scenario = Callable[[House], Awaitable[None]]


@pytest.fixture
def on_house(redis_url: str) -> Callable[[Scenario], None]:
    def run(scenario: Scenario) -> None:
        async def within() -> None:
            async with connect(redis_url) as client:
                await client.set(names.EPOCH, "1")
                guard, machine = Guard(client, Epoch(number=1)), Machine()
                times = Times(guard, machine)
                watch = ClockWatch(times, machine)
                await scenario(House(machine, RedisFrontier(guard), RedisPermits(guard), times, watch))

        asyncio.run(within())

    return run


@pytest.mark.parametrize("jump_ms", [HOUR_MS, -HOUR_MS], ids=["ahead", "back"])
def test_a_lease_outlives_a_clock_that_is_set_by_an_hour_and_ends_when_it_was_meant_to(
    on_house: Callable[[Scenario], None], jump_ms: int
) -> None:
    async def scenario(house: House) -> None:
        machine, frontier = house.machine, house.frontier
        await house.watch.look()
        lease = await house.leased()
        machine.passes(20)
        machine.wall_ms += jump_ms
        await house.watch.look()
        assert await frontier.reclaim(now_ms=machine.wall_ms) == [], "40 s of the lease are left"
        again = await frontier.claim(lease.batch.batch_id, worker="other", now_ms=machine.wall_ms)
        assert again == NotClaimed("leased")
        assert await frontier.heartbeat(lease, now_ms=machine.wall_ms)
        machine.passes(61)
        await house.watch.look()
        assert [batch.batch_id for batch in await frontier.reclaim(now_ms=machine.wall_ms)] == [lease.batch.batch_id]

    on_house(scenario)


@pytest.mark.parametrize("jump_ms", [HOUR_MS, -HOUR_MS], ids=["ahead", "back"])
def test_a_lease_and_a_rest_that_began_between_the_jump_and_the_look_end_when_they_were_meant_to(
    on_house: Callable[[Scenario], None], jump_ms: int
) -> None:
    async def scenario(house: House) -> None:
        machine, frontier = house.machine, house.frontier
        await house.watch.look()
        machine.wall_ms += jump_ms
        lease = await house.leased()
        await house.permits.back_off(
            "b.test:443", strikes=1, now_ms=machine.wall_ms, ready_at_ms=machine.wall_ms + 9_000
        )
        machine.passes(0.2)
        await house.watch.look()
        assert await frontier.heartbeat(lease, now_ms=machine.wall_ms)
        refused = await house.permits.take("b.test:443", batch_id="b-1", now_ms=machine.wall_ms)
        assert refused == NotBefore(machine.wall_ms + 8_800, "paced")
        machine.passes(61)
        await house.watch.look()
        assert [batch.batch_id for batch in await frontier.reclaim(now_ms=machine.wall_ms)] == [lease.batch.batch_id]
        assert not isinstance(await house.permits.take("b.test:443", batch_id="b-1", now_ms=machine.wall_ms), NotBefore)

    on_house(scenario)


@pytest.mark.parametrize("jump_ms", [HOUR_MS, -HOUR_MS], ids=["ahead", "back"])
def test_a_host_rests_as_long_as_it_was_meant_to(on_house: Callable[[Scenario], None], jump_ms: int) -> None:
    async def scenario(house: House) -> None:
        machine, permits = house.machine, house.permits
        await house.watch.look()
        await permits.back_off("a.test:443", strikes=1, now_ms=machine.wall_ms, ready_at_ms=machine.wall_ms + 30_000)
        machine.wall_ms += jump_ms
        await house.watch.look()
        refused = await permits.take("a.test:443", batch_id="b-1", now_ms=machine.wall_ms)
        assert refused == NotBefore(machine.wall_ms + 30_000, "paced")
        machine.passes(31)
        await house.watch.look()
        assert not isinstance(await permits.take("a.test:443", batch_id="b-1", now_ms=machine.wall_ms), NotBefore)

    on_house(scenario)


def test_a_shift_of_one_name_is_made_once(on_house: Callable[[Scenario], None]) -> None:
    async def scenario(house: House) -> None:
        await house.leased()
        assert await house.times.shift(5000, now_ms=house.machine.wall_ms, name="after 1") > 0
        assert await house.times.shift(5000, now_ms=house.machine.wall_ms, name="after 1") == 0
        assert await house.times.shift(5000, now_ms=house.machine.wall_ms, name="after 2") > 0

    on_house(scenario)


def test_a_slow_clock_and_a_pause_move_nothing(on_house: Callable[[Scenario], None]) -> None:
    async def scenario(house: House) -> None:
        await house.watch.look()
        lease = await house.leased()
        house.machine.passes(59)
        house.machine.wall_ms -= 2000
        await house.watch.look()
        house.machine.passes(3.5)
        assert len(await house.frontier.reclaim(now_ms=house.machine.wall_ms)) == 1
        assert lease.seconds == 60

    on_house(scenario)


def test_where_only_this_machines_clock_is_wrong_it_is_told_and_waited_out(
    on_house: Callable[[Scenario], None],
) -> None:
    async def scenario(house: House) -> None:
        await house.watch.look()
        lease = await house.leased()
        house.machine.wall_ms += HOUR_MS
        house.machine.ahead_of_redis_ms = HOUR_MS
        with pytest.raises(RetryableError, match="3600 s ahead of Redis'"):
            await house.watch.look()
        house.machine.wall_ms -= HOUR_MS
        house.machine.ahead_of_redis_ms = 0
        await house.watch.look()
        assert await house.frontier.heartbeat(lease, now_ms=house.machine.wall_ms), "nothing was moved"

    on_house(scenario)
