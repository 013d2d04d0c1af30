"""The ports of each stage, over what is open."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.ids import utc_string
from schemas.records.decision import Decision
from schemas.records.snapshot import SnapshotLine
from workers.adapters.announcer import CeleryAnnouncer
from workers.adapters.clock import SystemClock
from workers.adapters.redis.catalog import RedisCatalog
from workers.adapters.redis.client import connect
from workers.adapters.redis.clusters import RedisClusters
from workers.adapters.redis.due import RedisDueQueue
from workers.adapters.redis.frontier import FrontierLimits, RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.adapters.redis.permits import RedisPermits
from workers.adapters.redis.requisites import RedisRequisites
from workers.adapters.redis.revisits import RedisRevisits
from workers.adapters.redis.versions import RedisVersions
from workers.adapters.stores import open_store
from workers.bootstrap.opened import Opened
from workers.config import Settings
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.flows.decisions import manual_groups, read_decisions
from workers.flows.publish import PublishPorts, publish_key
from workers.frontier.epoch import Epoch
from workers.publish.index import LogIndex
from workers.publish.leaves import Standing

if TYPE_CHECKING:
    from workers.flows.bundle_ports import BundlePorts
    from workers.flows.capture.batches import Batches
    from workers.flows.capture.rests import Rests
    from workers.flows.capture.settings import CapturePorts, CaptureSettings, SettlePorts
    from workers.flows.cluster import ClusterPorts
    from workers.flows.compact import CompactPorts, Progress
    from workers.flows.extract import ExtractPorts
    from workers.flows.reprocess import ReprocessPorts


@dataclass(slots=True)
class Archive(Opened):
    """Every port of one process, open."""

    _rests: Rests | None = None
    _batches: Batches | None = None
    _kept: bool = False
    _decisions: tuple[Decision, ...] = ()

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
        from workers.bootstrap.settings import capture_settings

        return capture_settings(self.settings)

    def extract_ports(self) -> ExtractPorts:
        from workers.bootstrap.settings import software
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
            software=software(),
            decoding=DecodeLimits(max_bytes=self.settings.max_decoded_bytes),
        )

    def reprocess_ports(self, processes: int) -> list[ReprocessPorts]:
        """One for each process, which whoever asks closes."""
        from workers.bootstrap.settings import software
        from workers.extract.decode import DecodeLimits
        from workers.flows.reprocess import ReprocessPorts

        return [
            ReprocessPorts(
                store=self.store,
                catalog=self.catalog,
                extractor=self.new_sandbox(),
                clock=self.clock,
                software=software(),
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
        from workers.bootstrap.settings import software
        from workers.flows.compact import CompactPorts

        return CompactPorts(
            store=self.store,
            catalog=self.catalog,
            clock=self.clock,
            folder=folder,
            free_bytes=lambda: shutil.disk_usage(folder).free,
            software=software(),
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

    async def close(self) -> None:
        """Give everything back, after what is in hand has come to an end."""
        if self._batches is not None:
            await self._batches.close()
        await Opened.close(self)


@asynccontextmanager
async def open_archive(settings: Settings) -> AsyncIterator[Archive]:
    """All ports over the stores that the settings name. Nothing is connected before it is used."""
    clock = SystemClock()
    store = open_store(settings)
    redis = connect(settings.redis_url)
    guard = Guard(redis, Epoch(store))
    announcer = CeleryAnnouncer(settings.redis_url)
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
        announcer=announcer,
        log_index=LogIndex(),
    )
    with closing(announcer):
        try:
            yield archive
        finally:
            await archive.close()
