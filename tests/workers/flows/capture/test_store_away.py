"""A store that is away while captures are committed: they wait, and say so; nothing is dropped, nothing is fetched a
second time, and all of it is stored once the store is back."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import Counter
from dataclasses import replace

import pytest

from schemas import keys
from schemas.records.receipt import Receipt
from workers import metrics
from workers.flows.documents import read_object

pytestmark = pytest.mark.real
PAGES = 6


@pytest.mark.parametrize("mode", ["refuse", "reset", "busy", "stall"])
def test_commits_wait_for_the_store_and_lose_nothing(
    mode, plane_over, settings_in, raw_web, faulty_proxy, tmp_path, caplog
):
    site = raw_web("127.0.0.71")
    for number in range(PAGES):
        site.says(f"/{number}", b"page %d" % number)
    urls = [site.url(f"/{number}") for number in range(PAGES)]
    settings = settings_in(tmp_path)
    proxy = faulty_proxy(settings.s3_endpoint)
    settings = replace(settings, s3_endpoint=proxy.url, s3_read_seconds=0.5, s3_connect_seconds=0.5, s3_attempts=1)

    page = site.answers["/0"]

    def goes_away(connection: socket.socket) -> None:
        """By then the batch's job and receipts are read, and nothing of it is stored."""
        proxy.turn(mode)
        connection.sendall(page)

    site.answers["/0"] = goes_away

    async def a_commit_waits() -> None:
        while metrics.COMMITS_WAIT._value.get() == 0:
            await asyncio.sleep(0.05)

    async def scenario():
        async with plane_over(settings) as running:
            archive = running.archive
            job = await running.job(urls)
            (message,) = await running.release()
            working = asyncio.create_task(running.capture(message))
            await asyncio.wait_for(a_commit_waits(), 30)
            await asyncio.sleep(2)
            assert not working.done()
            proxy.turn("pass")
            assert await asyncio.wait_for(working, 60)
            found = [key async for key in archive.store.list(keys.receipts(job.id))]
            receipts = [await read_object(archive.store, key, Receipt) for key in found]
            return receipts, await archive.frontier.progress(job.id)

    with caplog.at_level(logging.WARNING):
        receipts, progress = asyncio.run(scenario())
    assert progress.captured_all
    outcomes = [outcome for receipt in receipts for outcome in receipt.outcomes]
    assert Counter(outcome.requested_url for outcome in outcomes) == Counter(urls)
    assert all(outcome.outcome.has_response for outcome in outcomes)
    assert sum(b"GET /0 " in request for request in site.requests) == 1, "nothing is fetched a second time"
    assert metrics.COMMITS_WAIT._value.get() == 0
    assert "commit waits error=" in caplog.text
    assert list((tmp_path / "spool").rglob("*.warc.gz*")) == []
