"""What was joined is deleted late, in order, and only where its new file was read back and found whole."""

from __future__ import annotations

import asyncio

import pytest

from schemas import keys
from schemas.records.compaction import CompactionCleared
from workers.errors import ObjectMissingError, PermanentError
from workers.flows.compact import JoinLimits, clear, compact
from workers.flows.documents import read_object
from workers.flows.extract.members import SegmentRecords
from workers.flows.places import present_place, read_range
from workers.ports import FilePlace

LIMITS = JoinLimits(bytes=10_000_000)
WEEK = 7 * 86_400.0


async def joined(shelf, files=4):
    receipts = [await shelf.commit([b"page %d" % number]) for number in range(files)]
    (entry,) = (await compact(shelf.ports(), LIMITS)).made
    return receipts, entry


@pytest.mark.parametrize("store", ["directory", "s3"], indirect=True)
def test_files_stay_for_their_days_and_go_with_their_indexes(on_shelf):
    async def scenario(shelf):
        receipts, entry = await joined(shelf)
        shelf.clock.pass_days(6.9)
        early = await clear(shelf.ports(), grace_seconds=WEEK)
        assert ([each.sequence for each in early.waiting], early.files) == ([1], 0)
        assert len(await shelf.keys("warc/")) == 5
        shelf.clock.pass_days(0.2)
        dry = await clear(shelf.ports(), grace_seconds=WEEK, dry=True)
        assert (dry.files, len(await shelf.keys("warc/"))) == (4, 5)
        done = await clear(shelf.ports(), grace_seconds=WEEK)
        assert (done.files, done.bytes) == (4, sum(receipt.warc.bytes for receipt in receipts))
        assert await shelf.keys("warc/") == [entry.warc.key]
        assert await shelf.keys("cdxj/") == [entry.cdxj.key]
        note = await read_object(shelf.store, keys.compaction_cleared(1), CompactionCleared)
        assert (note.sequence, note.deleted) == (1, 8)
        await shelf.is_whole()

    on_shelf(scenario)


def flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize("what", ["flipped", "short", "gone", "index", "index gone"])
def test_a_new_file_that_is_not_whole_keeps_what_it_joined(on_shelf, what):
    async def scenario(shelf):
        _, entry = await joined(shelf)
        key = entry.cdxj.key if "index" in what else entry.warc.key
        whole = await shelf.store.get(key)
        await shelf.store.delete(key)
        if "gone" not in what:
            await shelf.store.put(key, whole[:-1] if what == "short" else flip(whole, len(whole) // 2))
        shelf.clock.pass_days(8)
        done = await clear(shelf.ports(), grace_seconds=WEEK)
        assert [each.key.removeprefix("s3://") for each in done.damaged] == [key]
        assert done.files == 0
        assert len([each for each in await shelf.keys("warc/") if "-a1." in each]) == 4
        await shelf.store.put(key, whole)
        assert (await clear(shelf.ports(), grace_seconds=WEEK)).files == 4
        await shelf.is_whole()

    on_shelf(scenario)


def test_a_file_whose_own_sources_are_kept_is_kept_too(on_shelf):
    """A new file that was joined again is deleted only after what it had joined."""

    async def scenario(shelf):
        _, first = await joined(shelf)
        shelf.clock.pass_days(1)
        for _ in range(5):
            await shelf.commit([b"more to come" * 9])
        (second,) = (await compact(shelf.ports(), LIMITS)).made
        assert first.warc.key in {source.warc.key for source in second.sources}
        whole = await shelf.store.get(first.warc.key)
        await shelf.store.put(first.warc.key, flip(whole, 99))
        shelf.clock.pass_days(30)
        done = await clear(shelf.ports(), grace_seconds=WEEK)
        assert (done.files, [each.key for each in done.damaged]) == (0, [first.warc.key])
        await shelf.store.put(first.warc.key, whole)
        done = await clear(shelf.ports(), grace_seconds=WEEK)
        assert [each.sequence for each in done.entries] == [1, 2]
        assert await shelf.keys("warc/") == [second.warc.key]
        await shelf.is_whole()

    on_shelf(scenario)


def test_who_has_an_old_place_finds_the_record_where_it_lies_now(on_shelf):
    """Readers that had their place from a receipt, or looked it up before, and come when the file is gone."""

    async def scenario(shelf):
        receipts, entry = await joined(shelf)
        place = receipts[2].outcomes[0].hops[0].records[0]
        old = (await shelf.catalog.locate(place.record_id)).model_copy(
            update={"key": receipts[2].warc.key, "offset": place.offset}
        )
        shelf.clock.pass_days(8)
        await clear(shelf.ports(), grace_seconds=WEEK)
        with pytest.raises(ObjectMissingError):
            await shelf.store.get(old.key)
        catalog = shelf.catalog
        expected = shelf.members[place.record_id]
        assert await read_range(shelf.store, catalog, old.key, old.offset, old.length) == expected
        now = await present_place(shelf.store, catalog, old)
        assert (now.key, now.length) == (entry.warc.key, old.length)
        assert await catalog.moved(old.key, 0) == FilePlace(entry.warc.key, entry.sources[2].start)
        records = SegmentRecords(shelf.store, catalog, receipts[2])
        for wanted in receipts[2].outcomes[0].hops[0].records:
            record = await records.own(wanted)
            assert record.id == wanted.record_id
            record.block.close()
        with pytest.raises(ObjectMissingError, match="gone"):
            await read_range(shelf.store, catalog, "warc/never", 0, 1)

    on_shelf(scenario)


def test_readers_read_on_while_files_are_joined_and_deleted(on_shelf):
    """Each by the place that it looked up just before, or by the receipt, as extraction does."""

    async def scenario(shelf):
        receipts = [await shelf.commit([b"page %d" % number * 50, b"rest"]) for number in range(12)]
        ended = asyncio.Event()

        async def read() -> int:
            count = 0
            while not ended.is_set():
                for receipt in receipts:
                    records = SegmentRecords(shelf.store, shelf.catalog, receipt)
                    for outcome in receipt.outcomes:
                        for wanted in outcome.hops[0].records:
                            (await records.own(wanted)).block.close()
                            place = await shelf.catalog.locate(wanted.record_id)
                            await asyncio.sleep(0)
                            found = await read_range(shelf.store, shelf.catalog, place.key, place.offset, place.length)
                            assert found == shelf.members[wanted.record_id]
                            count += 1
            return count

        async def work() -> None:
            for size in (3, 6, 12):
                await compact(shelf.ports(), JoinLimits(bytes=10_000_000, files=size))
                shelf.clock.pass_days(8)
                await clear(shelf.ports(), grace_seconds=WEEK)
            ended.set()

        reader, _ = await asyncio.gather(read(), work())
        assert reader > 50
        await shelf.is_whole()

    on_shelf(scenario)


def test_files_of_a_run_that_was_stopped_are_garbage_after_two_days_and_no_others(on_shelf):
    async def scenario(shelf):
        _, entry = await joined(shelf)
        left = ["warc/2026/11/29/20261129T100000Z-X-joined.warc.gz", "cdxj/2026/11/29/20261129T100000Z-X-joined.cdxj"]
        others = ["warc/2026/11/29/20261129T100000Z-X-a9.warc.gz", "warc/2026/11/29/strange-joined.warc.gz"]
        for key in (*left, *others):
            await shelf.store.put(key, b"x")
        shelf.clock.pass_days(0.9)
        assert (await clear(shelf.ports(), grace_seconds=WEEK)).garbage == []
        shelf.clock.pass_days(0.2)
        assert sorted((await clear(shelf.ports(), grace_seconds=WEEK)).garbage) == sorted(left)
        assert set(others) | {entry.warc.key} <= set(await shelf.keys("warc/"))
        assert left[0] not in await shelf.keys("warc/")
        await shelf.is_whole()

    on_shelf(scenario)


def test_without_room_to_read_it_back_nothing_is_deleted(on_shelf):
    async def scenario(shelf):
        await joined(shelf)
        shelf.clock.pass_days(8)
        with pytest.raises(PermanentError, match="are free"):
            await clear(shelf.ports(free=10), grace_seconds=WEEK)
        assert len(await shelf.keys("warc/")) == 5

    on_shelf(scenario)
