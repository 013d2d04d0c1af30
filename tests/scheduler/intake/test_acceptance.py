"""A job is durable before anything of it is queued, and queueing can be taken up again anywhere."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scheduler.intake import (
    IntakeInterruptedError,
    NothingToArchive,
    Order,
    accept,
    read_urls,
    resume_intake,
    stored,
)
from schemas.records.job import JobOptions, Lane, StoredJob
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.client import connect
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.catalog.jobs import job_key, load_job, seeds_of
from workers.errors import CorruptError, ObjectMissingError, PermanentError, RetryableError
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.ports import QueuedUrl

NOW = datetime(2026, 11, 29, 10, 0, 0, 123456, tzinfo=UTC)
URLS = [f"https://a{number % 5}.test/{number}" for number in range(25)]


class Interrupted(RedisFrontier):
    """Its Redis goes away after so many calls of admit."""

    calls_left = 1

    async def admit(self, job_id: str, urls: Sequence[QueuedUrl]) -> int:
        if type(self).calls_left == 0:
            raise RetryableError("no connection to Redis")
        type(self).calls_left -= 1
        return await super().admit(job_id, urls)


@pytest.fixture
def store(tmp_path: Path) -> DirectoryObjectStore:
    return DirectoryObjectStore(tmp_path)


async def guard_on(redis_url: str) -> Guard:
    client = connect(redis_url)
    await client.set(names.EPOCH, "1")
    return Guard(client, Epoch(number=1))


def test_a_job_is_stored_whole_and_then_queued(
    redis_url: str, store: DirectoryObjectStore, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(stored, "SEEDS_A_PART", 10)
    monkeypatch.setattr(stored, "PROGRESS_EACH", 5)
    told: list[int] = []

    async def scenario() -> None:
        guard = await guard_on(redis_url)
        frontier = RedisFrontier(guard)
        order = Order(collection="news", lane=Lane.INTERACTIVE, options=JobOptions(depth=1))
        lines = read_urls([*URLS, "mailto:x", "https://a0.test/0#again"])
        job = await accept(lines, order, store=store, frontier=frontier, now=NOW, told=told.append)
        assert isinstance(job, StoredJob)
        assert (job.lines, job.seeds, job.duplicates, job.bad_lines) == (27, 25, 1, 1)
        assert job.created_at == "2026-11-29T10:00:00.123000Z"
        assert [part.seeds for part in job.seed_parts] == [10, 10, 5]
        assert await load_job(store, job.id) == job, "the id alone says where the job lies"
        seeds = [seed async for seed in seeds_of(store, job)]
        assert [seed.requested_url for seed in seeds] == URLS
        assert seeds[0].also == ("https://a0.test/0#again",)
        bad = gzip.decompress(await store.get(job.bad_lines_key or "")).splitlines()
        assert [json.loads(line)["line"] for line in bad] == [26]
        progress = await frontier.progress(job.id)
        assert progress is not None
        assert (progress.known, progress.intake_open) == (25, False)
        assert told == [5, 10, 15, 20, 25]
        await guard.client.aclose()

    asyncio.run(scenario())


def test_without_a_good_line_nothing_is_stored(redis_url: str, store: DirectoryObjectStore, tmp_path: Path):
    async def scenario() -> None:
        guard = await guard_on(redis_url)
        result = await accept(
            read_urls(["mailto:x", "nothing"] * 30), Order(), store=store, frontier=RedisFrontier(guard), now=NOW
        )
        assert isinstance(result, NothingToArchive)
        assert (result.lines, result.bad_lines, len(result.first_bad)) == (60, 60, 20)
        assert [key async for key in store.list("jobs/")] == []
        await guard.client.aclose()

    asyncio.run(scenario())


def test_an_interrupted_intake_is_taken_up_from_what_is_stored(
    redis_url: str, store: DirectoryObjectStore, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("scheduler.intake.acceptance.ADMIT_CHUNK", 10)

    async def scenario() -> None:
        guard = await guard_on(redis_url)
        with pytest.raises(IntakeInterruptedError, match="stored") as caught:
            await accept(read_urls(URLS), Order(), store=store, frontier=Interrupted(guard), now=NOW)
        job = caught.value.job
        frontier = RedisFrontier(guard)
        halfway = await frontier.progress(job.id)
        assert halfway is not None
        assert (halfway.known, halfway.captured_all) == (10, False)
        again = await load_job(store, job.id)
        assert await resume_intake(again, store=store, frontier=frontier) == 15
        assert await resume_intake(again, store=store, frontier=frontier) == 0, "again is harmless"
        whole = await frontier.progress(job.id)
        assert whole is not None
        assert (whole.known, whole.intake_open) == (25, False)
        await guard.client.aclose()

    asyncio.run(scenario())


def test_in_a_redis_of_another_epoch_the_job_is_stored_all_the_same(redis_url: str, store: DirectoryObjectStore):
    async def scenario() -> None:
        client = connect(redis_url)
        with pytest.raises(IntakeInterruptedError) as caught:
            await accept(
                read_urls(URLS), Order(), store=store, frontier=RedisFrontier(Guard(client, Epoch(number=1))), now=NOW
            )
        assert await load_job(store, caught.value.job.id) == caught.value.job
        await client.aclose()

    asyncio.run(scenario())


def test_a_part_that_is_not_what_was_stored_stops_the_intake(redis_url: str, store: DirectoryObjectStore):
    async def scenario() -> None:
        guard = await guard_on(redis_url)
        job = await accept(read_urls(URLS), Order(), store=store, frontier=RedisFrontier(guard), now=NOW)
        assert isinstance(job, StoredJob)
        key = job.seed_parts[0].key
        await store.put(key, gzip.compress(b""))
        with pytest.raises(CorruptError, match="not what was stored") as caught:
            await resume_intake(job, store=store, frontier=RedisFrontier(guard))
        assert caught.value.where == key
        await guard.client.aclose()

    asyncio.run(scenario())


def test_an_id_that_is_no_job_id_is_told_apart_from_a_job_that_is_not_there(store: DirectoryObjectStore):
    with pytest.raises(PermanentError, match="no job id"):
        job_key("job-1")
    with pytest.raises(ObjectMissingError):
        asyncio.run(load_job(store, "job-01ARZ3NDEKTSV4RRFFQ69G5FAV"))
