"""What the scheduler's parts need, taken from an open archive and its settings."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Awaitable, Callable
from datetime import datetime

from scheduler.compaction import tidy
from scheduler.rebuild import Lineage, RebuildPorts, Restoration, cluster_step
from scheduler.release import LaneLimits
from scheduler.service import ServiceLimits, ServicePorts
from scheduler.service.publishing import PublishLimits
from scheduler.service.ticking import WorkLog
from scheduler.sweep import SweepLimits
from scheduler.visits import Visiting, VisitLimits, VisitPorts
from scheduler.visits.queueing import queue_all
from schemas.records.job import Lane
from workers.adapters.redis.astray import AstrayUrls
from workers.adapters.redis.audit import RedisAudit
from workers.adapters.redis.lineage import RedisLineage
from workers.adapters.redis.liveness import Liveness, SignOfLife
from workers.adapters.redis.queues import RedisQueues
from workers.adapters.redis.singleton import Singleton
from workers.adapters.redis.state import RedisState
from workers.adapters.redis.times import RedisTimes
from workers.bootstrap import Archive
from workers.config import Settings
from workers.flows.publish import publish
from workers.frontier import names


def rebuild_ports_of(archive: Archive) -> RebuildPorts:
    """What a rebuild needs of an open archive."""

    async def schedules(work: Restoration) -> None:
        """Those with a visit on its way are among them; who plans visits knows of these, and drops them."""
        queued = await queue_all(archive.store, archive.due, park=work.park)
        work.rebuilt.objects += queued.objects

    return RebuildPorts(
        store=archive.store,
        frontier=archive.frontier,
        ledger=archive.ledger,
        catalog=archive.catalog,
        revisits=archive.revisits,
        requisites=archive.requisites,
        versions=archive.versions,
        found=archive.found,
        state=RedisState(archive.redis),
        audit=RedisAudit(archive.guard),
        epoch=archive.guard.epoch,
        lease=Singleton(archive.redis, _me(), key=names.REBUILDER),
        lineage=Lineage(archive.store, archive.guard.epoch, RedisLineage(archive.guard)),
        steps=(cluster_step(archive.cluster_ports()), schedules),
    )


def visit_ports_of(archive: Archive) -> VisitPorts:
    """What re-snapshots need of an open archive."""
    return VisitPorts(archive.store, archive.frontier, archive.ledger, archive.catalog, archive.due)


def ports_of(archive: Archive) -> ServicePorts:
    """What the scheduler needs of an open archive."""
    from scheduler.closing import Closer  # it knows the capture flow, which no command line waits for

    liveness = Liveness(archive.redis)

    async def tell(log: WorkLog, now_ms: int) -> None:
        sign = SignOfLife(
            alive_at_ms=now_ms, worked_at_ms=log.worked_at_ms, done=dict(log.done), trouble=log.trouble[:2000]
        )
        await liveness.tell("scheduler", sign)

    async def publish_now() -> int:
        return len(await publish(await archive.publish_ports()))

    def visit() -> Callable[[datetime], Awaitable[int]]:
        limits = VisitLimits(budget=archive.settings.visits_a_day)
        return Visiting(visit_ports_of(archive), limits).step

    return ServicePorts(
        rebuild=rebuild_ports_of(archive),
        announcer=archive.announcer,
        clock=archive.clock,
        times=RedisTimes(archive.guard),
        waiting=RedisQueues(archive.redis).waiting,
        lease=Singleton(archive.redis, _me()),
        tell=tell,
        visit=visit,
        publish=publish_now,
        close=Closer(archive.settle_ports()).close,
        astray=AstrayUrls(archive.guard),
        aside=archive.frontier.aside,
        tidy=lambda: tidy(archive.settings),
    )


def limits_of(settings: Settings) -> ServiceLimits:
    """The scheduler's limits as the settings have them."""
    workers = settings.capture_workers
    return ServiceLimits(
        catch_up_seconds=2 * settings.lease_seconds,
        lease_seconds=settings.lease_seconds,
        lanes={
            Lane.INTERACTIVE: LaneLimits(waiting=max(16, 4 * settings.interactive_workers), urls=10),
            Lane.BULK: LaneLimits(waiting=max(4, 2 * workers), urls=settings.batch_urls),
        },
        deliveries=settings.park_deliveries,
        deaths_seconds=settings.park_deliveries * settings.lease_seconds,
        unextracted=settings.extract_backlog,
        compact_files=settings.compact_files,
        sweep=SweepLimits(stuck_seconds=settings.stuck_seconds),
        publish=PublishLimits(
            seconds=settings.publish_seconds,
            segments=max(1, settings.publish_leaves // settings.batch_urls),
        ),
    )


def _me() -> str:
    """A name that no other process has, nor this one a second time."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(8)}"
