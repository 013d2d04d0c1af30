"""A worker's memory does not grow with the size of a body, nor with the number of pages."""

from __future__ import annotations

import asyncio
import gc
import random
import re
import secrets
from pathlib import Path

import pytest

from schemas import keys
from schemas.records.outcome import Outcome
from schemas.records.receipt import Receipt
from workers.flows.documents import read_object

pytestmark = pytest.mark.real

MIB = 1024 * 1024
BODY = 96 * MIB
"""More than may be held, and more than goes to S3 in one piece."""
BLOCK = random.Random(1).randbytes(MIB)
"""Nothing that a compressor with a window of 32 KiB could make smaller."""
ALLOWED = 64 * MIB
PAGE_BYTES = 40_000
PAGES_A_SITE = 60
SITES = 12
ALLOWED_FOR_PAGES = 14 * MIB
"""Half of what the pages of one round hold (720 x 40 kB)."""


def _status(field: str) -> int:
    """Bytes of this process, as Linux counts them."""
    found = re.search(rf"^{field}:\s+(\d+) kB$", Path("/proc/self/status").read_text(encoding="ascii"), re.M)
    assert found is not None
    return int(found[1]) * 1024


def start_measuring() -> int:
    """What the process holds now; its peak is counted anew from here."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _status("VmRSS")


def send_large_in_chunks(connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
    for _ in range(BODY // len(BLOCK)):
        connection.sendall(b"%x\r\n" % len(BLOCK) + BLOCK + b"\r\n")
    connection.sendall(b"0\r\n\r\n")


def test_a_large_body_passes_through_a_worker_without_being_held(plane, raw_web):
    site = raw_web("127.0.0.41")
    site.answers["/large"] = send_large_in_chunks

    async def capture(running, url):
        job = await running.job([url])
        for message in await running.release():
            assert await running.capture(message)
        found = [key async for key in running.archive.store.list(keys.receipts(job.id))]
        return (await read_object(running.archive.store, found[0], Receipt)).outcomes[0]

    async def scenario():
        async with plane() as running:
            await capture(running, site.url("/warm"))
            before = start_measuring()
            outcome = await capture(running, site.url("/large"))
            return outcome, _status("VmHWM") - before

    outcome, grown = asyncio.run(scenario())
    assert (outcome.outcome, outcome.hops[0].content_bytes) == (Outcome.CAPTURED, BODY)
    assert grown < ALLOWED, f"{grown / MIB:.0f} MiB"


def test_many_small_pages_leave_nothing_behind(plane, raw_web):
    sites = [raw_web(f"127.0.0.{50 + number}") for number in range(SITES)]

    async def round_of(running, name):
        for site in sites:
            for page in range(PAGES_A_SITE):
                site.answers[f"/{name}/{page}"] = send_page
        job = await running.job([site.url(f"/{name}/{page}") for site in sites for page in range(PAGES_A_SITE)])
        while messages := await running.release():
            for message in messages:
                assert await running.capture(message)
        running.inbox.messages.clear()
        for site in sites:
            site.answers.clear()
            site.requests.clear()
        return await running.archive.frontier.progress(job.id)

    async def scenario():
        async with plane() as running:
            await round_of(running, "warm")
            before = start_measuring()
            progress = await round_of(running, "measured")
            return progress, _status("VmHWM") - before

    progress, grown = asyncio.run(scenario())
    assert progress.outcomes == {"captured": SITES * PAGES_A_SITE}
    assert grown < ALLOWED_FOR_PAGES, f"{grown / MIB:.0f} MiB"


def send_page(connection):
    body = secrets.token_bytes(PAGE_BYTES)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body)
