"""The whole data plane in one process: real Valkey, real SeaweedFS, the sample web on loopback.

Several suites fill an archive with it. `plane` opens one for a single test; `plane_over` opens it over the stores of
any settings, so that a suite can fill an archive once.
"""

from __future__ import annotations

import ipaddress
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import redis
from ulid import ULID

from deploy.demo.server import SampleWeb, sample_web
from scheduler.stack.running import RunningStores
from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.ids import job_id, ulid_time
from schemas.messages import CaptureBatch, ClusterSegment, ExtractSegment, TaskMessage
from schemas.records.job import JobOptions, Lane, StoredJob
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request
from workers.adapters.keys import create_key
from workers.bootstrap import Archive, open_archive
from workers.bootstrap.settings import sandbox_limits
from workers.config import Settings
from workers.extract.sandbox import Sandbox
from workers.flows.capture.in_turn import capture_in_turn
from workers.flows.cluster import cluster_segment
from workers.flows.extract import extract_segment
from workers.frontier import names
from workers.frontier.epoch import raise_epoch, read_epoch
from workers.frontier.urls import politeness_key
from workers.ports import QueuedUrl


@pytest.fixture
def web() -> Iterator[SampleWeb]:
    """The demo's sample web."""
    with sample_web() as running:
        yield running


PAGES_ALONE = JobOptions(requisites=False)
"""What most suites want: so many URLs, so many captures."""


@dataclass
class Inbox:
    """Takes the messages that flows announce, so that a test delivers them itself, when and as often as it likes."""

    messages: list[TaskMessage] = field(default_factory=list)

    async def announce(self, message: TaskMessage) -> None:
        self.messages.append(message)


@dataclass
class Plane:
    """An open archive, and the steps of a job."""

    archive: Archive
    inbox: Inbox
    epoch: int

    async def job(
        self,
        urls: Sequence[str],
        *,
        collection: str = "default",
        options: JobOptions | None = None,
        lane: Lane = Lane.INTERACTIVE,
    ) -> StoredJob:
        """Store a job and queue its URLs, as intake does."""
        identifier = job_id(str(ULID()))
        job = StoredJob(
            schema="citevault/stored-job@1",
            id=identifier,
            collection=collection,
            lane=lane,
            created_at=ulid_time(identifier),
            options=options or PAGES_ALONE,
            seed_parts=(),
            lines=len(urls),
            seeds=len(urls),
            duplicates=0,
            bad_lines=0,
        )
        await self.archive.store.create(keys.job(job.id, job.created_at), canonical_bytes(job))
        await self.archive.frontier.open_job(job)
        await self.archive.frontier.admit(job.id, [queued(url) for url in urls])
        await self.archive.frontier.close_intake(job.id)
        return job

    def now_ms(self) -> int:
        return int(self.archive.clock.now().timestamp() * 1000)

    async def release(self, *, urls: int = 100, lane: Lane | None = None) -> list[CaptureBatch]:
        """Form batches, as messages."""
        batches = await self.archive.frontier.release(now_ms=self.now_ms(), batches=10, urls=urls, lane=lane)
        return [
            CaptureBatch(
                schema="citevault/capture-batch@1",
                lane=batch.lane,
                job_id=batch.job_id,
                batch_id=batch.batch_id,
                epoch=self.epoch,
            )
            for batch in batches
        ]

    async def capture(self, message: CaptureBatch) -> bool:
        archive = self.archive
        ports = archive.capture_ports()
        return bool(
            await capture_in_turn(message, ports, archive.capture_settings(), archive.transport, archive.robots, most=1)
        )

    async def deliver(self) -> None:
        """Run everything that was announced, until nothing is left."""
        while self.inbox.messages:
            message = self.inbox.messages.pop(0)
            if isinstance(message, CaptureBatch):
                await self.capture(message)
            elif isinstance(message, ExtractSegment):
                await extract_segment(message.receipt_key, self.archive.extract_ports())
            elif isinstance(message, ClusterSegment):
                await cluster_segment(message, self.archive.cluster_ports())


def queued(url: str) -> QueuedUrl:
    identity = identity_of_request(url)
    assert not isinstance(identity, UrlError)
    return QueuedUrl(url, identity.url, politeness_key(identity.url))


@dataclass
class WarmSandboxes:
    """One extractor for each set of limits, for all planes of a test run, as one worker has it for all its pages: to
    start a child takes longer than most of what is tested with it."""

    by_limits: dict[str, Sandbox] = field(default_factory=dict)

    @contextmanager
    def lent_to(self, archive: Archive) -> Iterator[None]:
        limits = sandbox_limits(archive.settings)
        if (name := limits.model_dump_json()) not in self.by_limits:
            self.by_limits[name] = Sandbox(limits)
        archive._sandbox = self.by_limits[name]
        try:
            yield
        finally:
            archive._sandbox = None

    def close(self) -> None:
        for sandbox in self.by_limits.values():
            sandbox.close()


@asynccontextmanager
async def open_plane(settings: Settings, sandboxes: WarmSandboxes) -> AsyncIterator[Plane]:
    """The data plane over these stores; an archive that has no epoch yet gets its first."""
    async with open_archive(settings) as archive:
        record = await read_epoch(archive.store)
        if record is None:
            record = await raise_epoch(archive.store, now="2026-11-29T00:00:00Z", reason="test")
            await archive.redis.set(names.EPOCH, str(record.epoch))
        inbox = Inbox()
        archive.announcer = inbox  # type: ignore[assignment]  # a port of another make
        with sandboxes.lent_to(archive):
            yield Plane(archive, inbox, record.epoch)


@pytest.fixture(scope="session")
def plane_over() -> Iterator[Callable[[Settings], AbstractAsyncContextManager[Plane]]]:
    """Opens the data plane over the stores of these settings, within the caller's event loop."""
    sandboxes = WarmSandboxes()
    yield lambda settings: open_plane(settings, sandboxes)
    sandboxes.close()


@pytest.fixture(scope="session")
def settings_in(valkey: str, seaweed: RunningStores) -> Callable[[Path], Settings]:
    """Settings of a new archive with its data in this folder: a signing key, a prefix that nobody else has, and an
    empty Redis, since all suites of a process share one, and what another left there is not in this archive."""

    def make(folder: Path) -> Settings:
        with redis.Redis.from_url(valkey) as client:
            client.flushall()
        create_key(folder / "keys" / "signing.pem")
        return seaweed.reached_by(
            Settings(
                data_dir=folder,
                redis_url=valkey,
                s3_prefix=folder.name,
                allow_networks=(ipaddress.ip_network("127.0.0.0/8"),),
                contact="https://example.org/contact",
            )
        )

    return make


@pytest.fixture
def plane(
    settings_in: Callable[[Path], Settings],
    plane_over: Callable[[Settings], AbstractAsyncContextManager[Plane]],
    tmp_path: Path,
) -> Callable[[], AbstractAsyncContextManager[Plane]]:
    """Opens the data plane within a test's own event loop."""
    settings = settings_in(tmp_path)
    return lambda: plane_over(settings)
