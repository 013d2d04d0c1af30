"""Reprocessing: outputs are added segment by segment, whatever stops it; what is damaged costs only itself."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from schemas import keys
from schemas.records.cluster import Fingerprint
from schemas.records.snapshot import SnapshotLine
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.errors import RetryableError
from workers.extract.options import html_extractor_id
from workers.flows.documents import read_lines_object
from workers.flows.reprocess import ReprocessPorts, reprocess

RECALL = html_extractor_id("recall")


@dataclass
class Stopping:
    """Gives up after so many pages, as a run that is interrupted."""

    inner: object
    left: int

    async def extract(self, payload, request):
        self.left -= 1
        if self.left < 0:
            raise RetryableError("the machine was switched off")
        return await self.inner.extract(payload, request)


def ports(bench, extractor=None) -> ReprocessPorts:
    own = bench.ports
    return ReprocessPorts(own.store, own.catalog, extractor or own.extractor, own.clock, own.software)


@pytest.fixture
def three(bench, captured, story):
    receipts = [bench.commit(captured(f"https://example.org/{n}", story + b"<p>%d</p>" % n)) for n in range(3)]
    for receipt in receipts:
        bench.extract(receipt)
    return receipts


def objects(bench) -> dict[str, bytes]:
    async def read() -> dict[str, bytes]:
        return {key: await bench.store.get(key) async for key in bench.store.list("")}

    return asyncio.run(read())


def test_what_is_added_stands_beside_the_old_and_nobody_is_told(bench, three) -> None:
    before, told = objects(bench), (len(bench.memory.snapshots), len(bench.memory.entries), len(bench.memory.messages))
    done = asyncio.run(reprocess([ports(bench), ports(bench)], focus="recall"))
    assert (done.segments, done.made, done.there, done.snapshots, done.left) == (3, 3, 0, 3, [])
    after = objects(bench)
    assert before.items() <= after.items()
    for receipt in three:
        lines = asyncio.run(read_lines_object(bench.store, keys.snapshots(RECALL, receipt.segment_id), SnapshotLine))
        assert [line.snapshot.extractor for line in lines] == [RECALL]
        assert keys.prints(PIPELINE_PARAMS, RECALL, receipt.segment_id) in after
    assert (len(bench.memory.snapshots), len(bench.memory.entries), len(bench.memory.messages)) == told


def test_a_run_that_was_stopped_goes_on_where_it_was(bench, three) -> None:
    with pytest.raises(RetryableError):
        asyncio.run(reprocess([ports(bench, Stopping(bench.extractor, 2))], focus="recall"))
    done = asyncio.run(reprocess([ports(bench)], focus="recall"))
    assert (done.there, done.made) == (2, 1)
    assert asyncio.run(reprocess([ports(bench)], focus="recall")).there == 3


def test_fingerprints_are_made_of_stored_texts_without_extracting(bench, three) -> None:
    asyncio.run(reprocess([ports(bench)], focus="recall"))
    key = keys.prints(PIPELINE_PARAMS, RECALL, three[0].segment_id)
    expected = asyncio.run(read_lines_object(bench.store, key, Fingerprint))
    asyncio.run(bench.store.delete(key))
    calls = bench.extractor.calls
    done = asyncio.run(reprocess([ports(bench)], focus="recall", extract=False))
    assert (done.made, done.there, bench.extractor.calls) == (1, 2, calls)
    assert asyncio.run(read_lines_object(bench.store, key, Fingerprint)) == expected


def test_a_damaged_segment_is_left_and_named(bench, three) -> None:
    asyncio.run(bench.store.delete(three[1].warc.key))
    asyncio.run(bench.store.put(three[1].warc.key, b"nothing of the kind"))
    done = asyncio.run(reprocess([ports(bench)], focus="recall"))
    assert (done.made, len(done.left)) == (2, 1)


def test_only_the_segments_of_a_collection_are_done_and_a_dry_run_writes_nothing(bench, three) -> None:
    assert asyncio.run(reprocess([ports(bench)], collection="other")).segments == 0
    before = objects(bench)
    assert asyncio.run(reprocess([ports(bench)], focus="precision", dry=True)).made == 3
    assert objects(bench) == before
