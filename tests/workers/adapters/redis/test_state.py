"""The epoch mark, the scheduler's lease, and signs of life on a real Valkey."""

from __future__ import annotations

import asyncio

import pytest

from schemas.records.job import Lane
from schemas.records.receipt import Token
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.liveness import Liveness, SignOfLife
from workers.adapters.redis.singleton import Singleton
from workers.adapters.redis.state import RedisState
from workers.errors import EpochError
from workers.frontier import names
from workers.frontier.epoch import Epoch, raise_epoch
from workers.ports import Batch, Lease, NotClaimed


def test_clearing_leaves_the_broker_the_scheduler_and_what_hosts_asked_for_alone(on_redis):
    async def scenario(guard: Guard) -> None:
        client, state = guard.client, RedisState(guard.client)
        for number in range(2500):
            await client.set(f"{names.TAG}:x:{number}", "1")
        stays = ["capture", "unacked", names.SINGLETON, names.ALIVE]
        stays += [names.PACE, names.strikes("a.test"), names.robots("https://a.test/robots.txt")]
        for key in stays:
            await client.set(key, "1")
        assert await state.clear() == 2500
        assert sorted(await client.keys("*")) == sorted(key.encode() for key in (*stays, names.EPOCH))

    on_redis(scenario)


def test_the_mark_changes_only_from_what_was_expected(on_redis):
    async def scenario(guard: Guard) -> None:
        state = RedisState(guard.client)
        assert await state.mark() == "1"
        assert not await state.swap_mark("", "2")
        assert await state.swap_mark("1", "2")
        await guard.client.delete(names.EPOCH)
        assert await state.mark() == ""
        assert await state.swap_mark("", "3")

    on_redis(scenario)


def test_one_scheduler_at_a_time(on_redis):
    async def scenario(guard: Guard) -> None:
        first, second = Singleton(guard.client, "s1"), Singleton(guard.client, "s2")
        assert await first.take()
        assert await first.take(), "the holder makes it longer"
        assert not await second.take()
        await second.leave()
        assert not await second.take(), "nobody gives back what another holds"
        await first.leave()
        assert await second.take()

    on_redis(scenario)


def test_a_lease_that_is_not_renewed_runs_out(on_redis):
    async def scenario(guard: Guard) -> None:
        assert await Singleton(guard.client, "s1", seconds=0.05).take()
        second = Singleton(guard.client, "s2")
        await asyncio.sleep(0.1)
        assert await second.take()

    on_redis(scenario)


def test_signs_of_life_are_kept_by_name(on_redis):
    async def scenario(guard: Guard) -> None:
        liveness = Liveness(guard.client)
        sign = SignOfLife(alive_at_ms=2, worked_at_ms=1, done={"released": 3}, trouble="no S3")
        await liveness.tell("scheduler", sign)
        await guard.client.hset(names.ALIVE, "older", '{"what": "is this"}')
        assert await liveness.all() == {"scheduler": sign}

    on_redis(scenario)


def test_a_process_follows_an_epoch_that_has_moved_on(on_redis, tmp_path):
    async def scenario(guard: Guard) -> None:
        store = DirectoryObjectStore(tmp_path)
        frontier = RedisFrontier(Guard(guard.client, Epoch(store)))
        with pytest.raises(EpochError):
            await frontier.jobs()
        await raise_epoch(store, now="2026-11-29T10:00:00Z", reason="first start")
        assert await frontier.jobs() == [], "a process that knows no epoch yet asks the store"
        await guard.client.set(names.EPOCH, "2+rebuilding")
        await raise_epoch(store, now="2026-11-29T10:00:00Z", reason="rebuild")
        with pytest.raises(EpochError):
            await frontier.jobs()
        await guard.client.set(names.EPOCH, "2")
        assert await frontier.jobs() == []
        await raise_epoch(store, now="2026-11-29T10:00:00Z", reason="rebuild")
        await guard.client.set(names.EPOCH, "3")
        assert await frontier.claim("b-1", worker="w", now_ms=1) == NotClaimed("unknown"), "within one call"

    on_redis(scenario)


def test_a_lease_does_not_follow(on_redis, tmp_path):
    async def scenario(guard: Guard) -> None:
        store = DirectoryObjectStore(tmp_path)
        await raise_epoch(store, now="2026-11-29T10:00:00Z", reason="first start")
        frontier = RedisFrontier(Guard(guard.client, Epoch(store, number=1)))
        lease = Lease(Batch("b-1", "job-1", Lane.BULK, ()), Token(epoch=1, counter=1), 60)
        await raise_epoch(store, now="2026-11-29T10:00:00Z", reason="rebuild")
        await guard.client.set(names.EPOCH, "2")
        await guard.client.hset(names.batch("b-1"), mapping={"state": "leased", "counter": "1"})
        for _ in range(2):
            with pytest.raises(EpochError):
                await frontier.heartbeat(lease, now_ms=1)
            with pytest.raises(EpochError):
                await frontier.commit(lease, {}, now_ms=1, ready_at_ms={}, last=True)

    on_redis(scenario)


def test_who_rebuilds_does_not_follow_another_who_does(on_redis, tmp_path):
    async def scenario(guard: Guard) -> None:
        store = DirectoryObjectStore(tmp_path)
        epoch = Epoch(store, number=1)
        epoch.rebuilding = True
        for reason in ("ours", "another's"):
            await raise_epoch(store, now="2026-11-29T10:00:00Z", reason=reason)
        await guard.client.set(names.EPOCH, "2+rebuilding")
        with pytest.raises(EpochError):
            await RedisFrontier(Guard(guard.client, epoch)).jobs()

    on_redis(scenario)
