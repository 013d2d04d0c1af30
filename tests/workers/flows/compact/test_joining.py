"""Joining: every record stays what it was, is found where it lies now, and stands in one file."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas import keys
from workers.archive.parsing import WarcRecord
from workers.archive.reading import read_file
from workers.errors import CorruptError, PermanentError
from workers.flows.compact import JoinLimits, compact, planned
from workers.flows.compact.log import compactions_after
from workers.ports import ObjectStore

LIMITS = JoinLimits(bytes=10_000_000)
BLOCKS = st.lists(st.binary(max_size=300), min_size=1, max_size=4)


@pytest.mark.parametrize("store", ["directory", "s3"], indirect=True)
def test_small_files_become_one_and_nothing_of_them_changes(on_shelf):
    async def scenario(shelf):
        receipts = [await shelf.commit([b"one %d" % n, b"two %d" % n]) for n in range(5)]
        done = await compact(shelf.ports(), LIMITS)
        (entry,) = done.made
        assert (done.damaged, done.lost, done.files) == ([], 0, 1)
        await shelf.is_whole()
        data = await shelf.store.get(entry.warc.key)
        for source, receipt in zip(entry.sources, receipts, strict=True):
            assert source.warc == receipt.warc
            assert data[source.start : source.start + source.warc.bytes] == await shelf.store.get(receipt.warc.key)
        first = next(read_file(io.BytesIO(data))).record
        assert isinstance(first, WarcRecord)
        assert (first.type, first.id) == ("warcinfo", entry.warcinfo.record_id)
        assert first.header("WARC-Filename") == entry.warc.key.rpartition("/")[2]
        assert ("isPartOf", "default") in (first.fields() or [])
        first.block.close()
        assert list(shelf.ports().folder.iterdir()) == [], "the room on disk is given back"
        again = await compact(shelf.ports(), LIMITS)
        assert (again.made, again.files) == ([], 1)

    on_shelf(scenario)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(rounds=st.lists(st.lists(BLOCKS, min_size=1, max_size=5), min_size=1, max_size=4), zstd=st.booleans())
def test_every_record_keeps_its_bytes_however_files_are_joined_and_joined_again(on_shelf, rounds, zstd):
    async def scenario(shelf):
        for key in await shelf.keys(""):
            await shelf.store.delete(key)
        for files in rounds:
            for blocks in files:
                await shelf.commit(blocks, compression="zstd" if zstd else "gzip")
            await compact(shelf.ports(), LIMITS)
            await shelf.is_whole()

    on_shelf(scenario)


def test_a_file_that_was_joined_is_joined_again_once_it_doubles(on_shelf):
    async def scenario(shelf):
        for _ in range(2):
            await shelf.commit([b"x" * 50])
        await compact(shelf.ports(), LIMITS)
        await shelf.commit([b"y"])
        assert (await compact(shelf.ports(), LIMITS)).made == [], "one more would copy two"
        for _ in range(3):
            await shelf.commit([b"y" * 90])
        (entry,) = (await compact(shelf.ports(), LIMITS)).made
        assert [source.receipt_key is None for source in entry.sources].count(True) == 1
        await shelf.is_whole()
        assert [each.sequence async for each in compactions_after(shelf.store)] == [1, 2]

    on_shelf(scenario)


def test_collections_and_packings_are_kept_apart(on_shelf):
    async def scenario(shelf):
        for collection in "ab":
            for compression in ("gzip", "zstd"):
                for _ in range(2):
                    await shelf.commit([b"x"], collection=collection, compression=compression)
        done = await compact(shelf.ports(), LIMITS)
        made = sorted((entry.collection, entry.warc.key.rpartition(".")[2]) for entry in done.made)
        assert made == [("a", "gz"), ("a", "zst"), ("b", "gz"), ("b", "zst")]
        await shelf.is_whole()

    on_shelf(scenario)


def test_large_files_are_streamed_in_pieces(on_shelf, monkeypatch):
    monkeypatch.setattr("workers.flows.compact.building.PIECE_BYTES", 1000)

    async def scenario(shelf):
        noise = b"".join(b"%x" % (n * n * 2654435761 % 2**61) for n in range(4000))
        for blocks in ([noise], [b"small"], [b"small"], [noise, noise]):
            await shelf.commit(blocks)
        (entry,) = (await compact(shelf.ports(), LIMITS)).made
        assert len(entry.sources) == 4
        await shelf.is_whole()

    on_shelf(scenario)


@pytest.mark.parametrize("which", ["warc", "cdxj"])
@pytest.mark.parametrize("how", ["other", "gone", "short"])
def test_a_damaged_file_is_told_and_left_alone_and_the_others_are_joined(on_shelf, which, how):
    async def scenario(shelf):
        receipts = [await shelf.commit([b"x" * 20]) for _ in range(4)]
        key = getattr(receipts[2], which).key
        whole = await shelf.store.get(key)
        await shelf.store.delete(key)
        if how != "gone":
            await shelf.store.put(key, whole[:-1] if how == "short" else whole[:-1] + b"?")
        done = await compact(shelf.ports(), LIMITS)
        assert [each.key for each in done.damaged] == [key]
        assert [len(entry.sources) for entry in done.made] == [3]
        assert (await compact(shelf.ports(), LIMITS)).made == []
        await shelf.store.put(key, whole)
        await shelf.is_whole()

    on_shelf(scenario)


def test_a_receipt_that_cannot_be_read_is_told_and_its_file_left_alone(on_shelf):
    async def scenario(shelf):
        receipts = [await shelf.commit([b"x"]) for _ in range(3)]
        key = keys.receipt("job-1", receipts[0].batch_id, 0)
        await shelf.store.put(key, b"{}")
        done = await compact(shelf.ports(), LIMITS)
        assert [each.key for each in done.damaged] == [key]
        assert [source.warc.key for source in done.made[0].sources] == [each.warc.key for each in receipts[1:]]

    on_shelf(scenario)


def test_a_damaged_entry_of_the_log_stops_it_before_anything_is_written(on_shelf):
    async def scenario(shelf):
        for _ in range(2):
            await shelf.commit([b"x"])
        await compact(shelf.ports(), LIMITS)
        before = await shelf.keys("")
        await shelf.store.put(keys.compaction(1), b"{}")
        for _ in range(3):
            await shelf.commit([b"x"])
        with pytest.raises(CorruptError, match="cannot be read"):
            await compact(shelf.ports(), LIMITS)
        assert [key for key in await shelf.keys("warc/") if "-joined" in key and key not in before] == []

    on_shelf(scenario)


def test_without_room_on_disk_it_says_so_and_leaves_nothing(on_shelf):
    async def scenario(shelf):
        for _ in range(2):
            await shelf.commit([b"x"])
        with pytest.raises(PermanentError, match="bytes of room, and 1000 are free"):
            await compact(shelf.ports(free=1000), LIMITS)
        assert await shelf.keys("compactions/") == []

    on_shelf(scenario)


def test_a_plan_writes_nothing(on_shelf):
    async def scenario(shelf):
        for _ in range(3):
            await shelf.commit([b"x"])
        before = await shelf.keys("")
        standing, groups, damaged = await planned(shelf.ports(), LIMITS)
        assert (len(standing.files), [len(group.files) for group in groups], damaged) == (3, [3], [])
        assert await shelf.keys("") == before
        assert await shelf.catalog.compacted() == 0

    on_shelf(scenario)


class InStep:
    """A store whose first new entry of the log waits until two runs are about to write one."""

    def __init__(self, store: ObjectStore, both: asyncio.Barrier) -> None:
        self._store, self._both, self._first = store, both, True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def create(self, key: str, body: bytes, **kind: Any) -> bool:
        if self._first:
            self._first = False
            await self._both.wait()
        return await self._store.create(key, body, **kind)


@pytest.mark.parametrize("store", ["directory", "s3"], indirect=True)
def test_of_two_runs_at_once_one_joins_a_file_and_the_other_drops_what_it_made(on_shelf):
    async def scenario(shelf):
        files = {(await shelf.commit([b"x" * 100])).warc.key for _ in range(6)}
        limits, both = JoinLimits(bytes=10_000_000, files=3), asyncio.Barrier(2)
        first, second = await asyncio.gather(
            *(compact(shelf.ports(InStep(shelf.store, both), folder), limits) for folder in ("first", "second"))
        )
        joined = [source.warc.key for done in (first, second) for entry in done.made for source in entry.sources]
        assert len(joined) == len(set(joined)), "no file is joined twice, also those that one of them had made"
        assert files <= set(joined)
        assert first.lost + second.lost > 0
        await shelf.is_whole()
        named = {entry.warc.key async for entry in compactions_after(shelf.store)}
        assert {key for key in await shelf.keys("warc/") if "-joined" in key} == named

    on_shelf(scenario)
