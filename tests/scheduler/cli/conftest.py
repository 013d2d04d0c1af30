"""The command line in this process, over real stores: one filled archive that is read, and empty ones to write to."""

from __future__ import annotations

import asyncio
import io
import ipaddress
import json
import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pytest
from plane_plugin import Plane
from pydantic import JsonValue

from deploy.demo.server import SampleWeb, sample_web
from scheduler.cli.root import run
from scheduler.intake import NothingToArchive, Order, accept, read_urls
from scheduler.stack.running import RunningStores, running_parts
from schemas.records.job import JobOptions, Lane, StoredJob
from workers.adapters.keys import create_key
from workers.config import Settings, process_environment
from workers.flows.publish import publish

OpenPlane = Callable[[Settings], AbstractAsyncContextManager[Plane]]
LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
CONTACT = "https://example.org/contact"
UNREACHABLE = "http://10.0.0.1/private"
IN_DATA_DIR = {"CITEVAULT_SPOOL_DIR", "CITEVAULT_METRICS_DIR", "CITEVAULT_SIGNING_KEY", "CITEVAULT_TIER_RULES"}
"""Not set, so that they follow `--data-dir` where a test gives another."""
NO_URL = "no\x1b[31m url"
PAGES = (
    ("courier", "/news/tidal-barrier"),
    ("portal", "/stories/tidal-barrier"),
    ("authority", "/barrier"),
    ("authority", "/status"),
    ("courier", "/news/withdrawn"),
    ("courier", "/drafts/next-week"),
)


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    stdout: bytes
    err: str

    @property
    def out(self) -> str:
        return self.stdout.decode("utf-8")

    @property
    def json(self) -> JsonValue:
        """Stdout as one JSON document; anything beside it is an error."""
        document: JsonValue = json.loads(self.stdout)
        return document


CommandLine = Callable[..., Said]


@pytest.fixture
def over(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> Callable[[Settings], CommandLine]:
    """The command line, configured by environment variables alone, as these settings say."""

    def configured(settings: Settings) -> CommandLine:
        for name in [name for name in os.environ if name.startswith(("CITEVAULT_", "AWS_"))]:
            monkeypatch.delenv(name)
        for name, value in process_environment(settings).items():
            if name not in IN_DATA_DIR:
                monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)

        def citevault(*arguments: str, stdin: bytes | BinaryIO = b"") -> Said:
            monkeypatch.setattr(
                sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin) if isinstance(stdin, bytes) else stdin)
            )
            capsysbinary.readouterr()
            code = run(list(arguments))
            out, err = capsysbinary.readouterr()
            return Said(code, out, err.decode("utf-8"))

        return citevault

    return configured


@pytest.fixture
def unconfigured(over: Callable[[Settings], CommandLine], tmp_path: Path) -> CommandLine:
    """The command line for what must be refused before any store is asked: no store answers here."""
    settings = Settings(
        data_dir=tmp_path,
        redis_url="redis://127.0.0.1:1/0",
        s3_endpoint="http://127.0.0.1:1",
        aws_access_key_id="key",
        aws_secret_access_key="secret",
        contact=CONTACT,
    )
    return over(settings)


@dataclass(frozen=True)
class Filled:
    """What was archived: two jobs, captured, extracted, clustered and published."""

    settings: Settings
    job: StoredJob
    later: StoredJob
    """Asked for the changing page alone, a second time."""
    snapshots: tuple[str, ...]
    """Of the first job, in order of retrieval."""
    web: SampleWeb


@pytest.fixture(scope="session")
def filled(seaweed: RunningStores, plane_over: OpenPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """An archive that tests read. Its Redis is its own, since others empty the shared one."""
    folder = tmp_path_factory.mktemp("cli")
    with running_parts(folder / "own", {"redis"}) as own, sample_web() as web:
        create_key(folder / "keys" / "signing.pem")
        settings = seaweed.reached_by(
            Settings(
                data_dir=folder,
                redis_url=own.redis_url,
                s3_prefix=f"cli-{secrets.token_hex(8)}",
                allow_networks=LOOPBACK,
                contact=CONTACT,
            )
        )
        job, later, snapshots = asyncio.run(_fill(settings, plane_over, web))
        yield Filled(settings, job, later, tuple(snapshots), web)


@pytest.fixture
def citevault(filled: Filled, over: Callable[[Settings], CommandLine]) -> CommandLine:
    """The command line over the filled archive."""
    return over(filled.settings)


@pytest.fixture
def empty(redis_url: str, plane_over: OpenPlane, tmp_path: Path) -> Settings:
    """An archive with a key and an epoch, and nothing else. Its store is a folder: a client for S3 takes longer to
    make than most of what is tested here."""
    create_key(tmp_path / "keys" / "signing.pem")
    settings = Settings(
        data_dir=tmp_path,
        redis_url=redis_url,
        s3_endpoint=(tmp_path / "store").as_uri(),
        allow_networks=LOOPBACK,
        contact=CONTACT,
    )

    async def begin() -> None:
        async with plane_over(settings):
            pass

    asyncio.run(begin())
    return settings


@pytest.fixture
def fresh(empty: Settings, over: Callable[[Settings], CommandLine]) -> CommandLine:
    """The command line over an empty archive."""
    return over(empty)


@pytest.fixture
def working(plane_over: OpenPlane) -> Callable[[Settings], AbstractContextManager[None]]:
    """Workers and publisher of an archive in a thread, for as long as a block lasts."""

    @contextmanager
    def started(settings: Settings) -> Iterator[None]:
        stop = threading.Event()

        async def work() -> None:
            async with plane_over(settings) as plane:
                while not stop.is_set():
                    await _advance(plane)
                    await asyncio.sleep(0.05)

        with ThreadPoolExecutor(1) as pool:
            worker = pool.submit(asyncio.run, work())
            try:
                yield
            finally:
                stop.set()
            worker.result(30)

    return started


async def _fill(settings: Settings, plane_over: OpenPlane, web: SampleWeb) -> tuple[StoredJob, StoredJob, list[str]]:
    async with plane_over(settings) as plane:
        urls = [*(web.url(*page) for page in PAGES), UNREACHABLE, NO_URL]
        job = await _finished(plane, urls)
        later = await _finished(plane, [web.url("authority", "/status")])
        return job, later, await plane.archive.catalog.snapshots_of_job(job.id)


async def _finished(plane: Plane, urls: list[str]) -> StoredJob:
    """A job as intake makes it, worked on until it is published."""
    archive = plane.archive
    options = JobOptions(allow_networks=("127.0.0.0/8",), requisites=True)
    order = Order("default", Lane.INTERACTIVE, options)
    job = await accept(read_urls(urls), order, store=archive.store, frontier=archive.frontier, now=archive.clock.now())
    assert not isinstance(job, NothingToArchive)
    for _ in range(200):
        await _advance(plane)
        progress = await archive.frontier.progress(job.id)
        if progress is not None and progress.captured_all:
            return job
        await asyncio.sleep(0.05)
    raise AssertionError("the archive was not filled in time")


async def _advance(plane: Plane) -> None:
    """Everything that is due: capture, extraction, clusters, a manifest."""
    for batch in await plane.release():
        await plane.capture(batch)
    if plane.inbox.messages:
        await plane.deliver()
        await publish(await plane.archive.publish_ports())
