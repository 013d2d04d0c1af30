"""A slow answer holds back only itself: others are captured beside it, and it goes on when its task has ended."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from schemas import keys
from schemas.messages import CaptureBatch
from schemas.records.receipt import Receipt
from workers.flows.capture.batches import Batches
from workers.flows.capture.in_turn import PATIENCE_SECONDS, begin_in_turn
from workers.flows.documents import read_object

pytestmark = pytest.mark.real

SOON_SECONDS = 5.0
"""The floor of the requirement, from the hand-in to the receipt; without company it takes a fifth of it."""


@dataclass
class Dripping:
    """Hosts that answer at once, but under `/drip` a byte now and then until told to go on."""

    origins: list[str] = field(default_factory=list)
    go_on: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def site(socket_enabled: None) -> Iterator[Dripping]:
    site = Dripping()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path != "/robots.txt"
            body = f"<p>{self.path}".encode() * 20 if found else b""
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(ConnectionError):
                if self.path == "/drip":
                    while not site.go_on.wait(0.2) and len(body) > 1:
                        self.wfile.write(body[:1])
                        body = body[1:]
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nobody asks."""

    servers = [ThreadingHTTPServer((f"127.0.6.{number + 1}", 0), Answer) for number in range(4)]
    for server in servers:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    site.origins = [f"http://{server.server_address[0]!s}:{server.server_address[1]}" for server in servers]
    yield site
    site.go_on.set()
    for server in servers:
        server.shutdown()
        server.server_close()


@dataclass
class Worker:
    """One process' worth of batches over a real archive."""

    plane: Any
    batches: Batches

    async def takes(self, message: CaptureBatch) -> Any:
        archive = self.plane.archive
        ports = replace(archive.capture_ports(), batches=self.batches)
        return await begin_in_turn(message, ports, archive.capture_settings(), archive.transport, archive.robots)

    async def handed_in(self, *urls: str) -> tuple[str, CaptureBatch]:
        """A job of these pages, and its message."""
        job = await self.plane.job(urls)
        (message,) = await self.plane.release()
        return job.id, message

    async def captured(self, job_id: str) -> list[str]:
        """Paths of what is durable."""
        store = self.plane.archive.store
        receipts = [await read_object(store, key, Receipt) async for key in store.list(keys.receipts(job_id))]
        return sorted(each.requested_url.rpartition("/")[2] for receipt in receipts for each in receipt.outcomes)


@pytest.fixture
def working(
    settings_in: Any, tmp_path: Any, plane_over: Callable[[Any], AbstractAsyncContextManager[Any]]
) -> Callable[..., None]:
    """Runs a scenario with a worker that has so many batches at a time at most."""

    def run(scenario: Any, *, most: int = 4) -> None:
        async def within() -> None:
            async with plane_over(settings_in(tmp_path)) as plane:
                worker = Worker(plane, Batches(most))
                try:
                    await scenario(worker)
                finally:
                    await worker.batches.close()

        asyncio.run(within())

    return run


def test_a_page_is_durable_within_seconds_while_others_drip(working: Callable[..., None], site: Dripping) -> None:
    """Neither what is handed in later nor what is in the same batch waits for it."""
    first, second, third, fourth = site.origins

    async def scenario(worker: Worker) -> None:
        began = time.monotonic()
        slow, message = await worker.handed_in(f"{first}/drip", f"{second}/with")
        _, next_message = await worker.handed_in(f"{fourth}/drip")
        begun, _ = await worker.takes(message)
        assert await worker.takes(next_message) == [], "it was taken already"
        assert time.monotonic() - began < SOON_SECONDS, "the task does not wait for what drips"
        began = time.monotonic()
        quick, message = await worker.handed_in(f"{third}/quick")
        await worker.takes(message)
        assert await worker.captured(quick) == ["quick"]
        assert time.monotonic() - began < SOON_SECONDS
        while await worker.captured(slow) != ["with"]:
            assert time.monotonic() - began < SOON_SECONDS
            await asyncio.sleep(0.1)
        assert begun.goes_on
        site.go_on.set()
        assert await begun.work
        assert await worker.captured(slow) == ["drip", "with"]
        progress = await worker.plane.archive.frontier.progress(slow)
        assert progress.captured_all

    working(scenario)


def test_the_next_batch_begins_beside_the_last_pages_of_one(
    working: Callable[..., None], site: Dripping, monkeypatch: pytest.MonkeyPatch
) -> None:
    for lane in PATIENCE_SECONDS:
        monkeypatch.setitem(PATIENCE_SECONDS, lane, 60.0)

    async def scenario(worker: Worker) -> None:
        _, message = await worker.handed_in(*(f"{site.origins[0]}/{n}" for n in range(8)), f"{site.origins[1]}/drip")
        following, _ = await worker.handed_in(f"{site.origins[2]}/next")
        taking = asyncio.create_task(worker.takes(message))
        async with asyncio.timeout(30):
            while await worker.captured(following) != ["next"]:
                await asyncio.sleep(0.05)
        assert not taking.done(), "the task sees to both"
        site.go_on.set()
        assert [await each.work for each in await taking] == [True, True]

    working(scenario)


def test_no_more_batches_go_on_than_there_are_places(working: Callable[..., None], site: Dripping) -> None:
    async def scenario(worker: Worker) -> None:
        _, slow = await worker.handed_in(f"{site.origins[0]}/drip")
        job, quick = await worker.handed_in(f"{site.origins[1]}/quick")
        task = asyncio.create_task(worker.takes(slow))
        await asyncio.sleep(1.5)
        assert not task.done(), "the task keeps other messages from a process that has no place for them"
        assert await worker.captured(job) == []
        site.go_on.set()
        await task
        await worker.takes(quick)
        assert await worker.captured(job) == ["quick"]

    working(scenario, most=1)


def test_a_batch_that_workers_broke_off_twice_has_no_company(working: Callable[..., None], site: Dripping) -> None:
    async def scenario(worker: Worker) -> None:
        frontier = worker.plane.archive.frontier
        _, slow = await worker.handed_in(f"{site.origins[0]}/drip")
        for _ in range(2):
            await frontier.claim(slow.batch_id, worker="one that dies", now_ms=worker.plane.now_ms())
            await frontier.reclaim(now_ms=worker.plane.now_ms() + 10**6)
        job, _ = await worker.handed_in(f"{site.origins[1]}/quick")
        task = asyncio.create_task(worker.takes(slow))
        await asyncio.sleep(1.5)
        assert await worker.captured(job) == []
        site.go_on.set()
        await task
        assert await worker.captured(job) == ["quick"]

    working(scenario)


def test_a_process_that_ends_commits_what_it_has_and_gives_back_what_drips(
    working: Callable[..., None], site: Dripping
) -> None:
    async def scenario(worker: Worker) -> None:
        job, message = await worker.handed_in(f"{site.origins[0]}/drip", f"{site.origins[1]}/with")
        await worker.takes(message)
        await worker.batches.close()
        assert await worker.captured(job) == ["with"]
        (again,) = await worker.plane.release()
        assert again.batch_id != message.batch_id
        site.go_on.set()
        worker.batches = Batches()
        await worker.takes(again)
        assert await worker.captured(job) == ["drip", "with"]

    working(scenario)
