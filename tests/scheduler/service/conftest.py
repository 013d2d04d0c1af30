"""A scheduler over real stores, with a broker and a publisher that note what they are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from scheduler.rebuild import RebuildPorts
from scheduler.release import LaneLimits
from scheduler.service import Service, ServiceLimits, ServicePorts
from scheduler.service.publishing import PublishLimits
from scheduler.service.ticking import WorkLog
from scheduler.sweep import SweepLimits
from scheduler.visits import Visiting, VisitPorts
from schemas.messages import CaptureBatch, Queue, TaskMessage
from schemas.records.job import Lane
from workers.adapters.clock import SystemClock
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.astray import AstrayUrls
from workers.adapters.redis.client import connect
from workers.adapters.redis.due import RedisDueQueue
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.liveness import Liveness, SignOfLife
from workers.adapters.redis.queues import RedisQueues
from workers.adapters.redis.singleton import Singleton
from workers.adapters.redis.state import RedisState
from workers.adapters.redis.times import RedisTimes

LIMITS = ServiceLimits(
    release_seconds=0.02,
    reclaim_seconds=0.05,
    sweep_seconds=0.05,
    publish_check_seconds=0.05,
    measure_seconds=0.1,
    tell_seconds=0.05,
    intake_seconds=0.1,
    astray_seconds=0.1,
    lease_seconds=0.1,
    orphans_seconds=0.1,
    catch_up_seconds=2.0,
    lanes={lane: LaneLimits(waiting=4, urls=10) for lane in Lane},
    sweep=SweepLimits(stuck_seconds=0.2, tries=2),
    publish=PublishLimits(seconds=30, segments=100),
)


@dataclass
class House:
    """The stores of an archive and what its scheduler does there."""

    ports: RebuildPorts
    client: object
    redis_queues: RedisQueues
    announced: list[TaskMessage] = field(default_factory=list)
    published: list[str] = field(default_factory=list)

    @property
    def batches(self) -> list[CaptureBatch]:
        return [message for message in self.announced if isinstance(message, CaptureBatch)]

    async def announce(self, message: TaskMessage) -> None:
        self.announced.append(message)

    async def waiting(self, queue: Queue) -> int:
        return await self.redis_queues.waiting(queue)

    async def publish(self) -> int:
        entries = await self.ports.ledger.at("clustered")
        for entry in entries:
            self.published.append(entry.segment_id)
            await self.ports.ledger.advance(
                type(entry)(entry.segment_id, entry.job_id, entry.lane, "published", entry.receipt_key)
            )
        return 1 if entries else 0

    async def until(self, condition: Callable[[], Awaitable[bool] | bool], seconds: float = 10.0) -> None:
        """Wait for something to be so."""
        deadline = asyncio.get_running_loop().time() + seconds
        while True:
            answer = condition()
            if answer if isinstance(answer, bool) else await answer:
                return
            assert asyncio.get_running_loop().time() < deadline, "it never came to be so"
            await asyncio.sleep(0.02)


@pytest.fixture
def open_house(redis_url: str, tmp_path: Path, new_rebuild_ports: Callable[..., RebuildPorts]) -> Callable[[], object]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[House]:
        client, store = connect(redis_url), DirectoryObjectStore(tmp_path)
        ports = new_rebuild_ports(client, store)
        try:
            yield House(ports, client, RedisQueues(client))
        finally:
            await client.aclose()

    return opened


@pytest.fixture
def new_service() -> Callable[..., Service]:
    def make(house: House, me: str = "s1", seconds: float = 1.0, limits: ServiceLimits = LIMITS) -> Service:
        assert isinstance(house.ports.state, RedisState)
        liveness = Liveness(house.ports.state.client)

        async def tell(work: WorkLog, now_ms: int) -> None:
            sign = SignOfLife(
                alive_at_ms=now_ms, worked_at_ms=work.worked_at_ms, done=dict(work.done), trouble=work.trouble
            )
            await liveness.tell(me, sign)

        rebuild = house.ports
        due = RedisDueQueue(Guard(house.ports.state.client, rebuild.epoch))
        visit_ports = VisitPorts(rebuild.store, rebuild.frontier, rebuild.ledger, rebuild.catalog, due)
        return Service(
            ServicePorts(
                rebuild=house.ports,
                announcer=house,
                clock=SystemClock(),
                times=RedisTimes(Guard(house.ports.state.client, rebuild.epoch)),
                waiting=house.waiting,
                lease=Singleton(house.ports.state.client, me, seconds=seconds),
                tell=tell,
                visit=lambda: Visiting(visit_ports).step,
                publish=house.publish,
                astray=AstrayUrls(Guard(house.ports.state.client, rebuild.epoch)),
            ),
            limits,
        )

    return make
