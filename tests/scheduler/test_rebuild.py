"""Redis loses everything, and has it back from the store."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest

from scheduler.intake import Order, accept, read_urls
from scheduler.rebuild import RebuildPorts, catch_up, rebuild, settle
from scheduler.sweep import ParkedSegment
from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.job import StoredJob
from schemas.records.outcome import Revalidation
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.catalog import RedisCatalog
from workers.adapters.redis.client import connect
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.adapters.redis.requisites import RedisRequisites
from workers.adapters.redis.revisits import RedisRevisits
from workers.adapters.redis.singleton import Singleton
from workers.adapters.redis.state import RedisState
from workers.adapters.redis.versions import RedisVersions
from workers.errors import CorruptError, EpochError, RetryableError
from workers.frontier import names
from workers.frontier.epoch import Epoch, read_epoch

T = TypeVar("T")
NOW = "2026-11-29T12:00:00Z"
MOMENT = datetime(2026, 11, 29, 10, 0, tzinfo=UTC)
URLS = [f"https://a{number % 3}.test/{number}" for number in range(9)]
EXTRACTOR, PARAMS = "trafilatura@2.3.1+00000000", "minhash-w5-p128-affine32-s1-sha1-32"
SEGMENTS = [f"20261129T10000{number}Z-01ARZ3NDEKTSV4RRFFQ69G5FAV" for number in range(3)]


@pytest.fixture
def on_archive(redis_url: str, tmp_path: Path) -> Callable[[Callable[[RebuildPorts], Awaitable[T]]], T]:
    def run(scenario: Callable[[RebuildPorts], Awaitable[T]]) -> T:
        async def within() -> T:
            client, store = connect(redis_url), DirectoryObjectStore(tmp_path)
            epoch = Epoch(store)
            guard = Guard(client, epoch)
            ports = RebuildPorts(
                store=store,
                frontier=RedisFrontier(guard),
                ledger=RedisLedger(guard),
                catalog=RedisCatalog(guard, store),
                revisits=RedisRevisits(guard),
                requisites=RedisRequisites(guard),
                versions=RedisVersions(guard),
                state=RedisState(client),
                epoch=epoch,
                lease=Singleton(client, "rebuilder", key=names.REBUILDER),
            )
            try:
                return await scenario(ports)
            finally:
                await client.aclose()

        return asyncio.run(within())

    return run


async def stored_job(ports: RebuildPorts) -> StoredJob:
    job = await accept(read_urls(URLS), Order(), store=ports.store, frontier=ports.frontier, now=MOMENT)
    assert isinstance(job, StoredJob)
    return job


async def put_receipt(ports: RebuildPorts, receipt: Receipt) -> str:
    key = keys.receipt(receipt.job_id, receipt.batch_id, receipt.part)
    await ports.store.put(key, canonical_bytes(receipt))
    return key


async def put_snapshots(ports: RebuildPorts, segment_id: str, lines: list[SnapshotLine]) -> str:
    key = keys.snapshots(EXTRACTOR, segment_id)
    await ports.store.put(keys.conversion(EXTRACTOR, segment_id, "a2"), b"WARC")
    await ports.store.put(key, gzip.compress(b"".join(canonical_bytes(line) + b"\n" for line in lines)))
    return key


def client_of(ports: RebuildPorts):
    assert isinstance(ports.state, RedisState)
    return ports.state.client


def test_a_new_archive_is_the_rebuild_of_nothing(on_archive):
    async def scenario(ports: RebuildPorts) -> None:
        first = await settle(ports, now=NOW)
        assert first is not None
        assert (first.epoch, first.objects) == (1, 0)
        assert await ports.frontier.jobs() == []
        assert await settle(ports, now=NOW) is None, "nothing to do the second time"

    on_archive(scenario)


def test_everything_comes_back_after_redis_was_emptied(
    on_archive, receipt_of: Callable[..., Receipt], snapshot_lines_of: Callable[..., list[SnapshotLine]]
):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=NOW)
        job = await stored_job(ports)
        done = receipt_of(URLS[:3], failed=URLS[3:4], job_id=job.id, batch_id="b-01", segment_id=SEGMENTS[0])
        part = receipt_of(URLS[4:6], job_id=job.id, batch_id="b-02", segment_id=SEGMENTS[1], last=False)
        lines = snapshot_lines_of(done)
        done_key, _ = await put_receipt(ports, done), await put_receipt(ports, part)
        snapshots_key = await put_snapshots(ports, SEGMENTS[0], lines)
        await put_snapshots(ports, SEGMENTS[2], lines)  # of an attempt that no receipt names
        await ports.store.put(keys.prints(PARAMS, SEGMENTS[0]), b"")
        await ports.store.put(keys.clusters(PARAMS, SEGMENTS[0]), b"")

        await client_of(ports).flushall()
        with pytest.raises(EpochError):
            await ports.frontier.progress(job.id)
        rebuilt = await settle(ports, now=NOW)

        assert rebuilt is not None
        assert (rebuilt.epoch, rebuilt.jobs, rebuilt.outcomes, rebuilt.queued, rebuilt.snapshots) == (2, 1, 6, 3, 3)
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert (progress.known, progress.done, progress.intake_open) == (9, 6, False)
        assert progress.outcomes == {"captured": 5, "timeout": 1}
        ready = await ports.frontier.release(now_ms=0, batches=1, urls=50)
        assert sorted(url.requested_url for batch in ready for url in batch.urls) == URLS[6:]
        first, second = await ports.ledger.of_job(job.id)
        assert (first.stage, first.receipt_key, first.snapshots_key) == ("clustered", done_key, snapshots_key)
        assert first.prints_key == keys.prints(PARAMS, SEGMENTS[0])
        assert first.clusters_key == keys.clusters(PARAMS, SEGMENTS[0])
        assert (second.segment_id, second.stage) == (SEGMENTS[1], "committed")
        assert set(await ports.catalog.snapshots_of_job(job.id)) == {line.snapshot.id for line in lines}
        assert await ports.catalog.snapshot(lines[1].snapshot.id) == lines[1]
        response = part.outcomes[0].hops[0].records[1]
        assert await ports.catalog.locate(response.record_id) is not None
        digest = part.outcomes[0].hops[0].content_sha256 or ""
        assert (await ports.revisits.find("default", [digest]))[digest].record_id == response.record_id
        found = await read_epoch(ports.store)
        assert found is not None
        assert found.reason == "Redis had lost its state"

    on_archive(scenario)


def asking(receipt: Receipt, revalidation: Revalidation) -> Receipt:
    """The receipt, with this to ask with next time for each of its URLs."""
    outcomes = [
        outcome.model_copy(update={"hops": (outcome.hops[0].model_copy(update={"revalidation": revalidation}),)})
        for outcome in receipt.outcomes
    ]
    return receipt.model_copy(update={"outcomes": tuple(outcomes)})


def test_what_a_request_can_ask_with_comes_back_and_of_one_url_the_newest(on_archive, receipt_of):
    """R082: validators verbatim. The batch that was made later may have captured a URL earlier."""
    first, second = (
        Revalidation(etag='W/"v1"', last_modified="Fri, 21 Aug 2026 10:00:00 GMT"),
        Revalidation(etag='"v2"'),
    )

    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=NOW)
        job = await stored_job(ports)
        for number, (urls, said) in enumerate([(URLS[:2], first), (URLS[1:3], second)]):
            receipt = receipt_of(
                urls, job_id=job.id, batch_id=f"b-0{number}", segment_id=SEGMENTS[number],
                retrieved_at=f"2026-11-29T10:00:0{9 - number}.000000Z",
            )  # fmt: skip
            await put_receipt(ports, asking(receipt, said))
        await client_of(ports).flushall()
        await settle(ports, now=NOW)
        found = await ports.versions.find("default", URLS[:4])
        assert {url: version.etag for url, version in found.items()} == {
            URLS[0]: 'W/"v1"',
            URLS[1]: 'W/"v1"',
            URLS[2]: '"v2"',
        }
        assert found[URLS[0]].last_modified == "Fri, 21 Aug 2026 10:00:00 GMT"

    on_archive(scenario)


def test_a_job_that_was_stored_and_never_queued_is_queued_by_a_rebuild(on_archive):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=NOW)
        job = await stored_job(ports)
        await client_of(ports).flushall()
        rebuilt = await settle(ports, now=NOW)
        assert rebuilt is not None
        assert rebuilt.queued == job.seeds

    on_archive(scenario)


def test_of_two_captures_of_one_url_the_first_counts(on_archive, receipt_of: Callable[..., Receipt]):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=NOW)
        job = await stored_job(ports)
        await put_receipt(ports, receipt_of(URLS[:1], job_id=job.id, batch_id="b-02", segment_id=SEGMENTS[1]))
        await put_receipt(
            ports, receipt_of([], failed=URLS[:1], job_id=job.id, batch_id="b-01", segment_id=SEGMENTS[0])
        )
        await rebuild(ports, now=NOW, reason="asked for")
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert progress.outcomes == {"timeout": 1}

    on_archive(scenario)


def test_a_redis_of_another_time_is_not_believed(on_archive):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=NOW)
        job = await stored_job(ports)
        client = client_of(ports)
        await client.set(names.EPOCH, "7")
        await client.hset(names.open_urls(job.id), "x", "a URL that no job has")
        await client.rpush("capture", "a message")
        rebuilt = await settle(ports, now=NOW)
        assert rebuilt is not None
        assert rebuilt.epoch == 2
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert progress.known == 9
        assert await client.llen("capture") == 1

    on_archive(scenario)


def test_a_rebuild_that_is_cut_off_lets_nobody_in_and_begins_again(on_archive):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=NOW)
        job = await stored_job(ports)
        await client_of(ports).flushall()
        stone = await ports.store.get(job.seed_parts[0].key)
        await ports.store.put(job.seed_parts[0].key, b"not what was stored")
        with pytest.raises(CorruptError):
            await settle(ports, now=NOW)
        with pytest.raises(EpochError):
            await ports.frontier.jobs()
        await ports.store.put(job.seed_parts[0].key, stone)
        rebuilt = await settle(ports, now=NOW)
        assert rebuilt is not None
        assert (rebuilt.epoch, rebuilt.queued) == (3, 9)

    on_archive(scenario)


def test_a_redis_that_is_emptied_during_the_rebuild_is_noticed(on_archive):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=NOW)

        async def disaster() -> None:
            await client_of(ports).flushall()

        with pytest.raises(RetryableError, match="during the rebuild"):
            await rebuild(replace(ports, steps=(disaster,)), now=NOW, reason="asked for")
        assert (await settle(ports, now=NOW)) is not None

    on_archive(scenario)


def test_while_one_process_rebuilds_another_waits_for_it(on_archive):
    async def scenario(ports: RebuildPorts) -> None:
        other = replace(
            ports, lease=Singleton(client_of(ports), "other", key=names.REBUILDER), epoch=Epoch(ports.store)
        )

        async def meanwhile() -> None:
            with pytest.raises(RetryableError, match="another process rebuilds"):
                await settle(other, now=NOW)

        rebuilt = await rebuild(replace(ports, steps=(meanwhile,)), now=NOW, reason="asked for")
        assert await settle(other, now=NOW) is None
        assert other.epoch.number == rebuilt.epoch

    on_archive(scenario)


def test_receipts_of_stragglers_are_taken_in_later(on_archive, receipt_of: Callable[..., Receipt]):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=NOW)
        job = await stored_job(ports)
        rebuilt = await rebuild(ports, now=NOW, reason="asked for")
        await put_receipt(ports, receipt_of(URLS[:2], job_id=job.id, batch_id="b-01", segment_id=SEGMENTS[0]))
        assert await catch_up(ports, rebuilt.receipts) == 1
        assert await catch_up(ports, rebuilt.receipts) == 0
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert (progress.known, progress.done) == (9, 2)
        assert [entry.stage for entry in await ports.ledger.of_job(job.id)] == ["committed"]
        ready = await ports.frontier.release(now_ms=0, batches=1, urls=50)
        assert {url.requested_url for batch in ready for url in batch.urls} == set(URLS[2:]), "and not fetched again"

    on_archive(scenario)


def test_a_parked_segment_stays_parked_unless_it_got_on(
    on_archive, receipt_of: Callable[..., Receipt], snapshot_lines_of
):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=NOW)
        job = await stored_job(ports)
        for number in range(2):
            receipt = receipt_of(
                URLS[number : number + 1], job_id=job.id, batch_id=f"b-0{number}", segment_id=SEGMENTS[number]
            )
            key = await put_receipt(ports, receipt)
            parked = ParkedSegment(
                schema="citevault/parked@1", segment_id=SEGMENTS[number], job_id=job.id, stage="committed",
                receipt_key=key, tries=5, reason="it did not get on", parked_at=NOW,
            )  # fmt: skip
            await ports.store.put(keys.parked("committed", SEGMENTS[number]), canonical_bytes(parked))
        await put_snapshots(ports, SEGMENTS[1], snapshot_lines_of(receipt))
        await rebuild(ports, now=NOW, reason="asked for")
        assert [(entry.stage, entry.parked) for entry in await ports.ledger.of_job(job.id)] == [
            ("committed", True),
            ("extracted", False),
        ]

    on_archive(scenario)


def test_a_receipt_that_cannot_be_read_is_named(on_archive):
    async def scenario(ports: RebuildPorts) -> None:
        await ports.store.put("commits/job-1/b-1-0000.json", b'{"schema": "citevault/receipt@1"}')
        with pytest.raises(CorruptError) as caught:
            await settle(ports, now=NOW)
        assert caught.value.where == "commits/job-1/b-1-0000.json"

    on_archive(scenario)
