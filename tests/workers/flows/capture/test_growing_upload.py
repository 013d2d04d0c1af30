"""A WARC goes up while its batch still captures: over real stores, with a killed worker, and a store that fails.

(Complaint: an archive that is uploaded as one file at the end of a crawl, and a day's work that is lost before.)
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import http.client
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

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.messages import CaptureBatch
from schemas.records.receipt import Receipt
from workers import metrics
from workers.adapters.clock import SystemClock
from workers.adapters.s3.store import S3ObjectStore
from workers.adapters.stores import location_of
from workers.archive.growing_file import GrowingFile
from workers.config import Settings, process_environment
from workers.errors import RetryableError
from workers.flows.documents import read_object
from workers.ports import Upload

pytestmark = pytest.mark.real

MIB = 1024 * 1024
PAGES, PAGE_BYTES = 9, 2_450_000
"""Seven pages are a little more than two parts of 8 MiB, and six are less."""
OpenPlane = Callable[[Settings], AbstractAsyncContextManager[Any]]
LONE_WORKER = str(Path(__file__).with_name("lone_worker.py"))


class Later(SystemClock):
    """Ten minutes on: every lease has ended."""

    def now(self) -> datetime:
        return super().now() + timedelta(minutes=10)


class Pages:
    """Pages of noise on one host, so that they come one after the other. The last of them waits until it is let go."""

    def __init__(self, site: Any) -> None:
        noise = random.Random(11)
        self._site = site
        self._gates: list[threading.Event] = []
        self.urls = [site.url(f"/{number}") for number in range(PAGES)]
        for number in range(PAGES):
            site.says(f"/{number}", noise.randbytes(PAGE_BYTES), "Content-Type: application/octet-stream")
        self.gate = self.hold(PAGES - 1)

    def hold(self, number: int) -> threading.Event:
        """Let a page wait for this event."""
        gate, path = threading.Event(), f"/{number}"
        answer = self._site.answers[path]

        def wait_and_answer(connection: Any) -> None:
            gate.wait(120)
            connection.sendall(answer)

        self._site.answers[path] = wait_and_answer
        self._gates.append(gate)
        return gate

    def let_go(self) -> None:
        """Of all."""
        for gate in self._gates:
            gate.set()

    def asked(self) -> Counter[str]:
        paths = (request.split(b" ")[1].decode() for request in self._site.requests)
        return Counter(path for path in paths if path != "/robots.txt")


@pytest.fixture
def pages(raw_web: Any) -> Iterator[Pages]:
    served = Pages(raw_web("127.0.0.71"))
    yield served
    served.let_go()


@pytest.fixture
def settings(settings_in: Callable[[Path], Settings], tmp_path: Path) -> Settings:
    """One segment, however slow the machine is; frequent syncs."""
    return replace(settings_in(tmp_path), sync_seconds=0.1, segment_seconds=300.0, heartbeat_seconds=1.0)


async def uploads_of(plane: Any) -> list[Upload]:
    return [upload async for upload in plane.archive.store.uploads.begun(keys.WARC)]


async def until_parts(plane: Any, wanted: int) -> Upload:
    """Wait until so many parts of the one upload are in the store."""
    for _ in range(1200):
        for upload in await uploads_of(plane):
            if len(await plane.archive.store.uploads.parts(upload)) >= wanted:
                return upload
        await asyncio.sleep(0.05)
    raise AssertionError(f"there were never {wanted} parts")


async def receipts_of(plane: Any, message: CaptureBatch) -> list[Receipt]:
    store = plane.archive.store
    found = [key async for key in store.list(keys.batch_receipts(message.job_id, message.batch_id))]
    return [await read_object(store, key, Receipt) for key in sorted(found)]


async def check_objects(plane: Any, receipts: list[Receipt], pages: Pages) -> None:
    """Each stored file is as its receipt says, every URL has one outcome, and nothing is left behind."""
    for receipt in receipts:
        assert receipt.warc is not None
        data = await plane.archive.store.get(receipt.warc.key)
        assert (len(data), hashlib.sha256(data).hexdigest()) == (receipt.warc.bytes, receipt.warc.sha256)
    outcomes = [outcome for receipt in receipts for outcome in receipt.outcomes]
    assert Counter(outcome.requested_url for outcome in outcomes) == Counter(pages.urls)
    assert await uploads_of(plane) == []


def ended(how: str) -> float:
    return float(metrics.UPLOADS.labels(how)._value.get())


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.name != "lock"]


class Puts:
    """The store, with the WARC files that were stored by one PUT."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.whole: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def put(self, key: str, body: Any, **more: Any) -> None:
        if key.startswith(keys.WARC):
            self.whole.append(key)
        await self._store.put(key, body, **more)


def test_parts_are_in_the_store_before_the_batch_ends_and_only_the_rest_follows(
    plane_over: OpenPlane, settings: Settings, pages: Pages
) -> None:
    async def scenario() -> None:
        async with plane_over(settings) as running:
            store = running.archive.store = Puts(running.archive.store)
            before = ended("completed")
            await running.job(pages.urls)
            (message,) = await running.release()
            capture = asyncio.create_task(running.capture(message))
            upload = await until_parts(running, 2)
            assert not capture.done()
            assert await store.info(upload.key) is None, "nobody sees it before it is whole"
            pages.gate.set()
            assert await capture
            (receipt,) = await receipts_of(running, message)
            assert receipt.warc is not None
            assert receipt.warc.key == upload.key
            await check_objects(running, [receipt], pages)
            assert store.whole == []
            assert ended("completed") == before + 1

    asyncio.run(scenario())


def test_a_small_segment_is_one_put(plane_over: OpenPlane, settings: Settings, pages: Pages) -> None:
    async def scenario() -> None:
        async with plane_over(settings) as running:
            store = running.archive.store = Puts(running.archive.store)
            await running.job(pages.urls[:2])
            (message,) = await running.release()
            assert await running.capture(message)
            (receipt,) = await receipts_of(running, message)
            assert receipt.warc is not None
            assert store.whole == [receipt.warc.key]

    asyncio.run(scenario())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parts", "harm", "goes_on"),
    [(1, "", True), (2, "", True), (2, "torn above", True), (2, "torn below", False)],
    ids=["killed in the middle", "killed at rest", "torn above the parts", "torn below a part"],
)
def test_the_upload_of_a_killed_worker_is_gone_on_with(
    parts: int, harm: str, goes_on: bool, plane_over: OpenPlane, settings: Settings, pages: Pages
) -> None:
    async def scenario() -> None:
        async with plane_over(settings) as running:
            await running.job(pages.urls)
            (message,) = await running.release()
            worker = subprocess.Popen(
                [sys.executable, LONE_WORKER, message.model_dump_json()], env=process_environment(settings)
            )
            try:
                left = await until_parts(running, parts)
            finally:
                worker.send_signal(signal.SIGKILL)
                worker.wait()
            (open_file,) = settings.spool_dir.rglob("*.open")
            if harm:
                os.truncate(open_file, open_file.stat().st_size - 5 if harm == "torn above" else 2 * 8 * MIB - 5)
            resumed, aborted = ended("resumed"), ended("aborted")
            running.archive.store = Puts(running.archive.store)
            running.archive.clock = Later()
            pages.gate.set()
            assert await running.capture(message)
            receipts = await receipts_of(running, message)
            await check_objects(running, receipts, pages)
            assert receipts[0].warc is not None
            assert receipts[0].warc.key == left.key
            assert ended("resumed") - resumed == goes_on
            assert (ended("aborted") - aborted == 0) is goes_on
            assert (left.key in running.archive.store.whole) is not goes_on
            assert files(settings.spool_dir) == []
            most = 2 if harm or parts == 1 else 1  # what was not noted yet, or was torn off
            assert all(pages.asked()[f"/{number}"] <= most for number in range(PAGES - 1))

    asyncio.run(scenario())


def test_a_worker_that_loses_its_lease_leaves_the_upload_to_the_next(
    plane_over: OpenPlane, settings: Settings, pages: Pages
) -> None:
    async def scenario() -> None:
        async with plane_over(settings) as running:
            await running.job(pages.urls)
            (message,) = await running.release()
            capture = asyncio.create_task(running.capture(message))
            left = await until_parts(running, 2)
            capture.cancel()
            await asyncio.wait({capture})
            assert [upload.id for upload in await uploads_of(running)] == [left.id]
            resumed = ended("resumed")
            running.archive.clock = Later()
            pages.gate.set()
            assert await running.capture(message)
            await check_objects(running, await receipts_of(running, message), pages)
            assert ended("resumed") == resumed + 1

    asyncio.run(scenario())


def test_a_fenced_worker_leaves_no_upload(plane_over: OpenPlane, settings: Settings, pages: Pages) -> None:
    async def scenario() -> None:
        async with plane_over(settings) as running:
            store = running.archive.store
            await running.job(pages.urls)
            (message,) = await running.release()
            create = store.create

            async def create_after_another(key: str, body: bytes, **more: Any) -> bool:
                if key.startswith(keys.COMMITS):
                    ours = Receipt.model_validate_json(body)
                    await create(key, canonical_bytes(ours.model_copy(update={"worker": "another"})), **more)
                return bool(await create(key, body, **more))

            store.create = create_after_another
            capture = asyncio.create_task(running.capture(message))
            await until_parts(running, 2)
            pages.gate.set()
            assert not await capture
            assert [receipt.worker for receipt in await receipts_of(running, message)] == ["another"]
            assert await uploads_of(running) == []
            assert files(settings.spool_dir) == []

    asyncio.run(scenario())


def test_a_file_that_has_to_be_given_up_takes_its_upload_with_it(
    plane_over: OpenPlane, settings: Settings, pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an fsync that failed nobody knows what the disk holds: the pages are fetched again."""
    before_the_last = pages.hold(PAGES - 2)

    async def scenario() -> None:
        async with plane_over(settings) as running:
            await running.job(pages.urls)
            (message,) = await running.release()
            capture = asyncio.create_task(running.capture(message))
            await until_parts(running, 2)
            aborted = ended("aborted")

            def fails(_: object) -> None:
                raise OSError(errno.EIO, "Input/output error")

            with monkeypatch.context() as patched:
                patched.setattr(GrowingFile, "sync", fails)
                before_the_last.set()
                with pytest.raises(RetryableError, match="cannot keep what was captured"):
                    await capture
            assert ended("aborted") == aborted + 1
            assert await uploads_of(running) == []
            running.archive.clock = Later()
            running.archive._rests = None  # another process takes it
            pages.gate.set()
            assert await running.capture(message)
            await check_objects(running, await receipts_of(running, message), pages)

    asyncio.run(scenario())


class FailingProxy:
    """Passes S3's requests on, and for a while answers them as a store in trouble does."""

    def __init__(self, endpoint: str) -> None:
        self.upstream = endpoint.removeprefix("http://")
        self.fault: str | None = None
        self.refused: Counter[str] = Counter()
        proxy = self

        class Pass(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if proxy.fault is not None:
                    proxy.refused[proxy.fault] += 1
                    self.close_connection = True
                    if proxy.fault == "cut":
                        return
                    self.send_response(503)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                upstream = http.client.HTTPConnection(proxy.upstream, timeout=30)
                upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    if name.lower() not in ("expect", "connection"):
                        upstream.putheader(name, value)
                upstream.endheaders(body)
                answered = upstream.getresponse()
                data = answered.read()
                self.send_response_only(answered.status)
                for name, value in answered.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                        self.send_header(name, value)
                length = answered.getheader("Content-Length") if self.command == "HEAD" else str(len(data))
                self.send_header("Content-Length", length or "0")
                self.end_headers()
                self.wfile.write(data)
                upstream.close()

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = answer  # noqa: N815 (the server's names)

            def handle(self) -> None:
                with suppress(ConnectionError):
                    super().handle()

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Pass)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["busy", "cut"])
def test_a_store_that_fails_for_seconds_costs_neither_visits_nor_parts(
    fault: str, plane_over: OpenPlane, settings: Settings, pages: Pages
) -> None:
    """It fails after the first part, while pages still come, and into the commit."""
    proxy = FailingProxy(settings.s3_endpoint)

    async def scenario() -> None:
        async with plane_over(settings) as running:
            direct = running.archive.store
            behind = S3ObjectStore(replace(location_of(settings), endpoint=proxy.endpoint, attempts=1))
            await running.job(pages.urls)
            (message,) = await running.release()
            store = running.archive.store = Puts(behind)
            capture = asyncio.create_task(running.capture(message))
            await asyncio.sleep(0)  # it has taken its store
            running.archive.store = direct
            await until_parts(running, 1)
            proxy.fault = fault
            while pages.asked()[f"/{PAGES - 1}"] == 0:  # every visit before the last has been made
                await asyncio.sleep(0.05)
            pages.gate.set()
            began = time.monotonic()
            while proxy.refused[fault] < 3 or time.monotonic() - began < 3:
                assert not capture.done()
                await asyncio.sleep(0.05)
            proxy.fault = None
            assert await capture
            await check_objects(running, await receipts_of(running, message), pages)
            assert store.whole == []
            assert set(pages.asked().values()) == {1}
            behind.close()

    try:
        asyncio.run(scenario())
    finally:
        proxy.stop()
