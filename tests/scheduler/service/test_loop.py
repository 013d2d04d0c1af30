"""The life of the scheduler, on a real Valkey."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from scheduler.intake import Order, accept, read_urls
from scheduler.service import Service
from schemas.messages import ExtractSegment
from schemas.records.job import Lane, StoredJob
from schemas.records.outcome import Outcome
from workers.adapters.redis.liveness import Liveness
from workers.errors import CorruptError, RetryableError
from workers.frontier import names
from workers.ports import Lease, SegmentEntry

URLS = [f"https://a{number}.test/" for number in range(3)]
SEGMENT = "20261129T100000Z-01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture
def with_service(open_house, new_service) -> Callable[..., None]:
    """Run a scenario beside a scheduler, and stop it."""

    def run(scenario: Callable[..., Awaitable[None]]) -> None:
        async def within() -> None:
            async with open_house() as house:
                service: Service = new_service(house)
                running = asyncio.create_task(service.run())
                try:
                    await house.until(lambda: house.ports.epoch.number is not None and not house.ports.epoch.rebuilding)
                    await asyncio.wait_for(scenario(house, service), timeout=30)
                    assert not running.done(), running.exception() if running.done() else ""
                finally:
                    service.stop()
                    await asyncio.wait_for(running, timeout=5)
                assert await house.client.get(names.SINGLETON) is None, "the lease was given back"

        asyncio.run(within())

    return run


async def uploads_of(house) -> list[str]:
    return [upload.key async for upload in house.ports.store.uploads.begun("")]


async def new_job(house) -> StoredJob:
    while True:
        job = await accept(
            read_urls(URLS), Order(), store=house.ports.store, frontier=house.ports.frontier, now=datetime.now(UTC)
        )
        assert isinstance(job, StoredJob)
        return job


async def capture(house, batch_id: str) -> None:
    """Do what a worker does, without fetching anything."""
    now = round(datetime.now(UTC).timestamp() * 1000)
    lease = await house.ports.frontier.claim(batch_id, worker="w", now_ms=now)
    assert isinstance(lease, Lease)
    outcomes = {url.normalized_url: Outcome.CAPTURED for url in lease.batch.urls}
    assert await house.ports.frontier.commit(lease, outcomes, now_ms=now, ready_at_ms={}, last=True)


def segment(job: StoredJob, stage: str = "committed") -> SegmentEntry:
    return SegmentEntry(SEGMENT, job.id, Lane.BULK, stage, "commits/x")  # type: ignore[arg-type]


def test_a_job_is_released_swept_and_published(with_service):
    async def scenario(house, service: Service) -> None:
        job = await new_job(house)
        await house.until(lambda: len(house.batches) == 1)
        await capture(house, house.batches[0].batch_id)
        await house.ports.ledger.advance(segment(job))
        await house.until(lambda: any(isinstance(message, ExtractSegment) for message in house.announced))
        await house.ports.ledger.advance(segment(job, "clustered"))
        await house.until(lambda: house.published == [SEGMENT])
        alive = await Liveness(house.client).all()
        assert alive["s1"].done["released"] == 1
        assert alive["s1"].worked_at_ms > 0
        assert alive["s1"].trouble == ""

    with_service(scenario)


def test_a_redis_that_is_emptied_in_mid_job_is_rebuilt_and_the_job_ends(with_service):
    async def scenario(house, service: Service) -> None:
        job = await new_job(house)
        await house.until(lambda: len(house.batches) == 1)
        await house.client.flushall()
        await house.until(lambda: house.ports.epoch.number == 2)
        await house.until(lambda: len(house.batches) == 2)
        assert house.batches[1].epoch == 2
        await capture(house, house.batches[1].batch_id)
        progress = await house.ports.frontier.progress(job.id)
        assert progress is not None
        assert (progress.known, progress.captured_all) == (3, True)

    with_service(scenario)


def test_an_intake_that_was_cut_off_is_finished(with_service):
    async def scenario(house, service: Service) -> None:
        class Away:
            async def open_job(self, job: StoredJob) -> None:
                raise RetryableError("Redis is away")

        with pytest.raises(RetryableError, match="the job is stored"):
            await accept(read_urls(URLS), Order(), store=house.ports.store, frontier=Away(), now=datetime.now(UTC))
        await house.until(lambda: len(house.batches) == 1)
        (job_id,) = await house.ports.frontier.jobs()
        progress = await house.ports.frontier.progress(job_id)
        assert progress is not None
        assert (progress.known, progress.intake_open) == (3, False)

    with_service(scenario)


def test_a_tick_that_fails_does_not_stop_the_others_and_is_told(with_service):
    async def scenario(house, service: Service) -> None:
        calls = 0

        async def broken() -> int:
            nonlocal calls
            calls += 1
            raise CorruptError("a leaf file is not what was stored", where="manifests/1")

        house.publish = broken
        service.ports = replace(service.ports, publish=broken)
        job = await new_job(house)
        await house.until(lambda: len(house.batches) == 1)
        await capture(house, house.batches[0].batch_id)
        await house.ports.ledger.advance(segment(job, "clustered"))
        await house.until(lambda: calls >= 1)
        liveness = Liveness(house.client)

        async def told() -> bool:
            return "manifests/1" in (await liveness.all())["s1"].trouble

        await house.until(told)
        await new_job(house)
        await house.until(lambda: len(house.batches) == 2)

    with_service(scenario)


def test_of_two_schedulers_one_stands_by_until_the_other_is_gone(open_house, new_service):
    async def scenario() -> None:
        async with open_house() as house:
            first, second = new_service(house, "s1"), new_service(house, "s2")
            one = asyncio.create_task(first.run())
            await house.until(lambda: house.ports.epoch.number is not None)
            two = asyncio.create_task(second.run())
            await new_job_when_settled(house)
            await house.until(lambda: len(house.batches) == 1)
            assert (first.log.done["released"], second.log.done["released"]) == (1, 0)
            await capture(house, house.batches[0].batch_id)
            first.stop()
            await asyncio.wait_for(one, 5)
            await new_job_when_settled(house)
            await house.until(lambda: len(house.batches) == 2)
            assert second.log.done["released"] == 1
            second.stop()
            await asyncio.wait_for(two, 5)

    async def new_job_when_settled(house) -> None:
        await house.until(lambda: not house.ports.epoch.rebuilding)
        await new_job(house)

    asyncio.run(scenario())


def test_a_scheduler_that_lost_its_lease_stops_at_once_and_stands_by(open_house, new_service):
    async def scenario() -> None:
        async with open_house() as house:
            service = new_service(house, "s1", seconds=0.5)
            running = asyncio.create_task(service.run())
            await house.until(lambda: house.ports.epoch.number is not None and not house.ports.epoch.rebuilding)
            await house.client.set(names.SINGLETON, "another")
            await asyncio.sleep(0.6)
            await new_job(house)
            await asyncio.sleep(0.3)
            assert house.batches == [], "the other one releases"
            await house.client.delete(names.SINGLETON)
            await house.until(lambda: len(house.batches) == 1)
            service.stop()
            await asyncio.wait_for(running, 5)

    asyncio.run(scenario())


def test_uploads_that_nobody_will_finish_are_aborted(with_service, tmp_path):
    """The store says when they were begun: a day ago, and just now."""

    async def scenario(house, service: Service) -> None:
        old = await house.ports.store.uploads.begin("warc/2026/11/29/old.warc.gz")
        await house.ports.store.uploads.begin("warc/2026/11/29/new.warc.gz")
        a_day_ago = (datetime.now(UTC) - timedelta(hours=25)).timestamp()
        (folder,) = tmp_path.rglob(old.id)
        os.utime(folder / "key", (a_day_ago, a_day_ago))

        async def is_aborted() -> bool:
            return await uploads_of(house) == ["warc/2026/11/29/new.warc.gz"]

        await house.until(is_aborted)
        await house.until(lambda: service.log.done["uploads aborted"] == 1)

    with_service(scenario)


def test_a_batch_whose_lease_somebody_deleted_goes_out_again(with_service):
    async def scenario(house, service: Service) -> None:
        await new_job(house)
        await house.until(lambda: bool(house.batches))
        first = house.batches[0].batch_id
        await house.client.delete(names.LEASES)
        await house.until(lambda: [batch.batch_id for batch in house.batches].count(first) > 1)
        assert service.log.troubles == {}

    with_service(scenario)
