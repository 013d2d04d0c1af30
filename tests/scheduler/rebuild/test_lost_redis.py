"""Redis loses everything in the middle of a job, or a replica that lags takes its place: the job ends complete, and no
state that was lost ever reads as a finished job."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections import Counter
from urllib.parse import urlsplit

import pytest

from deploy.demo.sites import SEEDS
from scheduler.intake import Order, accept, read_urls
from scheduler.rebuild import rebuild, settle
from scheduler.service.wiring import rebuild_ports_of
from scheduler.stack.running import running_parts
from schemas import keys
from schemas.messages import CaptureBatch
from schemas.records.job import JobOptions, Lane, StoredJob
from schemas.records.receipt import Receipt
from workers.adapters.redis.client import connect
from workers.errors import EpochError
from workers.flows.documents import read_object
from workers.flows.publish import publish

pytestmark = pytest.mark.real
NOW = "2026-11-29T12:00:00Z"


async def handed_in(plane, web) -> StoredJob:
    """A job of eleven URLs as intake makes it, seeds and all."""
    urls = [web.url(site, path) for site, path in SEEDS]
    archive = plane.archive
    order = Order(lane=Lane.INTERACTIVE, options=JobOptions(requisites=False))
    job = await accept(read_urls(urls), order, store=archive.store, frontier=archive.frontier, now=archive.clock.now())
    assert isinstance(job, StoredJob)
    return job


async def released(plane, urls: int) -> list[CaptureBatch]:
    archive = plane.archive
    batches = await archive.frontier.release(now_ms=plane.now_ms(), batches=1, urls=urls)
    return [
        CaptureBatch(
            schema="citevault/capture-batch@1",
            lane=batch.lane,
            job_id=batch.job_id,
            batch_id=batch.batch_id,
            epoch=archive.guard.epoch.number or 0,
        )
        for batch in batches
    ]


async def finish(plane, job: StoredJob) -> None:
    """Capture and deliver until the job has an outcome for everything."""
    for _ in range(30):
        progress = await plane.archive.frontier.progress(job.id)
        assert progress is not None
        if progress.captured_all:
            break
        for message in await released(plane, 20):
            await plane.capture(message)
    await plane.deliver()


async def assert_complete(plane, job: StoredJob) -> None:
    """Eleven URLs, an outcome each, once; every response with a published snapshot."""
    archive = plane.archive
    progress = await archive.frontier.progress(job.id)
    assert progress is not None
    assert (progress.known, progress.done, progress.captured_all) == (11, 11, True)
    found = [key async for key in archive.store.list(keys.receipts(job.id))]
    receipts = [await read_object(archive.store, key, Receipt) for key in found]
    captured = Counter(each.normalized_url for receipt in receipts for each in receipt.ended)
    assert len(captured) == 11
    assert set(captured.values()) == {1}, "and nothing was fetched twice"
    heads = await publish(await archive.publish_ports())
    assert heads[-1].tree_size == len(await archive.catalog.snapshots_of_job(job.id)) == 10
    assert {entry.stage for entry in await archive.ledger.of_job(job.id)} == {"published"}


def test_a_flushed_redis_is_an_error_and_after_a_rebuild_the_job_ends_complete(plane, web):
    async def scenario() -> None:
        async with plane() as running:
            archive = running.archive
            job = await handed_in(running, web)
            (first,) = await released(running, 4)
            await running.capture(first)
            (second,) = await released(running, 4)
            await archive.redis.flushall()

            for ask in (
                archive.frontier.progress(job.id),
                archive.frontier.release(now_ms=running.now_ms(), batches=1, urls=10),
                archive.ledger.of_job(job.id),
                archive.catalog.snapshots_of_job(job.id),
            ):
                with pytest.raises(EpochError):
                    await ask
            with pytest.raises(EpochError):
                await running.capture(second)

            rebuilt = await settle(rebuild_ports_of(archive), now=NOW)
            assert rebuilt is not None
            assert rebuilt.differences == []
            progress = await archive.frontier.progress(job.id)
            assert progress is not None
            assert progress.known == 11
            assert 0 < progress.done < 11
            await running.capture(second)  # a message of the old epoch: nobody knows its batch
            running.inbox.messages.clear()  # and what had been announced went with Redis
            for entry in await archive.ledger.of_job(job.id):
                await resend(running, entry)
            await finish(running, job)
            await assert_complete(running, job)
            again = await rebuild(rebuild_ports_of(archive), now=NOW, reason="asked for")
            assert again.differences == [], "versions and clusters too"
            assert [cluster async for cluster in archive.cluster_ports().clusters.all()]

    asyncio.run(scenario())


def test_a_batch_that_is_on_its_way_to_the_store_when_redis_is_emptied_is_not_committed_beside_its_second_capture(
    plane, web
):
    """Its files are stored and its receipt is not: from the rebuild on its URLs belong to other batches."""

    async def scenario() -> None:
        async with plane() as running:
            archive = running.archive
            job = await handed_in(running, web)
            (batch,) = await released(running, 4)
            put = archive.store.put

            async def put_and_lose_redis(key, body, **more) -> None:
                await put(key, body, **more)
                if key.startswith("cdxj/"):
                    archive.store.put = put
                    await archive.redis.flushall()
                    assert await settle(rebuild_ports_of(archive), now=NOW) is not None

            archive.store.put = put_and_lose_redis
            with pytest.raises(EpochError):
                await running.capture(batch)
            assert archive.store.put == put, "the loss came about"
            assert [key async for key in archive.store.list(keys.receipts(job.id))] == []
            await finish(running, job)
            await assert_complete(running, job)

    asyncio.run(scenario())


async def resend(running, entry) -> None:
    """What the sweep sends for a segment that stands still."""
    from scheduler.sweep import message_for

    if entry.stage in ("committed", "extracted"):
        running.inbox.messages.append(message_for(entry))


def test_after_a_failover_to_a_replica_that_lagged_the_job_ends_complete(
    settings_in, plane_over, web, tmp_path_factory
):
    """The replica knows of nothing since it was cut off: what receipts say counts."""
    first, second = (tmp_path_factory.mktemp(name) for name in ("primary", "replica"))
    settings = settings_in(tmp_path_factory.mktemp("failover"))

    async def replicate(primary, replica) -> None:
        client, parts = connect(replica.redis_url), urlsplit(primary.redis_url)
        await client.config_set("masterauth", parts.password or "")
        await client.execute_command("REPLICAOF", parts.hostname, parts.port)
        for _ in range(200):
            if (await client.info("replication"))["master_link_status"] == "up":
                break
            await asyncio.sleep(0.05)
        else:
            raise AssertionError("the replica never followed")
        await client.aclose()

    async def promote(replica) -> None:
        client = connect(replica.redis_url)
        await client.execute_command("REPLICAOF", "NO", "ONE")
        await client.aclose()

    async def on_primary(primary, replica) -> StoredJob:
        await replicate(primary, replica)
        async with plane_over(dataclasses.replace(settings, redis_url=primary.redis_url)) as running:
            job = await handed_in(running, web)
            (batch,) = await released(running, 4)
            assert await running.archive.redis.wait(1, 5000) == 1
            await promote(replica)  # it is cut off here, and takes over later
            await running.capture(batch)
            return job

    async def on_replica(replica, job: StoredJob) -> None:
        async with plane_over(dataclasses.replace(settings, redis_url=replica.redis_url)) as running:
            stale = await running.archive.frontier.progress(job.id)
            assert stale is not None
            assert (stale.known, stale.done, stale.captured_all) == (11, 0, False)
            rebuilt = await rebuild(rebuild_ports_of(running.archive), now=NOW, reason="failover")
            assert rebuilt.outcomes > 0
            assert rebuilt.differences == []
            for entry in await running.archive.ledger.of_job(job.id):
                await resend(running, entry)
            await finish(running, job)
            await assert_complete(running, job)

    with contextlib.ExitStack() as stack:
        replica = stack.enter_context(running_parts(second, {"redis"}))
        with running_parts(first, {"redis"}) as primary:
            job = asyncio.run(on_primary(primary, replica))
        asyncio.run(on_replica(replica, job))


def test_a_replica_that_never_heard_anything_is_no_archive_without_work(settings_in, plane_over, web, tmp_path_factory):
    settings = settings_in(tmp_path_factory.mktemp("empty"))

    async def hand_in() -> StoredJob:
        async with plane_over(settings) as running:
            return await handed_in(running, web)

    async def on_empty(replica, job: StoredJob) -> None:
        async with plane_over(dataclasses.replace(settings, redis_url=replica.redis_url)) as running:
            with pytest.raises(EpochError):
                await running.archive.frontier.progress(job.id)
            with pytest.raises(EpochError):
                await running.archive.frontier.jobs()

    job = asyncio.run(hand_in())
    with running_parts(tmp_path_factory.mktemp("replica"), {"redis"}) as replica:
        asyncio.run(on_empty(replica, job))
