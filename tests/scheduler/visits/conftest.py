"""An archive whose pages are visited again: real stores, a web that changes, and a clock that a test sets."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from plane_plugin import Plane

from scheduler.intake import SeedLines, read_urls
from scheduler.visits import Visiting, VisitLimits, VisitPorts
from scheduler.visits.enrolment import Enrolled, Terms, enrol
from scheduler.visits.shards import read_shard, shard_of
from schemas.ids import schedule_id, utc_string
from schemas.records.job import JobOptions, Seed
from schemas.records.schedule import Cadence, Every, Schedule
from schemas.urls.request import identity_of_request
from workers.adapters.clock import SystemClock
from workers.flows.publish import publish

DAY = timedelta(days=1)
WEEKLY = Every(every_seconds=7 * 86_400)
OPTIONS = JobOptions(requisites=False, allow_networks=("127.0.0.0/8",))
LIMITS = VisitLimits(gather_seconds=0)


@dataclass
class ShiftedClock(SystemClock):
    """The time of the whole archive, as far ahead as a test wants it."""

    ahead: timedelta = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.ahead


@dataclass
class Visited:
    """The archive, and a scheduler, on a clock that a test moves."""

    plane: Plane
    clock: ShiftedClock
    limits: VisitLimits = LIMITS
    _visiting: Visiting | None = field(default=None)

    @property
    def now(self) -> datetime:
        return self.clock.now()

    @now.setter
    def now(self, moment: datetime) -> None:
        self.clock.ahead += moment - self.clock.now()

    @property
    def ports(self) -> VisitPorts:
        archive = self.plane.archive
        return VisitPorts(archive.store, archive.frontier, archive.ledger, archive.catalog, archive.due)

    @property
    def visiting(self) -> Visiting:
        if self._visiting is None:
            self._visiting = Visiting(self.ports, self.limits)
        return self._visiting

    def die(self) -> None:
        """The scheduler is gone; the next step is another one's first."""
        self._visiting = None

    async def add(
        self, *urls: str, cadence: Cadence = WEEKLY, cited: bool = False, collection: str = "default"
    ) -> Enrolled:
        archive = self.plane.archive
        return await enrol(
            seeds(read_urls(urls)),
            Terms(collection, cadence, OPTIONS, cited),
            store=archive.store,
            catalog=archive.catalog,
            due=archive.due,
            now=utc_string(self.now),
        )

    async def archive_now(self, url: str) -> None:
        """A first capture, as `archive` makes it."""
        await self.plane.job([url], options=OPTIONS)
        await self.work()

    async def work(self) -> None:
        """What workers do, until nothing is left to do."""
        await self.plane.archive.frontier.wake(now_ms=self.plane.now_ms())
        while batches := await self.plane.release():
            for batch in batches:
                assert await self.plane.capture(batch)
            await self.plane.deliver()
            await publish(await self.plane.archive.publish_ports())

    async def visit(self) -> int:
        """Plan what is due, let it be made, take it in; how many visits that were."""
        planned = await self.visiting.step(self.now)
        await self.work()
        await self.visiting.step(self.now)
        return planned

    async def try_again(self) -> None:
        """Wait until a visit without an answer was tried for the last time."""
        for _ in range(4):
            self.now += timedelta(hours=7)
            await self.work()
        await self.visiting.step(self.now)

    async def schedule(self, url: str, collection: str = "default") -> Schedule:
        name = schedule_id(collection, identity_of_request(url).url)  # type: ignore[union-attr]  # a good URL
        found = (await read_shard(self.plane.archive.store, shard_of(name))).get(name)
        assert found is not None
        return found

    async def verdicts(self, url: str) -> list[str]:
        return [visit.verdict.value for visit in (await self.schedule(url)).visits]


def seeds(lines: SeedLines) -> list[Seed]:
    return [line for line in lines if isinstance(line, Seed)]


@pytest.fixture
def revisited(
    plane: Callable[[], AbstractAsyncContextManager[Plane]], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., AbstractAsyncContextManager[Visited]]:
    """Opens the archive within a test's own event loop."""

    @asynccontextmanager
    async def opened(limits: VisitLimits = LIMITS) -> AsyncIterator[Visited]:
        async with plane() as running:
            clock, nanoseconds = ShiftedClock(), time.time_ns
            running.archive.clock = clock
            # Exchanges are stamped by the system's clock, which a test cannot set otherwise.
            monkeypatch.setattr(time, "time_ns", lambda: nanoseconds() + round(clock.ahead.total_seconds() * 1e9))
            yield Visited(running, clock, limits)

    return opened
