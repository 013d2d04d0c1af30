"""The life of the scheduler: stand by, settle the epoch, tick, and begin again where Redis lost its state."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from scheduler.compaction import Tidied
from scheduler.control import Controls
from scheduler.rebuild import RebuildPorts, Rebuilt, Stragglers, settle
from scheduler.release import DEFAULT_LIMITS, Close, LaneLimits, Releaser
from scheduler.service.astray import Astray, LookAfter
from scheduler.service.clockwatch import ClockWatch, Times
from scheduler.service.compacting import Compacting
from scheduler.service.gauges import measure
from scheduler.service.holding import HoldBack
from scheduler.service.intakes import Intakes
from scheduler.service.publishing import PublishLimits, publication_is_due
from scheduler.service.set_aside import Aside, tell_aside
from scheduler.service.ticking import WorkLog, every
from scheduler.service.together import Work, pause, together
from scheduler.suspicion import DELIVERIES, Deaths
from scheduler.sweep import SweepLimits, SweepPorts, sweep
from scheduler.uploads import abort_orphans
from schemas.ids import utc_string
from schemas.messages import Queue
from schemas.records.job import Lane
from workers.errors import CitevaultError, EpochError, PermanentError, RetryableError
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
    control_seconds: float = 2.0
    publish_check_seconds: float = 1.0
    measure_seconds: float = 5.0
    tell_seconds: float = 2.0
    visit_seconds: float = 5.0
    pulse_seconds: float = 1.0
    """Between two looks whether Redis is older than it was."""
    remember_seconds: float = 30.0
    """Between two notes of its pulse in the store."""
    orphans_seconds: float = 900.0
    compact_seconds: float = 3600.0
    astray_seconds: float = 15.0
    lease_seconds: float = 60.0
    """Of a batch that was found without one."""
    intake_seconds: float = 30.0
    """An intake that stands still so long was cut off."""
    catch_up_seconds: float = 120.0
    """After a rebuild: twice a lease, when no worker of the old epoch is at work any more."""
    grace_seconds: float = 3.0
    """A tick may go on so long after it was asked to end."""
    deliveries: int = DELIVERIES
    """Of a batch without anything new, before it is taken apart, or its only URL parked."""
    deaths_seconds: float = 180.0
    """How long the death of a worker speaks against parking another batch's URL: so many leases as deliveries."""
    lanes: dict[Lane, LaneLimits] = field(default_factory=lambda: dict(DEFAULT_LIMITS))
    unextracted: int = 2000
    """Segments that may wait to be extracted before bulk captures wait for them; 0: any number."""
    compact_files: int = 0
    """New files of captures that may stand before they are joined; 0: any number."""
    sweep: SweepLimits = field(default_factory=SweepLimits)
    publish: PublishLimits = field(default_factory=PublishLimits)


@dataclass(frozen=True, slots=True)
class ServicePorts:
    """What the scheduler needs of an archive."""

    rebuild: RebuildPorts
    announcer: Announcer
    clock: Clock
    times: Times
    waiting: Callable[[Queue], Awaitable[int]]
    """Messages in a queue that no worker has taken."""
    lease: Lease
    tell: Callable[[WorkLog, int], Awaitable[None]]
    """Write down a sign of life, at this time in ms."""
    visit: Callable[[], Callable[[datetime], Awaitable[int]]]
    """What plans re-snapshots and takes them in, anew for each life; each call is one step at this time."""
    publish: Callable[[], Awaitable[int]]
    """Publish what is clustered; how many manifests were made."""
    close: Close | None = None
    """End a batch that must not go out again."""
    astray: Astray | None = None
    """Finds what the frontier has lost sight of."""
    aside: Aside | None = None
    """Batches that wait until an object is restored."""
    tidy: Callable[[], Awaitable[Tidied]] | None = None
    """Join small files and delete joined ones, in one run."""


@dataclass(slots=True)
class Service:
    """One scheduler. `stop` ends it from within its event loop."""

    ports: ServicePorts
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    log: WorkLog = field(default_factory=WorkLog)
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        """Let the running ticks come to their end, give the lease back, and return from `run`."""
        self._stopping.set()

    async def run(self) -> None:
        """Until stopped. Stores that are away are waited for."""
        while await self._stand_by():
            try:
                await together(
                    [self._keep_lease, self._serve], stopping=self._stopping, grace_seconds=self.ports.lease.seconds / 5
                )
            except (EpochError, _LostLeaseError) as reason:
                LOG.warning("begins again reason=%s", reason)
            finally:
                await self._leave()

    async def _stand_by(self) -> bool:
        """Wait for the lease. False: stopped."""
        said = False
        while not self._stopping.is_set():
            try:
                if await self.ports.lease.take():
                    LOG.info("this is the scheduler now")
                    return True
            except RetryableError as error:
                LOG.warning("Redis is away error=%s", error)
            if not said:
                LOG.info("standing by")
                said = True
            await pause(self.ports.lease.seconds / 3, self._stopping)
        return False

    async def _keep_lease(self, ending: asyncio.Event) -> None:
        """Take the lease again and again. _LostLeaseError: another has it, or it could run out before the works have
        ended."""
        seconds, monotonic = self.ports.lease.seconds, self.ports.clock.monotonic
        held_until = monotonic() + seconds
        await pause(seconds / 5, ending)
        while not ending.is_set():
            asked_at = monotonic()
            try:
                if not await self.ports.lease.take():
                    raise _LostLeaseError("another scheduler holds the lease")
                held_until = asked_at + seconds
            except RetryableError as error:
                if monotonic() > held_until - seconds * 2 / 5:
                    raise _LostLeaseError(error.what) from error
            await pause(seconds / 5, ending)

    async def _leave(self) -> None:
        try:
            await self.ports.lease.leave()
        except CitevaultError as error:
            LOG.warning("lease not given back error=%s", error)

    async def _serve(self, ending: asyncio.Event) -> None:
        """Settle the epoch, then tick until something ends it."""
        rebuilt = await self._settled(ending)
        if ending.is_set():
            return
        archive = self.ports.rebuild
        releaser = Releaser(
            archive.frontier,
            self.ports.announcer,
            lambda: archive.epoch.number or 0,
            self.limits.lanes,
            self.ports.close,
            self.limits.deliveries,
            Deaths(round(self.limits.deaths_seconds * 1000)),
        )
        holding = HoldBack(archive.ledger, releaser, self.log, self.limits.unextracted)
        watch = ClockWatch(self.ports.times, self.ports.clock)
        controls = Controls(archive.store, archive.frontier)
        visit = self.ports.visit()
        intakes = Intakes(archive.store, archive.frontier)
        stragglers = Stragglers(archive, rebuilt, self._now_ms() + round(self.limits.catch_up_seconds * 1000))
        ticks: list[tuple[float, str, Callable[[], Awaitable[int]]]] = [
            (self.limits.release_seconds, "released", lambda: self._by_the_clock(watch, releaser.release)),
            (self.limits.reclaim_seconds, "reclaimed", lambda: self._by_the_clock(watch, releaser.reclaim)),
            (self.limits.control_seconds, "controlled", lambda: controls.follow(self._now_ms())),
            (self.limits.sweep_seconds, "swept", self._sweep),
            (self.limits.orphans_seconds, "uploads aborted", self._abort_orphans),
            (self.limits.pulse_seconds, "pulse", archive.lineage.look),
            (self.limits.remember_seconds, "pulse noted", archive.lineage.remember),
            (self.limits.publish_check_seconds, "published", self._publish),
            (self.limits.visit_seconds, "visits", lambda: visit(self.ports.clock.now())),
            (self.limits.intake_seconds, "taken in", lambda: intakes.resume(self.ports.clock.now())),
            (self.limits.measure_seconds, "measured", self._measure),
            (self.limits.measure_seconds, "held back", holding.look),
            (self.limits.catch_up_seconds / 4, "caught up", lambda: self._catch_up(stragglers)),
        ]
        if self.ports.astray is not None:
            after = LookAfter(self.ports.astray, self.log, self.limits.lease_seconds)
            ticks.append((self.limits.astray_seconds, "listed again", lambda: after.look(self._now_ms())))
        aside = self.ports.aside
        if aside is not None:
            ticks.append((self.limits.measure_seconds, "told", lambda: tell_aside(aside, self.log)))
        if self.ports.tidy is not None:
            compacting = Compacting(
                archive.store, self.ports.clock, self.ports.tidy, self.log, self.limits.compact_files
            )
            ticks.append((self.limits.compact_seconds, "compacted", compacting.look))
        works: list[Work] = [self._tell, *(self._ticking(*each) for each in ticks)]
        await together(works, stopping=ending, grace_seconds=self.limits.grace_seconds)

    async def _by_the_clock(self, watch: ClockWatch, tick: Callable[[int], Awaitable[int]]) -> int:
        await watch.look()
        return await tick(self._now_ms())

    def _ticking(self, seconds: float, name: str, tick: Callable[[], Awaitable[int]]) -> Work:
        return lambda ending: every(seconds, name, tick, self.log, self._now_ms, ending)

    async def _settled(self, ending: asyncio.Event) -> Rebuilt | None:
        """Agree with store and Redis on the epoch, however long they take to answer."""
        while not ending.is_set():
            try:
                rebuilt = await settle(self.ports.rebuild, now=self._now())
            except CitevaultError as error:
                self.log.troubles["settle"] = str(error)
                LOG.warning("state not settled error=%s", error)
                await pause(2.0, ending)
                continue
            self.log.troubles.pop("settle", None)
            if rebuilt is not None:
                LOG.info(
                    "state rebuilt epoch=%d objects=%d outcomes=%d queued=%d",
                    rebuilt.epoch, rebuilt.objects, rebuilt.outcomes, rebuilt.queued,
                )  # fmt: skip
                for difference in rebuilt.differences:
                    LOG.error("rebuilt state differs from the store what=%s", difference)
                for damage in rebuilt.damaged:
                    LOG.error("damaged object parked key=%s error=%s", damage.key, damage.error)
            return rebuilt
        return None

    async def _catch_up(self, stragglers: Stragglers) -> int:
        return await stragglers.take_in(now_ms=self._now_ms(), now=self._now())

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

    async def _abort_orphans(self) -> int:
        return await abort_orphans(self.ports.rebuild.store.uploads, now=self.ports.clock.now())

    async def _publish(self) -> int:
        ports = self.ports.rebuild
        if await publication_is_due(ports.frontier, ports.ledger, self.limits.publish, now_ms=self._now_ms()):
            return await self.ports.publish()
        return 0

    async def _measure(self) -> int:
        await measure(self.ports.rebuild.frontier, self.ports.rebuild.ledger, self.ports.waiting)
        return 0

    async def _tell(self, ending: asyncio.Event) -> None:
        while not ending.is_set():
            try:
                await self.ports.tell(self.log, self._now_ms())
            except RetryableError as error:
                LOG.warning("no sign of life given error=%s", error)
            await pause(self.limits.tell_seconds, ending)

    def _now(self) -> str:
        return utc_string(self.ports.clock.now())

    def _now_ms(self) -> int:
        return round(self.ports.clock.now().timestamp() * 1000)


class _LostLeaseError(PermanentError):
    """Somebody else may be the scheduler by now."""
