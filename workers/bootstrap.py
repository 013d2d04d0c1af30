"""Wiring: which adapter stands behind which port. The one place that knows all of them."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from schemas.ids import utc_string
from schemas.records.snapshot import SnapshotLine
from workers import config
from workers.adapters.announcer import CeleryAnnouncer
from workers.adapters.celery_app import make_app
from workers.adapters.clock import SystemClock
from workers.adapters.http.fetcher import Fetcher
from workers.adapters.keys import FileSigner, load_key
from workers.adapters.redis.candidates import RedisCandidates
from workers.adapters.redis.catalog import RedisCatalog
from workers.adapters.redis.client import AsyncRedis, connect
from workers.adapters.redis.clusters import RedisClusters
from workers.adapters.redis.frontier import FrontierLimits, RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.adapters.redis.revisits import RedisRevisits
from workers.adapters.spool import own_spool
from workers.adapters.stores import ClosableStore, open_store
from workers.capture.limits import FetchLimits
from workers.config import Settings
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.dedup.tiers import AmbiguousRules, TierPolicy, tier_policy
from workers.errors import PermanentError
from workers.extract.limits import SandboxLimits
from workers.extract.sandbox import Sandbox
from workers.flows.bundle_ports import BundlePorts
from workers.flows.capture.robots import RobotsCache
from workers.flows.capture.settings import CapturePorts, CaptureSettings
from workers.flows.cluster import ClusterPorts
from workers.flows.cluster_view import ClusterReader
from workers.flows.decisions import manual_groups, read_decisions
from workers.flows.extract import ExtractPorts
from workers.flows.publish import PublishPorts
from workers.frontier.epoch import Epoch
from workers.publish.index import LogIndex
from workers.publish.leaves import Standing

ROBOTS_TOKEN = "citevault"  # noqa: S105 (a product token, RFC 9309)


@dataclass(slots=True)
class Archive:
    """Every port of one process, open. Belongs to the event loop that opened it."""

    settings: Settings
    clock: SystemClock
    store: ClosableStore
    redis: AsyncRedis
    guard: Guard
    frontier: RedisFrontier
    ledger: RedisLedger
    catalog: RedisCatalog
    revisits: RedisRevisits
    candidates: RedisCandidates
    clusters: RedisClusters
    announcer: CeleryAnnouncer
    log_index: LogIndex
    transport: Fetcher
    robots: RobotsCache
    _sandbox: Sandbox | None = None

    def capture_ports(self) -> CapturePorts:
        return CapturePorts(
            self.store, self.frontier, self.ledger, self.catalog, self.revisits, self.announcer, self.clock
        )

    def capture_settings(self) -> CaptureSettings:
        settings = self.settings
        return CaptureSettings(
            software=_software(),
            user_agent=settings.agent,
            robots_token=ROBOTS_TOKEN,
            worker=_worker_name(),
            spool_dir=own_spool(settings.spool_dir),
            contact=settings.contact or None,
            limits=FetchLimits(
                max_body_bytes=settings.max_body_bytes,
                max_head_bytes=settings.max_header_bytes,
                connect_seconds=settings.connect_seconds,
                idle_seconds=settings.idle_seconds,
                total_seconds=settings.total_seconds,
            ),
            allowed_networks=settings.allow_networks,
            connections=settings.capture_connections,
            max_redirects=settings.max_redirects,
            batch_seconds=settings.batch_seconds,
            heartbeat_seconds=settings.heartbeat_seconds,
            segment_bytes=settings.segment_bytes,
            segment_seconds=settings.segment_seconds,
        )

    def extract_ports(self) -> ExtractPorts:
        if self._sandbox is None:
            self._sandbox = Sandbox(_sandbox_limits(self.settings))
        return ExtractPorts(
            store=self.store,
            catalog=self.catalog,
            ledger=self.ledger,
            announcer=self.announcer,
            extractor=self._sandbox,
            clock=self.clock,
            software=_software(),
        )

    def cluster_ports(self) -> ClusterPorts:
        return ClusterPorts(
            store=self.store,
            catalog=self.catalog,
            ledger=self.ledger,
            candidates=self.candidates,
            clusters=self.clusters,
            clock=self.clock,
        )

    async def publish_ports(self) -> PublishPorts:
        """Standing is looked up under the decisions that are in force now. PermanentError without a signing key."""
        decisions = await read_decisions(self.store)
        reader, manual = self.cluster_reader(), manual_groups(decisions)

        async def standing(line: SnapshotLine) -> Standing:
            return await reader.standing(line, manual=manual, decisions_sequence=len(decisions))

        return PublishPorts(
            store=self.store,
            ledger=self.ledger,
            signer=self.signer(),
            index=self.log_index,
            standing_of=standing,
            now=lambda: utc_string(self.clock.now()),
        )

    async def bundle_ports(self) -> BundlePorts:
        """Where this process holds the signing key, what is not published yet is published first."""
        publishing = await self.publish_ports() if self.settings.signing_key.exists() else None
        return BundlePorts(
            store=self.store,
            catalog=self.catalog,
            clusters=self.clusters,
            index=self.log_index,
            tiers=self.tiers(),
            publishing=publishing,
        )

    def cluster_reader(self) -> ClusterReader:
        """Clusters with what they mean."""
        return ClusterReader(self.clusters, self.catalog, self.tiers())

    def tiers(self) -> TierPolicy:
        """The tier policy in force."""
        policy = tier_policy()
        if isinstance(policy, AmbiguousRules):
            raise PermanentError("the published tier policy contradicts itself", where="tiers@1")
        return policy

    def signer(self) -> FileSigner:
        """The key of the manifest log. PermanentError where there is none."""
        return load_key(self.settings.signing_key)

    async def close(self) -> None:
        """Give everything back."""
        await self.transport.close()
        if self._sandbox is not None:
            self._sandbox.close()
        await self.redis.aclose()
        self.store.close()


@asynccontextmanager
async def open_archive(settings: Settings) -> AsyncIterator[Archive]:
    """All ports over the stores that the settings name. Nothing is connected before it is used."""
    clock = SystemClock()
    store = open_store(settings)
    redis = connect(settings.redis_url)
    guard = Guard(redis, Epoch(store))
    archive = Archive(
        settings=settings,
        clock=clock,
        store=store,
        redis=redis,
        guard=guard,
        frontier=RedisFrontier(guard, FrontierLimits(lease_seconds=settings.lease_seconds)),
        ledger=RedisLedger(guard),
        catalog=RedisCatalog(guard, store),
        revisits=RedisRevisits(guard),
        candidates=RedisCandidates(redis),
        clusters=RedisClusters(guard, PIPELINE_PARAMS),
        announcer=CeleryAnnouncer(make_app(settings.redis_url)),
        log_index=LogIndex(),
        transport=Fetcher(),
        robots=RobotsCache(ROBOTS_TOKEN, clock),
    )
    try:
        yield archive
    finally:
        await archive.close()


def _software() -> str:
    return f"citevault/{config.version()}"


def _worker_name() -> str:
    return f"{socket.gethostname()}-{os.getpid()}"


def _sandbox_limits(settings: Settings) -> SandboxLimits:
    return SandboxLimits(
        cpu_milliseconds=int(settings.extract_seconds * 1000),
        wall_milliseconds=int(settings.extract_seconds * 6000),
        memory_bytes=settings.extract_memory_bytes,
    )
