"""The life of the scheduler: stand by, settle the epoch, tick, and begin again where Redis lost its state."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from scheduler.rebuild import RebuildPorts, Rebuilt, catch_up, settle
from scheduler.release import DEFAULT_LIMITS, LaneLimits, Releaser
from scheduler.service.gauges import measure
from scheduler.service.intakes import Intakes
from scheduler.service.publishing import PublishLimits, publication_is_due
from scheduler.service.ticking import Work, every
from scheduler.sweep import SweepLimits, SweepPorts, sweep
from schemas.ids import utc_string
from schemas.messages import Queue
from schemas.records.job import Lane
from workers.errors import CitevaultError, EpochError, RetryableError
from workers.ports import Announcer, Clock

LOG = logging.getLogger(__name__)


class Lease(Protocol):
    """The right to be the one scheduler."""

    @property
    def seconds(self) -> float:
        """How long it lasts without being taken again."""

    async def take(self) -> bool: ...

    async def leave(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """How often what is looked at, and how long a thing may wait. Seconds."""

    release_seconds: float = 0.2
    reclaim_seconds: float = 1.0
    sweep_seconds: float = 5.0
    publish_check_seconds: float = 1.0
    measure_seconds: float = 5.0
    tell_seconds: float = 2.0
    intake_seconds: float = 30.0
    """An intake that stands still so long was cut off."""
    catch_up_seconds: float = 120.0
    """After a rebuild: twice a lease, when no worker of the old epoch is at work any more."""
    lanes: dict[Lane, LaneLimits] = field(default_factory=lambda: dict(DEFAULT_LIMITS))
    sweep: SweepLimits = field(default_factory=SweepLimits)
    publish: PublishLimits = field(default_factory=PublishLimits)


@dataclass(frozen=True, slots=True)
class ServicePorts:
    """What the scheduler needs of an archive."""

    rebuild: RebuildPorts
    announcer: Announcer
    clock: Clock
    waiting: Callable[[Queue], Awaitable[int]]
    """Messages in a queue that no worker has taken."""
    lease: Lease
    tell: Callable[[Work, int], Awaitable[None]]
    """Write down a sign of life, at this time in ms."""
    publish: Callable[[], Awaitable[int]]
    """Publish what is clustered; how many manifests were made."""


@dataclass(slots=True)
class Service:
    """One scheduler. `stop` ends it from within its event loop."""

    ports: ServicePorts
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    work: Work = field(default_factory=Work)
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        """Let the running ticks be cut off, give the lease back, and return from `run`."""
        self._stopping.set()

    async def run(self) -> None:
        """Until stopped. Stores that are away are waited for."""
        stopped = asyncio.create_task(self._stopping.wait())
        life = asyncio.create_task(self._live())
        try:
            await asyncio.wait({stopped, life}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            life.cancel()
            await asyncio.wait({stopped, life})
        if not life.cancelled():
            life.result()

    async def _live(self) -> None:
        while True:
            await self._stand_by()
            try:
                async with asyncio.TaskGroup() as group:
                    keeper = group.create_task(self._keep_lease())
                    await self._serve()
                    keeper.cancel()
            except* (EpochError, _LostLeaseError) as ended:
                LOG.warning("begins again reason=%s", _first(ended))
            finally:
                await self._leave()

    async def _stand_by(self) -> None:
        """Wait for the lease."""
        said = False
        while not await self._may_take():
            if not said:
                LOG.info("standing by: another scheduler holds the lease, or Redis is away")
                said = True
            await asyncio.sleep(self.ports.lease.seconds / 3)
        LOG.info("this is the scheduler now")

    async def _may_take(self) -> bool:
        try:
            return await self.ports.lease.take()
        except RetryableError as error:
            LOG.warning("Redis is away error=%s", error)
            return False

    async def _keep_lease(self) -> None:
        """Take the lease again and again; end everything before it could have run out."""
        held_until = self.ports.clock.monotonic() + self.ports.lease.seconds
        while True:
            await asyncio.sleep(self.ports.lease.seconds / 5)
            asked_at = self.ports.clock.monotonic()
            if await self._may_take():
                held_until = asked_at + self.ports.lease.seconds
            elif asked_at + self.ports.lease.seconds / 5 >= held_until:
                raise _LostLeaseError("the scheduler's lease was lost")

    async def _leave(self) -> None:
        try:
            await self.ports.lease.leave()
        except CitevaultError as error:
            LOG.warning("lease not given back error=%s", error)

    async def _serve(self) -> None:
        """Settle the epoch, take up what was cut off, then tick until something ends it."""
        rebuilt = await self._settled()
        releaser = Releaser(
            self.ports.rebuild.frontier,
            self.ports.announcer,
            lambda: self.ports.rebuild.epoch.number or 0,
            self.limits.lanes,
        )
        intakes = Intakes(self.ports.rebuild.store, self.ports.rebuild.frontier)
        until_ms = self._now_ms() + round(self.limits.catch_up_seconds * 1000)
        ticks: list[tuple[float, str, Callable[[], Awaitable[int]]]] = [
            (self.limits.release_seconds, "released", lambda: releaser.release(self._now_ms())),
            (self.limits.reclaim_seconds, "reclaimed", lambda: releaser.reclaim(self._now_ms())),
            (self.limits.sweep_seconds, "swept", self._sweep),
            (self.limits.publish_check_seconds, "published", self._publish),
            (self.limits.intake_seconds, "taken in", lambda: intakes.resume(self.ports.clock.now())),
            (self.limits.measure_seconds, "measured", self._measure),
            (self.limits.catch_up_seconds / 4, "caught up", lambda: self._catch_up(rebuilt, until_ms)),
        ]
        async with asyncio.TaskGroup() as group:
            group.create_task(self._tell())
            for seconds, name, tick in ticks:
                group.create_task(every(seconds, name, tick, self.work, self._now_ms))

    async def _settled(self) -> Rebuilt | None:
        """Agree with store and Redis on the epoch, however long they take to answer."""
        while True:
            try:
                rebuilt = await settle(self.ports.rebuild, now=self._now())
            except CitevaultError as error:
                self.work.troubles["settle"] = str(error)
                LOG.warning("state not settled error=%s", error)
                await asyncio.sleep(2.0)
                continue
            self.work.troubles.pop("settle", None)
            if rebuilt is not None:
                LOG.info(
                    "state rebuilt epoch=%d objects=%d outcomes=%d queued=%d",
                    rebuilt.epoch, rebuilt.objects, rebuilt.outcomes, rebuilt.queued,
                )  # fmt: skip
            return rebuilt

    async def _catch_up(self, rebuilt: Rebuilt | None, until_ms: int) -> int:
        """For a while after a rebuild, take in what workers of the old epoch still leave."""
        if rebuilt is None or self._now_ms() > until_ms:
            return 0
        return await catch_up(self.ports.rebuild, rebuilt.receipts)

    async def _sweep(self) -> int:
        ports = self.ports.rebuild
        swept = await sweep(
            SweepPorts(ports.store, ports.ledger, self.ports.announcer, self.ports.waiting),
            self.limits.sweep,
            now_ms=self._now_ms(),
            now=self._now(),
        )
        if swept.parked:
            LOG.error("segments parked count=%d", swept.parked)
        return swept.sent + swept.parked

    async def _publish(self) -> int:
        ports = self.ports.rebuild
        if await publication_is_due(ports.frontier, ports.ledger, self.limits.publish, now_ms=self._now_ms()):
            return await self.ports.publish()
        return 0

    async def _measure(self) -> int:
        await measure(self.ports.rebuild.frontier, self.ports.rebuild.ledger, self.ports.waiting)
        return 0

    async def _tell(self) -> None:
        while True:
            try:
                await self.ports.tell(self.work, self._now_ms())
            except RetryableError as error:
                LOG.warning("no sign of life given error=%s", error)
            await asyncio.sleep(self.limits.tell_seconds)

    def _now(self) -> str:
        return utc_string(self.ports.clock.now())

    def _now_ms(self) -> int:
        return round(self.ports.clock.now().timestamp() * 1000)


def _first(group: BaseExceptionGroup[CitevaultError]) -> BaseException:
    """The first error within a group, however deep."""
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner


class _LostLeaseError(RetryableError):
    """Somebody else may be the scheduler by now."""
