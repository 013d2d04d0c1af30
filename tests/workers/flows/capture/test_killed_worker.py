"""A worker is killed at any point of a batch: nothing is lost or captured twice, and what was whole is not refetched.

The whole data plane is real: Valkey, SeaweedFS, and a capture process that gets SIGKILL. (Complaint: a file that ends
in the middle of a record after a stop.)
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator

from schemas import keys
from schemas.messages import CaptureBatch
from schemas.records.outcome import Outcome
from schemas.records.receipt import Receipt
from workers.adapters.clock import SystemClock
from workers.archive.journal import read_journal_of
from workers.archive.parsing import WarcRecord
from workers.archive.reading import read_file
from workers.config import Settings, process_environment
from workers.flows.capture.resume import drop_ended
from workers.flows.documents import read_object

pytestmark = [pytest.mark.real, pytest.mark.slow]

HOSTS, PAGES = 10, 6
LONE_WORKER = str(Path(__file__).with_name("lone_worker.py"))


class Site:
    """Pages on many addresses, every third one with the same content; counts requests."""

    def __init__(self) -> None:
        self.hits: Counter[str] = Counter()
        self.urls: list[str] = []
        self._servers: list[ThreadingHTTPServer] = []

    def start(self) -> None:
        site = self

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                host = self.headers["Host"]
                url = f"http://{host}{self.path}"
                site.hits[url] += 1
                time.sleep(0.02)
                found = self.path != "/robots.txt"
                number = int(self.path.removeprefix("/p")) if found else 0
                body = b"" if not found else b"<p>the same</p>" * 99 if number % 3 == 0 else os.urandom(4000)
                self.send_response(200 if found else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def handle(self) -> None:
                with suppress(ConnectionError):  # a killed client resets its connections
                    super().handle()

            def log_message(self, format: str, *args: object) -> None:
                """Counted, not printed."""

        for number in range(HOSTS):
            server = ThreadingHTTPServer((f"127.0.2.{number + 1}", 0), Answer)
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            self._servers.append(server)
            host, port = server.server_address[:2]
            self.urls += [f"http://{host!s}:{port}/p{page}" for page in range(PAGES)]

    def stop(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    @property
    def pages_asked(self) -> int:
        return sum(count for url, count in self.hits.items() if not url.endswith("robots.txt"))


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    site.start()
    yield site
    site.stop()


@pytest.fixture
def settings(settings_in: Callable[[Path], Settings], tmp_path: Path) -> Settings:
    """Small segments and frequent syncs, so that a second holds every step of a batch."""
    return replace(settings_in(tmp_path), sync_seconds=0.05, segment_seconds=0.3)


class Later(SystemClock):
    """Ten minutes on: every lease of the dead has ended."""

    def now(self) -> datetime:
        return super().now() + timedelta(minutes=10)


def kill_after(settings: Settings, message: CaptureBatch, site: Site, pages: int, seconds: float) -> None:
    """Let another process capture the batch, and kill it so long after that page was asked for."""
    worker = subprocess.Popen(
        [sys.executable, LONE_WORKER, message.model_dump_json()], env=process_environment(settings)
    )
    try:
        while site.pages_asked < pages and worker.poll() is None:
            time.sleep(0.002)
        time.sleep(seconds)
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()


def damaged(spool: Path, how: str, dice: random.Random) -> None:
    """What a crash of the machine may do to the open file besides."""
    for path in spool.rglob("*.open"):
        if how == "cut":
            os.truncate(path, dice.randrange(path.stat().st_size or 1))
        elif how == "garbage":
            with path.open("ab") as file:
                file.write(dice.randbytes(dice.randrange(1, 9000)))
        elif how == "half a member":
            with path.open("ab") as file:
                file.write(path.read_bytes()[:50])


def journaled(spool: Path) -> set[str]:
    return {
        visit.outcome.normalized_url
        for path in (*spool.rglob("*.warc.gz.open"), *spool.rglob("*.warc.gz"))
        for visit in read_journal_of(path).visits
    }


async def receipts_of(plane: Any, message: CaptureBatch) -> list[Receipt]:
    store = plane.archive.store
    found = [key async for key in store.list(keys.batch_receipts(message.job_id, message.batch_id))]
    return [await read_object(store, key, Receipt) for key in sorted(found)]


async def check_files(plane: Any, receipts: list[Receipt]) -> None:
    """Every stored file is whole and as its receipt says, and no revisit points at what is not stored."""
    stored: set[str] = set()
    referred: set[str] = set()
    for receipt in receipts:
        assert receipt.warc is not None
        assert receipt.cdxj is not None
        data = await plane.archive.store.get(receipt.warc.key)
        assert (len(data), hashlib.sha256(data).hexdigest()) == (receipt.warc.bytes, receipt.warc.sha256)
        members = list(read_file(io.BytesIO(data)))
        for member in members:
            assert isinstance(member.record, WarcRecord), member.record
            member.record.block.close()
            stored.add(member.record.id)
        assert len(members) == len(list(ArchiveIterator(io.BytesIO(data)))) == receipt.warc.entries
        hops = [*receipt.robots, *(hop for outcome in receipt.outcomes for hop in outcome.hops)]
        referred |= {hop.refers_to for hop in hops if hop.refers_to}
        places = {(place.offset, place.length) for hop in hops for place in hop.records}
        assert {(member.offset, member.length) for member in members[1:]} == places
        index = await plane.archive.store.get(receipt.cdxj.key)
        assert index.count(b"\n") == receipt.cdxj.entries == len(hops)
    assert referred <= stored


@pytest.mark.parametrize(
    ("pages", "seconds", "harm"),
    [
        (3, 0.0, ""),
        (25, 0.1, "cut"),
        (40, 0.0, ""),
        (40, 0.2, "garbage"),
        (55, 0.1, "half a member"),
        (60, 0.0, "cut"),
        (60, 0.05, ""),
        (60, 0.15, ""),
    ],
)
def test_a_killed_worker_loses_nothing(
    pages: int,
    seconds: float,
    harm: str,
    settings: Settings,
    site: Site,
    plane_over: Callable[[Settings], AbstractAsyncContextManager[Any]],
) -> None:
    dice = random.Random(pages)

    async def scenario() -> None:
        async with plane_over(settings) as plane:
            await plane.job(site.urls)
            (message,) = await plane.release()
            await asyncio.to_thread(kill_after, settings, message, site, pages, seconds)
            damaged(settings.spool_dir, harm, dice)
            before = await receipts_of(plane, message)
            there = journaled(settings.spool_dir)
            if not (before and before[-1].last):
                plane.archive.clock = Later()
                assert await plane.capture(message)
            receipts = await receipts_of(plane, message)
            await check_files(plane, receipts)
            assert [receipt.part for receipt in receipts] == list(range(len(receipts)))
            outcomes = [outcome for receipt in receipts for outcome in receipt.outcomes]
            assert Counter(outcome.requested_url for outcome in outcomes) == Counter(site.urls)
            assert {outcome.outcome for outcome in outcomes} <= {Outcome.CAPTURED, Outcome.REVISIT}
            committed = {outcome.normalized_url for receipt in before for outcome in receipt.outcomes}
            kept = committed if harm == "cut" else committed | there
            assert [url for url in kept if site.hits[url] != 1] == []
            assert all(site.hits[url] <= 2 for url in site.urls)
            # One that was killed after its last receipt left its file to the next batch of any job.
            await drop_ended(plane.archive.capture_ports(), at_least_seconds=0.0)
        assert [path for path in settings.spool_dir.rglob("*") if path.is_file()] == []

    asyncio.run(scenario())
