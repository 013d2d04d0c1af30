"""Wiring: which adapter stands behind which port. The one place that knows all of them.

What only a worker needs (HTTP, Celery, numpy, the stages) is imported when it is first asked for: a command
that lists snapshots must not wait a second for libraries that it never calls.
"""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.ids import utc_string
from schemas.records.decision import Decision
from schemas.records.snapshot import SnapshotLine
from workers import config
from workers.adapters.announcer import CeleryAnnouncer
from workers.adapters.clock import SystemClock
from workers.adapters.keys import FileSigner, load_key
from workers.adapters.redis.catalog import RedisCatalog
from workers.adapters.redis.client import AsyncRedis, connect
from workers.adapters.redis.clusters import RedisClusters
from workers.adapters.redis.due import RedisDueQueue
from workers.adapters.redis.found import RedisFoundUrls
from workers.adapters.redis.frontier import FrontierLimits, RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.adapters.redis.permits import RedisPermits
from workers.adapters.redis.requisites import RedisRequisites
from workers.adapters.redis.revisits import RedisRevisits
from workers.adapters.redis.robots_copies import RedisRobotsCopies
from workers.adapters.redis.times import RedisTimes
from workers.adapters.redis.versions import RedisVersions
from workers.adapters.spool import SegmentSpool
from workers.adapters.stores import ClosableStore, open_store
from workers.adapters.tier_rules import policy_in_force
from workers.config import Settings
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.dedup.tiers import TierPolicy
from workers.flows.cluster_view import ClusterReader
from workers.flows.decisions import manual_groups, read_decisions
from workers.flows.publish import PublishPorts, publish_key
from workers.frontier.epoch import Epoch
from workers.publish.index import LogIndex
from workers.publish.leaves import Standing

if TYPE_CHECKING:
    from workers.adapters.http.fetcher import Fetcher
    from workers.adapters.redis.candidates import RedisCandidates
    from workers.extract.sandbox import Sandbox
    from workers.flows.bundle_ports import BundlePorts
    from workers.flows.capture.batches import Batches
    from workers.flows.capture.rests import Rests
    from workers.flows.capture.robots import RobotsCache
    from workers.flows.capture.settings import CapturePorts, CaptureSettings, SettlePorts
    from workers.flows.cluster import ClusterPorts
    from workers.flows.compact import CompactPorts, Progress
    from workers.flows.discover import Discovery
    from workers.flows.extract import ExtractPorts
    from workers.flows.reprocess import ReprocessPorts

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
    requisites: RedisRequisites
    versions: RedisVersions
    clusters: RedisClusters
    due: RedisDueQueue
    announcer: CeleryAnnouncer
    log_index: LogIndex
    _candidates: RedisCandidates | None = None
    _transport: Fetcher | None = None
    _robots: RobotsCache | None = None
    _sandbox: Sandbox | None = None
    _files: SegmentSpool | None = None
    _rests: Rests | None = None
    _batches: Batches | None = None
    _discovery: Discovery | None = None
    _kept: bool = False
    _decisions: tuple[Decision, ...] = ()
    _tiers: TierPolicy | None = None
    """What was read of the log; it only grows."""

    @property
    def candidates(self) -> RedisCandidates:
        """The LSH index."""
        from workers.adapters.redis.candidates import RedisCandidates

        if self._candidates is None:
            self._candidates = RedisCandidates(self.redis)
        return self._candidates

    @property
    def transport(self) -> Fetcher:
        """The HTTP client, with its pool of connections."""
        from workers.adapters.http.fetcher import Fetcher

        if self._transport is None:
            with suppress(OSError):  # no batch is begun before the spool can be written, and what is wrong is said
                self.settings.spool_dir.mkdir(parents=True, exist_ok=True)
            self._transport = Fetcher(spool_dir=self.settings.spool_dir)
        return self._transport

    @property
    def robots(self) -> RobotsCache:
        """Rules of the sites that this process has met."""
        from workers.flows.capture.robots import RobotsCache

        if self._robots is None:
            self._robots = RobotsCache(ROBOTS_TOKEN, self.clock, RedisRobotsCopies(self.guard))
        return self._robots

    @property
    def files(self) -> SegmentSpool:
        """Segments before they are stored. Made in the process that captures, since a fork would share its lock."""
        if self._files is None:
            self._files = SegmentSpool(self.settings.spool_dir)
        return self._files

    @property
    def sandbox(self) -> Sandbox:
        """The extractor in its child process; nothing is started before it is asked."""
        if self._sandbox is None:
            self._sandbox = self._new_sandbox()
        return self._sandbox

    def _new_sandbox(self) -> Sandbox:
        from workers.extract.limits import SandboxLimits
        from workers.extract.sandbox import Sandbox

        seconds = self.settings.extract_seconds
        return Sandbox(
            SandboxLimits(
                cpu_milliseconds=int(seconds * 1000),
                wall_milliseconds=int(seconds * 6000),
                memory_bytes=self.settings.extract_memory_bytes,
            )
        )

    @property
    def found(self) -> RedisFoundUrls:
        """What jobs have found by links."""
        return RedisFoundUrls(self.guard)

    @property
    def discovery(self) -> Discovery:
        """Takes links; remembers what the jobs of this process ask of them."""
        from workers.flows.discover import CrawlOrders, DiscoverPorts, Discovery
        from workers.flows.discover.sitemaps import StoredSitemaps

        if self._discovery is None:
            sitemaps = StoredSitemaps(self.store, self.catalog)
            ports = DiscoverPorts(self.store, self.catalog, self.frontier, self.found, sitemaps, ROBOTS_TOKEN)
            self._discovery = Discovery(ports, CrawlOrders(self.store))
        return self._discovery

    @property
    def times(self) -> RedisTimes:
        return RedisTimes(self.guard)

    def settle_ports(self) -> SettlePorts:
        from workers.flows.capture.settings import SettlePorts

        return SettlePorts(
            store=self.store,
            frontier=self.frontier,
            ledger=self.ledger,
            catalog=self.catalog,
            revisits=self.revisits,
            versions=self.versions,
            requisites=self.requisites,
            announcer=self.announcer,
            clock=self.clock,
        )

    def capture_ports(self) -> CapturePorts:
        from workers.flows.capture.batches import Batches
        from workers.flows.capture.rests import Rests
        from workers.flows.capture.settings import CapturePorts

        self._rests = self._rests or Rests()
        self._batches = self._batches or Batches(self.settings.capture_batches, self.settings.capture_connections)
        settle = self.settle_ports()
        shared = {each.name: getattr(settle, each.name) for each in fields(settle)}
        return CapturePorts(
            **shared,
            permits=RedisPermits(self.guard),
            files=self.files,
            rests=self._rests,
            batches=self._batches,
        )

    def capture_settings(self) -> CaptureSettings:
        from workers.capture.limits import FetchLimits
        from workers.capture.pacing import Pace
        from workers.capture.retries import RetrySchedule
        from workers.flows.capture.settings import CaptureSettings

        settings = self.settings
        return CaptureSettings(
            software=_software(),
            user_agent=settings.agent,
            worker=_worker_name(),
            contact=settings.contact or None,
            limits=FetchLimits(
                max_body_bytes=settings.max_body_bytes,
                max_head_bytes=settings.max_header_bytes,
                connect_seconds=settings.connect_seconds,
                idle_seconds=settings.idle_seconds,
                total_seconds=settings.total_seconds,
                min_bytes_per_second=settings.min_bytes_per_second,
            ),
            allowed_networks=settings.allow_networks,
            pace=Pace(
                answer_times=settings.host_delay_factor,
                least=settings.host_delay_min_seconds,
                most=settings.host_delay_max_seconds,
                most_crawl_delay=settings.crawl_delay_max_seconds,
                most_retry_after=settings.retry_after_max_seconds,
                least_back_off=settings.back_off_min_seconds,
                most_back_off=settings.back_off_max_seconds,
            ),
            address_hosts=settings.address_hosts,
            permit_patience_seconds=settings.permit_patience_seconds,
            retries=RetrySchedule.of(settings.retry_seconds),
            sync_bytes=settings.sync_bytes,
            sync_seconds=settings.sync_seconds,
            max_redirects=settings.max_redirects,
            batch_seconds=settings.batch_seconds,
            heartbeat_seconds=settings.heartbeat_seconds,
            spool_free_bytes=settings.spool_free_bytes,
            spool_place=str(settings.spool_dir),
            segment_bytes=settings.segment_bytes,
            segment_seconds=settings.segment_seconds,
            compression="zstd" if settings.warc_compression == "zstd" else "gzip",
        )

    def extract_ports(self) -> ExtractPorts:
        from workers.extract.decode import DecodeLimits
        from workers.flows.extract import ExtractPorts

        return ExtractPorts(
            store=self.store,
            catalog=self.catalog,
            ledger=self.ledger,
            announcer=self.announcer,
            extractor=self.sandbox,
            links=self.discovery,
            clock=self.clock,
            software=_software(),
            decoding=DecodeLimits(max_bytes=self.settings.max_decoded_bytes),
        )

    def reprocess_ports(self, processes: int) -> list[ReprocessPorts]:
        """One for each process, which whoever asks closes."""
        from workers.extract.decode import DecodeLimits
        from workers.flows.reprocess import ReprocessPorts

        return [
            ReprocessPorts(
                store=self.store,
                catalog=self.catalog,
                extractor=self._new_sandbox(),
                clock=self.clock,
                software=_software(),
                decoding=DecodeLimits(max_bytes=self.settings.max_decoded_bytes),
            )
            for _ in range(processes)
        ]

    def cluster_ports(self) -> ClusterPorts:
        from workers.flows.cluster import ClusterPorts

        return ClusterPorts(
            store=self.store,
            catalog=self.catalog,
            ledger=self.ledger,
            candidates=self.candidates,
            clusters=self.clusters,
            clock=self.clock,
        )

    def compact_ports(self, folder: Path, told: Callable[[Progress], None]) -> CompactPorts:
        """`folder`: where one new file at a time is made, by this process alone."""
        from workers.flows.compact import CompactPorts

        return CompactPorts(
            store=self.store,
            catalog=self.catalog,
            clock=self.clock,
            folder=folder,
            free_bytes=lambda: shutil.disk_usage(folder).free,
            software=_software(),
            told=told,
        )

    async def publish_ports(self) -> PublishPorts:
        """The policies in force and the public key are kept beside what is published under them; standing is looked
        up under the decisions that are in force now. PermanentError without a signing key."""
        signer = self.signer()
        if not self._kept:
            from workers.flows.bundle_policies import keep_policies

            await keep_policies(self.store, self.tiers())
            await publish_key(self.store, signer, spki_pem=signer.public_pem(), now=utc_string(self.clock.now()))
            self._kept = True
        decisions = self._decisions = await read_decisions(self.store, self._decisions)
        reader, manual = self.cluster_reader(), manual_groups(decisions)

        async def standing(line: SnapshotLine) -> Standing:
            return await reader.standing(line, manual=manual, decisions_sequence=len(decisions))

        return PublishPorts(
            store=self.store,
            ledger=self.ledger,
            signer=signer,
            index=self.log_index,
            standing_of=standing,
            now=lambda: utc_string(self.clock.now()),
        )

    async def bundle_ports(self) -> BundlePorts:
        """Where this process holds the signing key, what is not published yet is published first."""
        from workers.flows.bundle_ports import BundlePorts

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
        """The tier policy in force, with the user's own rules before it. PermanentError where these are no rules."""
        if self._tiers is None:
            path = self.settings.tier_rules
            self._tiers = policy_in_force(path, required=path != self.settings.data_dir / "tiers.json")
        return self._tiers

    def signer(self) -> FileSigner:
        """The key of the manifest log. PermanentError where there is none."""
        return load_key(self.settings.signing_key)

    async def close(self) -> None:
        """Give everything back, after what is in hand has come to an end."""
        if self._batches is not None:
            await self._batches.close()
        if self._transport is not None:
            await self._transport.close()
        if self._sandbox is not None:
            self._sandbox.close()
        if self._files is not None:
            self._files.close()
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
        requisites=RedisRequisites(guard),
        versions=RedisVersions(guard),
        clusters=RedisClusters(guard, PIPELINE_PARAMS),
        due=RedisDueQueue(guard),
        announcer=CeleryAnnouncer(settings.redis_url),
        log_index=LogIndex(),
    )
    try:
        yield archive
    finally:
        await archive.close()


def _software() -> str:
    return f"citevault/{config.version()}"


def _worker_name() -> str:
    return f"{socket.gethostname()}-{os.getpid()}"
