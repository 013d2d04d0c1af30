"""A replica takes over without its primary's last writes (R045): the next look says so, whatever was lost, and the
state is rebuilt."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from deploy.chaos.replica import Pair, running_pair
from scheduler.rebuild import RebuildPorts, settle
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.client import connect
from workers.errors import EpochError
from workers.frontier.epoch import read_epoch

pytestmark = pytest.mark.real
Scenario = Callable[[RebuildPorts], Awaitable[None]]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with running_pair(tmp_path / "pair") as running:
        yield running


@pytest.fixture
def beside(pair: Pair, tmp_path: Path, new_rebuild_ports) -> Callable[[Scenario], None]:
    """Run a scenario in what is a process of its own as far as archive and Redis can tell."""

    def run(scenario: Scenario) -> None:
        async def within() -> None:
            client = connect(pair.url)
            try:
                await scenario(new_rebuild_ports(client, DirectoryObjectStore(tmp_path / "store")))
            finally:
                await client.aclose()

        asyncio.run(within())

    return run


def until_linked(pair: Pair) -> None:
    async def wait() -> None:
        while not pair.linked():
            await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(wait(), 30))


def test_a_job_that_the_replica_had_not_heard_of_comes_back(pair, beside, objects):
    async def begin(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        await ports.lineage.look()

    async def lose(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        await objects.job(ports)
        await ports.lineage.look()
        pair.take_over()
        await objects.redis(ports).connection_pool.disconnect()
        assert await ports.frontier.jobs() == [], "the replica has never heard of the job"
        with pytest.raises(EpochError, match="a replica took over"):
            await ports.lineage.look()

    async def find(ports: RebuildPorts) -> None:
        rebuilt = await settle(ports, now=objects.now)
        assert rebuilt is not None
        assert (rebuilt.epoch, rebuilt.jobs) == (2, 1)
        record = await read_epoch(ports.store)
        assert record is not None
        assert "a replica took over" in record.reason
        assert len(await ports.frontier.jobs()) == 1
        await ports.lineage.look()
        assert await settle(ports, now=objects.now) is None, "that takeover is mended for good"

    beside(begin)
    until_linked(pair)
    pair.lag()
    beside(lose)
    beside(find)
    beside(find_nothing_more(objects))


def find_nothing_more(objects) -> Scenario:
    async def find(ports: RebuildPorts) -> None:
        assert await settle(ports, now=objects.now) is None

    return find


def test_a_redis_that_went_back_is_found_by_the_pulse_that_the_store_remembers(on_archive, objects):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        for _ in range(5):
            await ports.lineage.look()
        await ports.lineage.remember()
        redis = objects.redis(ports)
        await redis.hincrby("{f}:lineage", "pulse", -3)  # as a copy of three seconds ago has it
        with pytest.raises(EpochError, match="went back"):
            await ports.lineage.look()
        rebuilt = await settle(ports, now=objects.now)
        assert rebuilt is not None
        assert rebuilt.epoch == 2
        assert await ports.lineage.look() == 0
        assert await settle(ports, now=objects.now) is None

    on_archive(scenario)


def test_the_next_process_finds_it_too(on_archive, objects, new_rebuild_ports):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        for _ in range(5):
            await ports.lineage.look()
        await ports.lineage.remember()
        await objects.redis(ports).hset("{f}:lineage", "pulse", 2)
        following = new_rebuild_ports(objects.redis(ports), ports.store)
        rebuilt = await settle(following, now=objects.now)
        assert rebuilt is not None
        assert rebuilt.epoch == 2

    on_archive(scenario)
