"""An archive with one finished job, over real stores, for the tests that ask the web process about it."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import redis
from fastapi.testclient import TestClient
from ulid import ULID

from deploy.demo.server import SampleWeb, sample_web
from scheduler.stack.running import RunningStores
from scheduler.web.application import create_app
from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.ids import job_id, ulid_time
from schemas.messages import CaptureBatch, ClusterSegment, ExtractSegment, TaskMessage
from schemas.records.job import JobOptions, Lane, StoredJob
from schemas.urls.conservative import normalize
from schemas.urls.error import UrlError
from workers.adapters.keys import create_key
from workers.bootstrap import Archive, open_archive
from workers.config import Settings, process_environment
from workers.flows.capture.batch import capture_batch
from workers.flows.cluster import cluster_segment
from workers.flows.extract import extract_segment
from workers.flows.publish import publish
from workers.frontier import names
from workers.frontier.epoch import raise_epoch
from workers.frontier.urls import politeness_key
from workers.ports import QueuedUrl

PAGES = (
    ("courier", "/news/tidal-barrier"),
    ("portal", "/stories/tidal-barrier"),
    ("authority", "/barrier"),
    ("authority", "/status"),
    ("courier", "/news/withdrawn"),
    ("courier", "/drafts/next-week"),
)
UNREACHABLE = "http://10.0.0.1/private"


@dataclass
class Inbox:
    """Takes what flows announce."""

    messages: list[TaskMessage] = field(default_factory=list)

    async def announce(self, message: TaskMessage) -> None:
        self.messages.append(message)


@dataclass(frozen=True)
class Filled:
    """What was archived."""

    settings: Settings
    job_id: str
    snapshots: tuple[str, ...]
    web: SampleWeb


@pytest.fixture(scope="module")
def filled(valkey: str, seaweed: RunningStores, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """One job of seven URLs, captured, extracted, clustered and published."""
    folder = tmp_path_factory.mktemp("web")
    with redis.Redis.from_url(valkey) as client:
        client.flushall()
    create_key(folder / "keys" / "signing.pem")
    settings = Settings(
        data_dir=folder,
        redis_url=valkey,
        s3_endpoint=seaweed.s3_endpoint,
        s3_bucket=seaweed.bucket,
        s3_prefix=folder.name,
        aws_access_key_id=seaweed.credentials.access_key,
        aws_secret_access_key=seaweed.credentials.secret_key,
        allow_networks=(ipaddress.ip_network("127.0.0.0/8"),),
        contact="https://example.org/contact",
    )
    with sample_web() as web:
        identifier, snapshots = asyncio.run(_fill(settings, [*(web.url(*page) for page in PAGES), UNREACHABLE]))
        yield Filled(settings, identifier, tuple(snapshots), web)


@pytest.fixture
def client(filled: Filled) -> Iterator[TestClient]:
    """Asks the application in this process."""
    with TestClient(create_app(filled.settings), base_url="http://127.0.0.1") as opened:
        yield opened


@pytest.fixture
def serve(repository: Path, tmp_path: Path) -> Callable[[Settings], AbstractContextManager[str]]:
    """Starts the web process as the stack does; gives its address."""

    @contextmanager
    def started(settings: Settings) -> Iterator[str]:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        environment = {**process_environment(settings), "PYTHONPATH": str(repository)}
        log = tmp_path / "web.log"
        with log.open("wb") as out:
            child = subprocess.Popen(
                [sys.executable, "-m", "scheduler.web", "--port", str(port)],
                env=environment, cwd=tmp_path, stdout=out, stderr=subprocess.STDOUT,
            )  # fmt: skip
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            child.terminate()
            try:
                child.wait(timeout=15)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
                pytest.fail(f"the web process did not stop: {log.read_text()[-2000:]}")

    return started


async def _fill(settings: Settings, urls: list[str]) -> tuple[str, list[str]]:
    async with open_archive(settings) as archive:
        record = await raise_epoch(archive.store, now="2026-11-29T00:00:00Z", reason="test")
        await archive.redis.set(names.EPOCH, str(record.epoch))
        inbox = Inbox()
        archive.announcer = inbox  # type: ignore[assignment]  # a port of another make
        identifier = job_id(str(ULID()))
        await _queue(archive, identifier, urls)
        for batch in await archive.frontier.release(now_ms=_now_ms(archive), batches=10, urls=100):
            message = CaptureBatch(
                schema="citevault/capture-batch@1",
                lane=batch.lane,
                job_id=batch.job_id,
                batch_id=batch.batch_id,
                epoch=record.epoch,
            )
            settings_of = archive.capture_settings()
            await capture_batch(message, archive.capture_ports(), settings_of, archive.transport, archive.robots)
        while inbox.messages:
            message_of = inbox.messages.pop(0)
            if isinstance(message_of, ExtractSegment):
                await extract_segment(message_of.receipt_key, archive.extract_ports())
            elif isinstance(message_of, ClusterSegment):
                await cluster_segment(message_of, archive.cluster_ports())
        await publish(await archive.publish_ports())
        return identifier, await archive.catalog.snapshots_of_job(identifier)


async def _queue(archive: Archive, identifier: str, urls: list[str]) -> None:
    job = StoredJob(
        schema="citevault/stored-job@1",
        id=identifier,
        collection="default",
        lane=Lane.INTERACTIVE,
        created_at=ulid_time(identifier),
        options=JobOptions(),
        seed_parts=(),
        lines=len(urls),
        seeds=len(urls),
        duplicates=0,
        bad_lines=0,
    )
    await archive.store.create(keys.job(job.id, job.created_at), canonical_bytes(job))
    await archive.frontier.open_job(job)
    await archive.frontier.admit(job.id, [_queued(url) for url in urls])
    await archive.frontier.close_intake(job.id)


def _queued(url: str) -> QueuedUrl:
    normalized = normalize(url)
    assert not isinstance(normalized, UrlError)
    return QueuedUrl(url, normalized.url, politeness_key(normalized.url))


def _now_ms(archive: Archive) -> int:
    return int(archive.clock.now().timestamp() * 1000)
