"""Permits on a real Valkey: a host is asked by one at a time, over all batches and workers."""

from __future__ import annotations

from collections.abc import Callable

from schemas.records.job import StoredJob
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.permits import LOOK_AGAIN_MS, RedisPermits
from workers.frontier import names
from workers.frontier.limits import FrontierLimits
from workers.ports import AddressSlot, Lease, NotBefore, Permit, QueuedUrl

NOW = 1_790_000_000_000
LEASE_MS = 60_000

MakeJob = Callable[..., StoredJob]
MakeUrl = Callable[..., QueuedUrl]


async def with_one_url(guard: Guard, job: StoredJob, url: QueuedUrl) -> RedisFrontier:
    frontier = RedisFrontier(guard)
    await frontier.open_job(job)
    await frontier.admit(job.id, [url])
    await frontier.close_intake(job.id)
    return frontier


async def had(permits: RedisPermits, host: str, *, batch_id: str = "b-1", now_ms: int = NOW) -> Permit:
    permit = await permits.take(host, batch_id=batch_id, now_ms=now_ms)
    assert isinstance(permit, Permit)
    return permit


async def entered(permits: RedisPermits, who: str, *, most: int = 2, now_ms: int = NOW) -> AddressSlot:
    slot = await permits.enter("192.0.2.1", who, most=most, now_ms=now_ms)
    assert isinstance(slot, AddressSlot)
    return slot


def test_a_host_under_permit_is_nobody_elses_until_it_is_given_back(on_redis):
    async def scenario(guard: Guard) -> None:
        permits = RedisPermits(guard)
        permit = await had(permits, "a.test")
        for batch_id in ("b-1", "b-2"):
            refused = await permits.take("a.test", batch_id=batch_id, now_ms=NOW)
            assert refused == NotBefore(NOW + LOOK_AGAIN_MS, "busy")
        await had(permits, "b.test", batch_id="b-2")
        assert await permits.give_back(permit, now_ms=NOW, ready_at_ms=NOW)
        await had(permits, "a.test", batch_id="b-2")

    on_redis(scenario)


def test_a_host_is_given_back_with_the_rest_that_it_needs(on_redis):
    async def scenario(guard: Guard) -> None:
        permits = RedisPermits(guard)
        permit = await had(permits, "a.test")
        await permits.give_back(permit, now_ms=NOW, ready_at_ms=NOW + 4000)
        assert await permits.take("a.test", batch_id="b-1", now_ms=NOW) == NotBefore(NOW + 4000, "paced")
        await had(permits, "a.test", now_ms=NOW + 4000)

    on_redis(scenario)


def test_a_permit_of_a_killed_worker_comes_free_and_says_so_to_who_comes_back(on_redis):
    async def scenario(guard: Guard) -> None:
        permits = RedisPermits(guard)
        lost = await had(permits, "a.test")
        second = await had(permits, "a.test", batch_id="b-2", now_ms=NOW + LEASE_MS)
        later = NOW + LEASE_MS + 1
        assert not await permits.give_back(lost, now_ms=later, ready_at_ms=later + 9000)
        refused = await permits.take("a.test", batch_id="b-3", now_ms=later)
        assert isinstance(refused, NotBefore)
        assert refused.reason == "busy", "the second holder still has it"
        await permits.give_back(second, now_ms=later, ready_at_ms=later)
        assert await permits.take("a.test", batch_id="b-3", now_ms=later) == NotBefore(later + 9000, "paced"), (
            "the straggler's request was made, and counts"
        )

    on_redis(scenario)


def test_a_permit_that_is_kept_does_not_run_out_and_one_that_ran_out_is_not_brought_back(on_redis):
    async def scenario(guard: Guard) -> None:
        permits = RedisPermits(guard)
        permit = await had(permits, "a.test")
        slot = await entered(permits, "b-1 a.test", most=1)
        assert await permits.keep([permit], [slot], now_ms=NOW + LEASE_MS - 1) == 2
        assert isinstance(await permits.take("a.test", batch_id="b-2", now_ms=NOW + LEASE_MS + 1), NotBefore)
        refused = await permits.enter("192.0.2.1", "b-2 c.test", most=1, now_ms=NOW + LEASE_MS + 1)
        assert isinstance(refused, NotBefore)
        assert await permits.keep([permit], [slot], now_ms=NOW + 3 * LEASE_MS) == 0
        await had(permits, "a.test", batch_id="b-2", now_ms=NOW + 3 * LEASE_MS)
        assert await permits.keep([permit], [], now_ms=NOW + 3 * LEASE_MS) == 0, "it is another's now"

    on_redis(scenario)


def test_a_batch_has_its_hosts_to_itself(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await with_one_url(guard, job(), queued("https://a.test/0"))
        (batch,) = await frontier.release(now_ms=NOW, batches=1, urls=10)
        permits = RedisPermits(guard)
        assert isinstance(await permits.take("a.test", batch_id="b-other", now_ms=NOW), NotBefore)
        await had(permits, "a.test", batch_id=batch.batch_id)

    on_redis(scenario)


def test_a_host_under_permit_is_not_released_into_a_batch(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await with_one_url(guard, job(), queued("https://a.test/0"))
        permits = RedisPermits(guard)
        permit = await had(permits, "a.test")
        assert await frontier.release(now_ms=NOW, batches=1, urls=10) == []
        await permits.give_back(permit, now_ms=NOW, ready_at_ms=NOW + 3000)
        assert await frontier.release(now_ms=NOW + 2000, batches=1, urls=10) == [], "it is at rest"
        assert len(await frontier.release(now_ms=NOW + 3001, batches=1, urls=10)) == 1

    on_redis(scenario)


def test_a_host_that_is_always_asked_from_outside_gets_its_batch_all_the_same(on_redis, job: MakeJob, queued: MakeUrl):
    """Many pages want its pictures, and one page of its own waits."""

    async def scenario(guard: Guard) -> None:
        frontier = await with_one_url(guard, job(), queued("https://cdn.test/0"))
        permits = RedisPermits(guard)
        now = NOW
        permit: Permit | NotBefore = await had(permits, "cdn.test")
        formed = []
        for _ in range(40):
            formed += await frontier.release(now_ms=now, batches=1, urls=10)
            if formed:
                break
            now += 400
            if isinstance(permit, Permit):
                await permits.give_back(permit, now_ms=now, ready_at_ms=now + 900)
            permit = await permits.take("cdn.test", batch_id="b-other", now_ms=now + 901)
            now += 901
        assert len(formed) == 1
        assert now - NOW < 6000

    on_redis(scenario)


def test_a_release_that_does_not_come_back_holds_nobody_up(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await with_one_url(guard, job(), queued("https://a.test/0"))
        permits = RedisPermits(guard)
        permit = await had(permits, "a.test")
        await frontier.release(now_ms=NOW, batches=1, urls=10)
        await permits.give_back(permit, now_ms=NOW, ready_at_ms=NOW)
        assert isinstance(await permits.take("a.test", batch_id="b-1", now_ms=NOW + 1000), NotBefore)
        await had(permits, "a.test", now_ms=NOW + 3000)

    on_redis(scenario)


def test_a_host_whose_permit_ran_out_is_released(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await with_one_url(guard, job(), queued("https://a.test/0"))
        await had(RedisPermits(guard), "a.test")
        (batch,) = await frontier.release(now_ms=NOW + LEASE_MS, batches=1, urls=10)
        assert isinstance(await frontier.claim(batch.batch_id, worker="w", now_ms=NOW + LEASE_MS), Lease)

    on_redis(scenario)


def test_an_address_serves_a_few_hosts_at_a_time(on_redis):
    async def scenario(guard: Guard) -> None:
        permits = RedisPermits(guard)
        first = await entered(permits, "b-1 a")
        await entered(permits, "b-1 b", now_ms=NOW + 1000)
        full = NotBefore(NOW + 1000 + LOOK_AGAIN_MS, "full")
        assert await permits.enter("192.0.2.1", "b-1 c", most=2, now_ms=NOW + 1000) == full
        assert await entered(permits, "b-1 a", now_ms=NOW + 1000) == first, "again is harmless"
        assert isinstance(await permits.enter("192.0.2.2", "b-1 c", most=2, now_ms=NOW), AddressSlot)
        assert await permits.leave(first, now_ms=NOW + 1000, ready_at_ms=NOW + 1000)
        await entered(permits, "b-2 c", now_ms=NOW + 1000)
        assert isinstance(await permits.enter("192.0.2.1", "b-2 d", most=2, now_ms=NOW + 1000), NotBefore)
        await entered(permits, "b-2 d", now_ms=NOW + 1000 + LEASE_MS)

    on_redis(scenario)


def test_a_slot_at_rest_is_the_same_hosts_or_nobodys(on_redis):
    """Else a hundred hosts on one address would be asked one after the other without a pause."""

    async def scenario(guard: Guard) -> None:
        permits = RedisPermits(guard)
        slot = await entered(permits, "b-1 a", most=1)
        assert await permits.leave(slot, now_ms=NOW, ready_at_ms=NOW + 300)
        assert await permits.enter("192.0.2.1", "b-1 c", most=1, now_ms=NOW) == NotBefore(NOW + 300, "full")
        again = await entered(permits, "b-1 a", most=1)
        await permits.leave(again, now_ms=NOW, ready_at_ms=NOW + 300)
        await entered(permits, "b-1 c", most=1, now_ms=NOW + 300)
        assert not await permits.leave(slot, now_ms=NOW + 300, ready_at_ms=NOW + 900), "it is gone"

    on_redis(scenario)


def test_slots_of_an_address_leave_nothing_behind(on_redis):
    async def scenario(guard: Guard) -> None:
        permits = RedisPermits(guard, FrontierLimits(permit_seconds=0.02))
        await permits.enter("192.0.2.1", "b-1 a", most=2, now_ms=NOW)
        lives_ms = await guard.client.pttl(names.address("192.0.2.1"))
        assert 0 < lives_ms <= 40

    on_redis(scenario)


def test_how_often_a_host_was_busy_is_known_to_all_until_it_answers(on_redis):
    async def scenario(guard: Guard) -> None:
        permits = RedisPermits(guard)
        await permits.back_off("a.test", strikes=3, now_ms=NOW, ready_at_ms=NOW + 80_000)
        assert await permits.strikes(["b.test", "a.test"]) == {"a.test": 3}
        assert await permits.take("a.test", batch_id="b-1", now_ms=NOW) == NotBefore(NOW + 80_000, "paced")
        assert (await had(permits, "a.test", now_ms=NOW + 80_000)).strikes == 3
        await permits.back_off("a.test", strikes=0, now_ms=NOW, ready_at_ms=NOW)
        assert await permits.strikes(["a.test"]) == {}
        assert await permits.strikes([]) == {}

    on_redis(scenario)


def test_a_rest_is_never_made_shorter(on_redis):
    """`Retry-After: 3600` holds, whatever another worker that asked earlier says later."""

    async def scenario(guard: Guard) -> None:
        permits = RedisPermits(guard)
        await permits.back_off("a.test", strikes=1, now_ms=NOW, ready_at_ms=NOW + 3_600_000)
        await permits.back_off("a.test", strikes=2, now_ms=NOW, ready_at_ms=NOW + 20_000)
        assert await permits.take("a.test", batch_id="b-1", now_ms=NOW) == NotBefore(NOW + 3_600_000, "paced")

    on_redis(scenario)
