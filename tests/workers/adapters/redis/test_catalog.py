"""Look-ups on a real Valkey, over snapshot files in a store."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.canonical import canonical_bytes
from schemas.records.compaction import Compaction
from schemas.records.receipt import Receipt, StoredFile
from schemas.records.snapshot import SnapshotLine
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis import catalog as redis_catalog
from workers.adapters.redis.catalog import BYTES_A_RECORD, BYTES_A_SNAPSHOT, RedisCatalog
from workers.adapters.redis.guard import Guard
from workers.errors import EpochError, PermanentError
from workers.ports import FilePlace

KEY = "text/x/2026/11/29/s.jsonl.gz"
Receipts = Callable[..., Receipt]
Compactions = Callable[..., Compaction]
Lines = Callable[..., list[SnapshotLine]]


@pytest.fixture
def stored(tmp_path: Path) -> Callable[..., DirectoryObjectStore]:
    async def make(lines: list[SnapshotLine], key: str = KEY) -> DirectoryObjectStore:
        store = DirectoryObjectStore(tmp_path)
        await store.put(key, gzip.compress(b"".join(canonical_bytes(line) + b"\n" for line in lines)))
        return store

    return make


def test_records_are_found_where_their_receipt_says(on_redis, stored, receipt_of: Receipts, snapshot_lines_of: Lines):
    receipt = receipt_of(["https://a.test/1", "https://a.test/2"])
    lines = snapshot_lines_of(receipt)

    async def scenario(guard: Guard) -> None:
        catalog = RedisCatalog(guard, await stored(lines))
        response = receipt.outcomes[1].hops[0].records[1]
        assert await catalog.locate(response.record_id) is None
        await catalog.add_receipt(receipt)
        await catalog.add_receipt(receipt)
        found = await catalog.locate(response.record_id)
        assert found is not None
        assert receipt.warc is not None
        assert (found.key, found.offset, found.length) == (receipt.warc.key, response.offset, response.length)
        await catalog.add_snapshots(KEY, lines)
        assert await catalog.locate(lines[1].snapshot.records.conversion or "") == lines[1].conversion

    on_redis(scenario)


def test_records_of_a_joined_file_are_found_where_it_lies_now(
    on_redis, stored, receipt_of: Receipts, compaction_of: Compactions
):
    """Whatever comes first, its receipt or the compaction, and though the receipt comes again."""
    receipts = [receipt_of([f"https://a.test/{n}"], segment_id=f"20261129T10000{n}Z-X") for n in range(3)]
    files = [receipt.warc for receipt in receipts if receipt.warc is not None]
    once = compaction_of(1, "warc/once", files[0], files[1])
    again = compaction_of(2, "warc/again", files[2], once.warc)
    response = receipts[1].outcomes[0].hops[0].records[1]
    moved_to = 50 + 1000 + 50 + 1000

    async def scenario(guard: Guard) -> None:
        catalog = RedisCatalog(guard, await stored([]))
        await catalog.add_receipt(receipts[1])
        assert (await catalog.compacted(), await catalog.moved(files[1].key, 0)) == (0, None)
        await catalog.add_compaction(once)
        await catalog.add_compaction(again)
        await catalog.add_compaction(once)
        await catalog.add_receipt(receipts[1])
        await catalog.add_receipt(receipts[0])
        found = await catalog.locate(response.record_id)
        assert found is not None
        assert (found.key, found.offset, found.length) == ("warc/again", moved_to + response.offset, response.length)
        assert await catalog.moved(files[1].key, 7) == FilePlace("warc/again", moved_to + 7)
        assert await catalog.moved("warc/once", 0) == FilePlace("warc/again", 50 + 1000)
        assert await catalog.moved("warc/again", 0) is None
        assert await catalog.moved("warc/nowhere", 0) is None
        assert await catalog.compacted() == 2
        await guard.client.flushall()
        for call in (catalog.compacted(), catalog.moved(files[1].key, 0), catalog.add_compaction(once)):
            with pytest.raises(EpochError):
                await call

    on_redis(scenario)


def test_a_compaction_of_many_files_is_whole_before_it_counts(
    on_redis, stored, monkeypatch, compaction_of: Compactions
):
    files = [StoredFile(key=f"warc/{number}", bytes=7, sha256="0" * 64, entries=1) for number in range(11)]
    many = compaction_of(3, "warc/many", *files)

    async def scenario(guard: Guard) -> None:
        monkeypatch.setattr(redis_catalog, "CHUNK", 4)
        catalog = RedisCatalog(guard, await stored([]))
        await catalog.add_compaction(many)
        assert [await catalog.moved(file.key, 1) for file in files] == [
            FilePlace("warc/many", 50 + 7 * number + 1) for number in range(11)
        ]
        assert await catalog.compacted() == 3

    on_redis(scenario)


def test_a_snapshot_is_read_from_its_line(on_redis, stored, receipt_of: Receipts, snapshot_lines_of: Lines):
    lines = snapshot_lines_of(receipt_of([f"https://a.test/{number}" for number in range(20)]))

    async def scenario(guard: Guard) -> None:
        catalog = RedisCatalog(guard, await stored(lines))
        await catalog.add_snapshots(KEY, lines)
        for line in lines:
            assert await catalog.snapshot(line.snapshot.id) == line
        assert await catalog.snapshot("snap-000000000000-20261129T100000Z-00000000") is None
        assert await catalog.snapshot("no id at all") is None

    on_redis(scenario)


def test_a_later_extraction_takes_the_place_of_an_earlier_one(
    on_redis, stored, receipt_of: Receipts, snapshot_lines_of: Lines
):
    lines = snapshot_lines_of(receipt_of(["https://a.test/1"]))
    better = [line.model_copy(update={"snapshot": line.snapshot.model_copy(update={"title": "T"})}) for line in lines]

    async def scenario(guard: Guard) -> None:
        await stored(lines)
        catalog = RedisCatalog(guard, await stored(better, "text/y/s"))
        await catalog.add_snapshots(KEY, lines)
        await catalog.add_snapshots("text/y/s", better)
        assert await catalog.snapshot(lines[0].snapshot.id) == better[0]
        assert await catalog.newest() == [lines[0].snapshot.id]

    on_redis(scenario)


def test_a_resource_is_found_as_requested_and_as_final_url_newest_first(
    on_redis, stored, receipt_of: Receipts, snapshot_lines_of: Lines
):
    requested, final = "https://a.test/old?utm_source=x", "https://a.test/new"
    first = snapshot_lines_of(receipt_of([requested]), {requested: final})
    second = snapshot_lines_of(
        receipt_of([final], segment_id="20261130T100000Z-X", retrieved_at="2026-11-30T10:00:00Z")
    )

    async def scenario(guard: Guard) -> None:
        catalog = RedisCatalog(guard, await stored(first))
        await catalog.add_snapshots(KEY, first)
        await catalog.add_snapshots("text/x/other", second)
        old, new = first[0].snapshot.id, second[0].snapshot.id
        assert await catalog.snapshots_of("https://a.test/new") == [new, old]
        assert await catalog.snapshots_of("https://a.test/old") == [old]
        assert await catalog.snapshots_of("https://a.test/") == []

    on_redis(scenario)


def test_snapshots_of_a_job_come_in_order_and_those_of_the_archive_newest_first(
    on_redis, stored, receipt_of: Receipts, snapshot_lines_of: Lines
):
    lines = [
        *snapshot_lines_of(receipt_of(["https://a.test/1"], retrieved_at="2026-11-29T10:00:00.002Z")),
        *snapshot_lines_of(receipt_of(["https://a.test/2"], retrieved_at="2026-11-29T10:00:00.001Z")),
        *snapshot_lines_of(receipt_of(["https://a.test/3"], retrieved_at="2026-11-29T10:00:01Z", job_id="job-2")),
    ]
    later, earlier, other = (line.snapshot.id for line in lines)

    async def scenario(guard: Guard) -> None:
        catalog = RedisCatalog(guard, await stored(lines))
        await catalog.add_snapshots(KEY, lines)
        assert await catalog.snapshots_of_job("job-1") == [earlier, later]
        assert await catalog.newest(limit=2) == [other, later]
        assert await catalog.newest(limit=2, before=later) == [earlier]
        with pytest.raises(PermanentError, match="no such snapshot"):
            await catalog.newest(before="snap-unknown")

    on_redis(scenario)


def test_an_emptied_redis_is_an_epoch_error_and_never_an_empty_archive(
    on_redis, stored, receipt_of: Receipts, snapshot_lines_of: Lines
):
    receipt = receipt_of(["https://a.test/1"])
    lines = snapshot_lines_of(receipt)

    async def scenario(guard: Guard) -> None:
        catalog = RedisCatalog(guard, await stored(lines))
        await guard.client.flushall()
        for call in (
            lambda: catalog.add_receipt(receipt),
            lambda: catalog.add_snapshots(KEY, lines),
            lambda: catalog.locate(lines[0].snapshot.records.response),
            lambda: catalog.snapshots_of("https://a.test/1"),
            lambda: catalog.snapshot(lines[0].snapshot.id),
            catalog.newest,
            lambda: catalog.newest(before=lines[0].snapshot.id),
            lambda: catalog.snapshots_of_job("job-1"),
        ):
            with pytest.raises(EpochError):
                await call()

    on_redis(scenario)


def test_the_memory_that_the_docstring_states_is_not_exceeded(
    on_redis, stored, receipt_of: Receipts, snapshot_lines_of: Lines
):
    receipt = receipt_of([f"https://a.test/articles/2026/{number}" for number in range(2000)])
    lines = snapshot_lines_of(receipt)
    plain = [line.model_copy(update={"conversion": None}) for line in lines]

    async def scenario(guard: Guard) -> None:
        async def used() -> int:
            return int((await guard.client.info("memory"))["used_memory"])

        catalog = RedisCatalog(guard, await stored(lines[:1]))
        before = await used()
        await catalog.add_receipt(receipt)
        between = await used()
        assert (between - before) / 4000 < BYTES_A_RECORD
        await catalog.add_snapshots(KEY, plain)
        assert (await used() - between) / 2000 < BYTES_A_SNAPSHOT

    on_redis(scenario)
