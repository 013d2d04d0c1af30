"""One job through the whole data plane, in one process, over real stores."""

from __future__ import annotations

import asyncio
import io
import socket
import threading
from collections import Counter

import pytest
from fastwarc.warc import ArchiveIterator

from deploy.demo.sites import SEEDS
from schemas import keys
from schemas.records.outcome import Outcome
from schemas.records.receipt import Receipt
from workers.flows.documents import read_object
from workers.flows.publish import publish

pytestmark = pytest.mark.real


async def receipts_of(archive, job):
    found = [key async for key in archive.store.list(keys.receipts(job.id))]
    return [await read_object(archive.store, key, Receipt) for key in sorted(found)]


def test_every_url_gets_an_outcome_and_every_response_a_published_snapshot(plane, web):
    urls = [web.url(site, path) for site, path in SEEDS]

    async def scenario():
        async with plane() as running:
            archive = running.archive
            job = await running.job(urls)
            for message in await running.release():
                assert await running.capture(message)
            progress = await archive.frontier.progress(job.id)
            assert progress is not None
            assert progress.captured_all
            await running.deliver()
            heads = await publish(await archive.publish_ports())
            assert await archive.store.info(keys.public_key(archive.signer().keyid)) is not None
            entries = await archive.ledger.of_job(job.id)
            return (
                progress,
                await receipts_of(archive, job),
                heads,
                entries,
                await archive.catalog.snapshots_of_job(job.id),
            )

    progress, receipts, heads, entries, snapshots = asyncio.run(scenario())
    outcomes = Counter(outcome.outcome for receipt in receipts for outcome in receipt.outcomes)
    assert outcomes[Outcome.ROBOTS_DENIED] == 1
    assert sum(outcomes.values()) == progress.known == 11
    assert {entry.stage for entry in entries} == {"published"}
    assert heads[-1].tree_size == len(snapshots) == 10


def test_a_second_capture_of_unchanged_pages_stores_revisits_and_no_second_payload(plane, web):
    url = web.url("authority", "/barrier")

    async def scenario():
        async with plane() as running:
            found = []
            for _ in range(2):
                job = await running.job([url])
                for message in await running.release():
                    await running.capture(message)
                found += await receipts_of(running.archive, job)
            data = await running.archive.store.get(found[1].warc.key)
            return found, data

    (first, second), data = asyncio.run(scenario())
    assert first.outcomes[0].outcome is Outcome.CAPTURED
    assert second.outcomes[0].outcome is Outcome.REVISIT
    assert second.outcomes[0].hops[0].refers_to == first.outcomes[0].hops[0].record("response").record_id
    kinds = [record.headers["WARC-Type"] for record in ArchiveIterator(io.BytesIO(data), parse_http=False)]
    assert "revisit" in kinds
    assert "response" not in kinds


def test_a_batch_that_is_sent_twice_is_captured_once(plane, web):
    url = web.url("authority", "/barrier")

    async def scenario():
        async with plane() as running:
            job = await running.job([url])
            (message,) = await running.release()
            first = await running.capture(message)
            again = await running.capture(message)
            return first, again, await receipts_of(running.archive, job)

    first, again, receipts = asyncio.run(scenario())
    assert (first, again) == (True, False)
    assert len(receipts) == 1
    assert web.servers["authority"].hits["/barrier"] == 1


@pytest.fixture
def torn_server():
    """Answers each connection with the few bytes that its path names, and closes."""
    listener = socket.create_server(("127.0.0.9", 0))
    stopped = threading.Event()

    def serve():
        while not stopped.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                path = connection.recv(65536).split(b" ")[1].decode()
                if path != "/robots.txt":
                    connection.sendall(TORN[int(path[1:])])
                else:
                    connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.9:{listener.getsockname()[1]}"
    stopped.set()
    listener.close()


TORN = (b"H", b"HT", b"HTTP", b"http", b"ICY", b" ", b"\r", b"HTTP/1.1", b"HTTP/1.1 200 OK\r\nX: y")


def test_an_answer_of_a_few_bytes_costs_nobody_anything(plane, torn_server, web):
    urls = [f"{torn_server}/{number}" for number in range(len(TORN))] + [web.url("authority", "/barrier")]

    async def scenario():
        async with plane() as running:
            job = await running.job(urls)
            for message in await running.release():
                await running.capture(message)
            await running.deliver()
            await publish(await running.archive.publish_ports())
            entries = await running.archive.ledger.of_job(job.id)
            return entries, await running.archive.catalog.snapshots_of_job(job.id)

    entries, snapshots = asyncio.run(scenario())
    assert {entry.stage for entry in entries} == {"published"}
    assert len(snapshots) == len(urls)
