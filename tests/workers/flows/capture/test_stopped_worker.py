"""A worker that is told to stop ends soon, keeps what it has, and gives back the rest at once (no lease is waited out).

The whole data plane is real; in the last test so is Celery, which gets a SIGTERM while its child captures.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, closing, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from schemas import keys
from schemas.messages import CaptureBatch
from schemas.records.job import JobOptions
from schemas.records.receipt import Receipt
from workers.adapters.announcer import CeleryAnnouncer
from workers.config import process_environment
from workers.flows.capture.in_turn import capture_in_turn
from workers.flows.documents import read_object

pytestmark = pytest.mark.real

HOSTS, PAGES = 3, 10
ANSWER_SECONDS = 0.1
CELERY_SECONDS = 60.0


class Site:
    """Slow pages on a few hosts, each naming a picture of its own; `/never` does not answer."""

    def __init__(self) -> None:
        self.hits: Counter[str] = Counter()
        self.urls: list[str] = []
        self.origins: list[str] = []
        self._servers: list[ThreadingHTTPServer] = []
        self._over = threading.Event()

    def start(self) -> None:
        site = self

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.hits[f"http://{self.headers['Host']}{self.path}"] += 1
                site._over.wait(60 if self.path == "/never" else ANSWER_SECONDS)
                found = self.path != "/robots.txt"
                body = f"<p>{self.headers['Host']}{self.path}<img src={self.path}.gif>".encode() if found else b""
                self.send_response(200 if found else 404)
                self.send_header("Content-Type", "image/gif" if self.path.endswith("gif") else "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def handle(self) -> None:
                with suppress(ConnectionError):
                    super().handle()

            def log_message(self, format: str, *args: object) -> None:
                """Counted, not printed."""

        for number in range(HOSTS):
            server = ThreadingHTTPServer((f"127.0.3.{number + 1}", 0), Answer)
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            self._servers.append(server)
            self.origins.append(f"http://{server.server_address[0]!s}:{server.server_address[1]}")
            self.urls += [f"{self.origins[-1]}/p{page}" for page in range(PAGES)]

    def stop(self) -> None:
        self._over.set()
        for server in self._servers:
            server.shutdown()
            server.server_close()

    @property
    def pages_asked(self) -> int:
        return sum(count for url, count in self.hits.items() if url in self.urls)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    site.start()
    yield site
    site.stop()


async def captured(plane: Any, job_id: str) -> Counter[str]:
    """How often each URL has an outcome in the receipts of a job."""
    store = plane.archive.store
    receipts = [await read_object(store, key, Receipt) async for key in store.list(keys.receipts(job_id))]
    assert {each.outcome.value for receipt in receipts for each in receipt.outcomes} <= {"captured"}
    return Counter(each.requested_url for receipt in receipts for each in receipt.outcomes)


async def stopped_after(plane: Any, message: CaptureBatch, is_time: Callable[[], bool]) -> float:
    """Capture until it is time, then tell the batch to stop; how many seconds it took from there."""
    archive = plane.archive
    told: list[float] = []

    def stopping() -> bool:
        if is_time():
            told.append(time.monotonic())
        return bool(told)

    settings = replace(archive.capture_settings(), stop_seconds=1.0)
    ports = archive.capture_ports()
    assert await capture_in_turn(message, ports, settings, archive.transport, archive.robots, stopping, most=1)
    return time.monotonic() - told[0]


def test_a_stopped_worker_commits_what_it_has_and_the_rest_can_be_had_at_once(plane_with: Any, site: Site) -> None:
    async def scenario(plane: Any) -> None:
        job = await plane.job(site.urls)
        (message,) = await plane.release()
        seconds = await stopped_after(plane, message, lambda: site.pages_asked >= 6)
        assert seconds < 5.0
        first = await captured(plane, job.id)
        assert 3 <= len(first) < len(site.urls)
        asked = site.pages_asked
        assert asked == len(first)  # what was on its way had time to arrive
        for again in await plane.release():
            assert await plane.capture(again)
        assert await captured(plane, job.id) == Counter(site.urls)
        assert site.pages_asked == len(site.urls)
        progress = await plane.archive.frontier.progress(job.id)
        assert progress is not None
        assert progress.captured_all

    plane_with(scenario)


def test_an_answer_that_does_not_come_is_not_waited_for(plane_with: Any, site: Site) -> None:
    never = f"{site.origins[0]}/never"

    async def scenario(plane: Any) -> None:
        job = await plane.job([never, site.urls[-1]])
        (message,) = await plane.release()
        seconds = await stopped_after(plane, message, lambda: site.hits[never] > 0 and site.pages_asked > 0)
        assert seconds < 5.0
        assert never not in await captured(plane, job.id)
        (again,) = await plane.release()
        progress = await plane.archive.frontier.progress(job.id)
        assert progress is not None
        assert (progress.known, progress.done) == (2, 1)
        assert again.batch_id != message.batch_id

    plane_with(scenario)


def test_pages_whose_requisites_are_not_all_there_go_on_with_the_next_worker(plane_with: Any, site: Site) -> None:
    async def scenario(plane: Any) -> None:
        job = await plane.job(site.urls, options=JobOptions(requisites=True))
        (message,) = await plane.release()
        await stopped_after(plane, message, lambda: site.pages_asked >= 6)
        found = await plane.archive.frontier.reclaim(now_ms=plane.now_ms())
        assert [batch.batch_id for batch in found] in ([], [message.batch_id])  # []: nothing was pending just then
        for again in [message] if found else await plane.release():
            assert await plane.capture(again)
        assert await captured(plane, job.id) == Counter(site.urls)
        assert Counter({url: count for url, count in site.hits.items() if url in site.urls}) == Counter(site.urls)
        assert {site.hits[f"{url}.gif"] for url in site.urls} <= {1, 2}  # one may have been cut short
        progress = await plane.archive.frontier.progress(job.id)
        assert progress is not None
        assert progress.captured_all

    plane_with(scenario)


@pytest.fixture
def plane_with(
    settings_in: Any, tmp_path: Any, plane_over: Callable[[Any], AbstractAsyncContextManager[Any]]
) -> Callable[[Any], None]:
    """Runs a scenario over the data plane of an archive of its own."""

    def run(scenario: Any) -> None:
        async def within() -> None:
            async with plane_over(settings_in(tmp_path)) as plane:
                await scenario(plane)

        asyncio.run(within())

    return run


@pytest.mark.slow
def test_celery_ends_within_seconds_of_sigterm_and_its_child_with_it(
    plane_over: Callable[[Any], AbstractAsyncContextManager[Any]], settings_in: Any, tmp_path: Any, site: Site
) -> None:
    settings = settings_in(tmp_path)

    async def scenario() -> None:
        async with plane_over(settings) as plane:
            job = await plane.job(site.urls)
            (message,) = await plane.release()
            command = [sys.executable, "-m", "workers.tasks", "--queue", message.destination(), "--concurrency", "1"]
            worker = subprocess.Popen(command, env=process_environment(settings))
            try:
                with closing(CeleryAnnouncer(settings.redis_url)) as announcer:
                    await announcer.announce(message)
                deadline = time.monotonic() + CELERY_SECONDS
                while site.pages_asked < 6:
                    assert time.monotonic() < deadline
                    await asyncio.sleep(0.02)
                asked_at = time.monotonic()
                worker.send_signal(signal.SIGTERM)
                assert await asyncio.to_thread(worker.wait, 20) == 0
                assert time.monotonic() - asked_at < 15.0
            finally:
                worker.kill()
                worker.wait()
            first = await captured(plane, job.id)
            assert 3 <= len(first) < len(site.urls)
            for again in await plane.release():
                assert await plane.capture(again)
            assert await captured(plane, job.id) == Counter(site.urls)
            assert site.pages_asked == len(site.urls)

    asyncio.run(scenario())
