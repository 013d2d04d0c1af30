"""An archive of small files whose every byte is known: a store on disk or in SeaweedFS, a real Redis, and what must be
true of it whatever compaction was doing."""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import pytest

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.ids import segment_id, utc_string
from schemas.records.job import Lane
from schemas.records.outcome import Hop, Outcome, UrlOutcome
from schemas.records.receipt import Receipt, StoredFile, Token
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.catalog import RedisCatalog
from workers.adapters.redis.client import AsyncRedis, connect
from workers.adapters.redis.guard import Guard
from workers.archive.packing import ENDINGS, Compression
from workers.archive.parsing import WarcRecord
from workers.archive.reading import read_file
from workers.archive.record import Block, IndexFacts, build
from workers.archive.segment import SegmentWriter
from workers.archive.warcinfo import Warcinfo
from workers.flows.compact import CompactPorts, standing_files
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.ports import ObjectStore

T = TypeVar("T")
MOMENT = datetime(2026, 11, 29, 10, 0, tzinfo=UTC)
GIB = 1024**3


@dataclass
class Hands:
    """A clock that is set by hand."""

    at: datetime = MOMENT
    seconds: float = 0.0

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.seconds

    def pass_days(self, days: float) -> None:
        self.at += timedelta(days=days)


@dataclass
class Shelf:
    """The archive, and all that was ever put into it."""

    folder: Path
    store: ObjectStore
    redis: AsyncRedis
    clock: Hands = field(default_factory=Hands)
    members: dict[str, bytes] = field(default_factory=dict)
    """Record id to the bytes of its member, of all records of receipts."""
    urls: Counter[str] = field(default_factory=Counter)
    """How many index lines a URL has to have."""
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    @property
    def catalog(self) -> RedisCatalog:
        return RedisCatalog(Guard(self.redis, Epoch(number=1)), self.store)

    def ports(self, store: ObjectStore | None = None, folder: str = "new", free: int = 100 * GIB) -> CompactPorts:
        place = self.folder / folder
        place.mkdir(exist_ok=True)
        used = store or self.store
        guard = Guard(self.redis, Epoch(number=1))
        return CompactPorts(used, RedisCatalog(guard, used), self.clock, place, lambda: free, "citevault/test")

    async def commit(
        self, blocks: Sequence[bytes], *, collection: str = "default", compression: Compression = "gzip"
    ) -> Receipt:
        """Store a file of these blocks with its index and receipt, as capture does."""
        number = next(self._numbers)
        segment = segment_id(utc_string(MOMENT + timedelta(seconds=number)), f"01KB7Q8ZJ4M8V3T0N5R6W{number:05d}")
        key = keys.warc(segment, "a1", ENDINGS[compression])
        writer = SegmentWriter(
            self.folder,
            segment,
            "a1",
            Warcinfo(software="citevault/test"),
            created_at=utc_string(MOMENT),
            cdxj_filename=key.removeprefix("warc/"),
            compression=compression,
        )
        outcomes = []
        for block in blocks:
            url = f"https://a.test/{number}/{len(outcomes)}"
            places = writer.append(_records(url, block, writer.warcinfo_id), 0.0)
            hop = Hop(url=url, outcome=Outcome.CAPTURED, retrieved_at=utc_string(MOMENT), records=places)
            outcomes.append(
                UrlOutcome(requested_url=url, normalized_url=url, visit=1, outcome=Outcome.CAPTURED, hops=(hop,))
            )
            self.urls[url] += 1
        closed = writer.close()
        data = closed.path.read_bytes()
        for place in (closed.warcinfo, *(each for one in outcomes for each in one.hops[0].records)):
            self.members[place.record_id] = data[place.offset : place.offset + place.length]
        receipt = Receipt(
            schema="citevault/receipt@1",
            job_id="job-1",
            collection=collection,
            lane=Lane.BULK,
            batch_id=f"b-{number:06d}",
            part=0,
            segment_id=segment,
            attempt="a1",
            token=Token(epoch=1, counter=1),
            worker="w",
            opened_at=utc_string(MOMENT),
            committed_at=utc_string(MOMENT),
            warc=StoredFile(key=key, bytes=closed.size, sha256=closed.sha256, entries=closed.record_count),
            cdxj=StoredFile(
                key=keys.cdxj(segment, "a1"),
                bytes=len(closed.cdxj),
                sha256=sha256(closed.cdxj).hexdigest(),
                entries=closed.cdxj_count,
            ),
            warcinfo=closed.warcinfo,
            outcomes=tuple(outcomes),
            last=True,
        )
        await self.store.put(key, data)
        await self.store.put(keys.cdxj(segment, "a1"), closed.cdxj)
        closed.path.unlink()
        await self.store.put(keys.receipt("job-1", receipt.batch_id, 0), canonical_bytes(receipt))
        await self.catalog.add_receipt(receipt)
        return receipt

    async def is_whole(self) -> None:
        """Every record ever committed is found where the catalog says, byte for byte, and in one file of those that
        stand; and each index line names the record of its URL."""
        catalog = self.catalog
        for record_id, member in self.members.items():
            place = await catalog.locate(record_id)
            assert place is not None, record_id
            assert await self.store.get_range(place.key, place.offset, place.length) == member
        standing, damaged = await standing_files(self.store)
        assert damaged == []
        seen: Counter[str] = Counter()
        lines: Counter[str] = Counter()
        for file in standing.files:
            urls, count = {}, 0
            data = await self.store.get(file.warc.key)
            assert sha256(data).hexdigest() == file.warc.sha256
            for located in read_file(io.BytesIO(data)):
                assert isinstance(located.record, WarcRecord), located
                seen[located.record.id] += 1
                count += 1
                urls[located.offset] = (located.length, located.record.header("WARC-Target-URI"))
                located.record.block.close()
            assert count == file.warc.entries
            assert file.cdxj is not None
            index = await self.store.get(file.cdxj.key)
            assert index.splitlines() == sorted(set(index.splitlines()))
            for line in index.splitlines():
                fields = json.loads(line.split(b" ", 2)[2])
                assert f"warc/{fields['filename']}" == file.warc.key
                assert urls[int(fields["offset"])] == (int(fields["length"]), fields["url"])
                lines[fields["url"]] += 1
        assert lines == self.urls
        assert {record_id: seen[record_id] for record_id in self.members} == dict.fromkeys(self.members, 1)

    async def keys(self, prefix: str) -> list[str]:
        return sorted([key async for key in self.store.list(prefix)])


def _records(url: str, block: bytes, warcinfo_id: str):
    response, metadata = (f"urn:uuid:{uuid.uuid4()}" for _ in range(2))
    digest = sha256(block).hexdigest()
    common = [("WARC-Target-URI", url), ("WARC-Warcinfo-ID", f"<{warcinfo_id}>")]
    return (
        build(
            "resource",
            response,
            utc_string(MOMENT),
            Block.of(block),
            content_type="text/plain",
            fields=[*common, ("WARC-Payload-Digest", f"sha256:{digest}")],
            index=IndexFacts(url, utc_string(MOMENT), "text/plain", None, digest),
        ),
        build(
            "metadata",
            metadata,
            utc_string(MOMENT),
            Block.of(b"outcome: captured\r\n"),
            content_type="application/warc-fields",
            fields=common,
        ),
    )


@pytest.fixture(params=["directory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    """On disk; a test that wants S3 says so by `indirect` parameters."""
    if request.param == "s3":
        found: ObjectStore = request.getfixturevalue("object_store")
        return found
    return DirectoryObjectStore(tmp_path / "store")


@pytest.fixture
def on_shelf(redis_url: str, store: ObjectStore, tmp_path: Path) -> Callable[[Callable[[Shelf], Awaitable[T]]], T]:
    """Run a scenario in one event loop, over an empty archive."""

    def run(scenario: Callable[[Shelf], Awaitable[T]]) -> T:
        async def within() -> T:
            client = connect(redis_url)
            try:
                await client.flushall()
                await client.set(names.EPOCH, "1")
                return await scenario(Shelf(tmp_path, store, client))
            finally:
                await client.aclose()

        return asyncio.run(within())

    return run
