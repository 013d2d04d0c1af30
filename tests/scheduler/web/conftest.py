"""An archive with one finished job, over real stores, for the tests that ask the web process about it."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from deploy.demo.server import SampleWeb, sample_web
from scheduler.web.application import create_app
from schemas.records.job import JobOptions
from workers.config import Settings, process_environment
from workers.flows.publish import publish

PAGES = (
    ("courier", "/news/tidal-barrier"),
    ("portal", "/stories/tidal-barrier"),
    ("authority", "/barrier"),
    ("authority", "/status"),
    ("courier", "/news/withdrawn"),
    ("courier", "/drafts/next-week"),
)
UNREACHABLE = "http://10.0.0.1/private"


@dataclass(frozen=True)
class Filled:
    """What was archived."""

    settings: Settings
    job_id: str
    snapshots: tuple[str, ...]
    web: SampleWeb


@pytest.fixture(scope="module")
def filled(
    settings_in: Callable[[Path], Settings],
    tmp_path_factory: pytest.TempPathFactory,
    plane_over: Callable[[Settings], AbstractAsyncContextManager[Any]],
) -> Iterator[Filled]:
    """One job of seven URLs, captured, extracted, clustered and published."""
    folder = tmp_path_factory.mktemp("web")
    settings = settings_in(folder)
    with sample_web() as web:
        identifier, snapshots = asyncio.run(
            _fill(plane_over(settings), [*(web.url(*page) for page in PAGES), UNREACHABLE])
        )
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


async def _fill(plane: AbstractAsyncContextManager[Any], urls: list[str]) -> tuple[str, list[str]]:
    async with plane as running:
        archive = running.archive
        job = await running.job(urls, options=JobOptions(requisites=True))
        for message in await running.release():
            await running.capture(message)
        await running.deliver()
        await publish(await archive.publish_ports())
        return job.id, await archive.catalog.snapshots_of_job(job.id)
