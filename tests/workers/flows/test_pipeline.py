"""One job through the whole data plane, in one process, over real stores."""

from __future__ import annotations

import asyncio
import io
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
