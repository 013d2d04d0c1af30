"""R083: files roll by size and by age, within a batch, and each is a part of its own."""

from __future__ import annotations

import asyncio
import io
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator

from schemas import keys
from schemas.records.receipt import Receipt
from workers.config import Settings
from workers.flows.documents import read_object

pytestmark = pytest.mark.real
PAGES = 8
OpenPlane = Callable[[Settings], AbstractAsyncContextManager[Any]]


class Slow(BaseHTTPRequestHandler):
    """A page of 40 kB that cannot be compressed, after 150 ms."""

    def do_GET(self) -> None:
        time.sleep(0.15)
        body = os.urandom(40_000)
        self.send_response(200 if self.path != "/robots.txt" else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Not printed."""


@pytest.fixture
def urls() -> Iterator[list[str]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield [f"http://127.0.0.1:{server.server_address[1]}/{number}" for number in range(PAGES)]
    server.shutdown()
    server.server_close()


@pytest.fixture
def settings(settings_in: Callable[[Path], Settings], tmp_path: Path) -> Settings:
    return settings_in(tmp_path)


def parts_of(open_plane: OpenPlane, settings: Settings, urls: list[str]) -> list[tuple[Receipt, list[str]]]:
    """Capture the pages as one batch: its receipts, and the record types of each file."""

    async def capture() -> list[tuple[Receipt, list[str]]]:
        async with open_plane(settings) as plane:
            await plane.job(urls)
            (message,) = await plane.release()
            assert await plane.capture(message)
            store = plane.archive.store
            found = [key async for key in store.list(keys.batch_receipts(message.job_id, message.batch_id))]
            receipts = [await read_object(store, key, Receipt) for key in sorted(found)]
            files = [await store.get(receipt.warc.key) for receipt in receipts if receipt.warc]
            return list(zip(receipts, [types_in(data) for data in files], strict=True))

    return asyncio.run(capture())


def types_in(data: bytes) -> list[str]:
    return [record.headers["WARC-Type"] for record in ArchiveIterator(io.BytesIO(data), parse_http=False)]


@pytest.mark.parametrize("limit", [{"segment_bytes": 64 * 1024}, {"segment_seconds": 0.3}], ids=["size", "age"])
def test_a_batch_rolls_over_files(
    limit: dict[str, float], settings: Settings, urls: list[str], plane_over: OpenPlane
) -> None:
    parts = parts_of(plane_over, replace(settings, **limit), urls)  # type: ignore[arg-type]
    assert len(parts) >= 3
    assert [receipt.part for receipt, _ in parts] == list(range(len(parts)))
    assert [receipt.last for receipt, _ in parts] == [False] * (len(parts) - 1) + [True]
    assert len({receipt.segment_id for receipt, _ in parts}) == len(parts)
    for receipt, types in parts:
        assert types[0] == "warcinfo"
        assert types.count("warcinfo") == 1
        assert receipt.warc is not None
        assert receipt.warc.entries == len(types)
    outcomes = Counter(outcome.requested_url for receipt, _ in parts for outcome in receipt.outcomes)
    assert outcomes == Counter(urls)


def test_a_small_quick_batch_is_one_file(settings: Settings, urls: list[str], plane_over: OpenPlane) -> None:
    ((receipt, types),) = parts_of(plane_over, settings, urls[:2])
    assert receipt.last
    assert types.count("response") == 3
