"""An archive of which segments are extracted, over a real Redis and a directory store, ready to be clustered."""

from __future__ import annotations

import asyncio
import hashlib
import random
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest

from deploy.bench.snapshots import made_up_snapshot
from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.messages import ClusterSegment
from schemas.records.job import Lane
from schemas.records.receipt import Receipt, Token
from schemas.records.snapshot import MemberLocation, ReaderStatus, Snapshot, SnapshotLine, SnapshotRecords
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.candidates import RedisCandidates
from workers.adapters.redis.catalog import RedisCatalog
from workers.adapters.redis.client import connect
from workers.adapters.redis.clusters import RedisClusters
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.archive.conversion import ConversionMethod, ConversionSource, conversion_records
from workers.archive.gzip_member import compress
from workers.dedup.fingerprint import fingerprint
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.flows.cluster import ClusteredSegment, ClusterPorts, cluster_segment, load_clusters
from workers.flows.documents import pack_lines
from workers.frontier import names
from workers.frontier.epoch import Epoch

T = TypeVar("T")
EXTRACTOR = "trafilatura@2.3.1+00000000"
VOCABULARY = [
    a + b + c for a in ("ka", "to", "mi", "re", "su") for b in ("lan", "dor", "vek", "bri") for c in ("a", "en", "is")
]


@dataclass(frozen=True)
class Page:
    """A page as it was captured and extracted."""

    url: str
    text: str
    title: str | None = None
    minute: int = 0
    status: ReaderStatus = ReaderStatus.OK

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


class SteppingClock:
    """Each reading is a little later."""

    def __init__(self, step_seconds: float = 0.001) -> None:
        self.step = step_seconds
        self.elapsed = 0.0

    def now(self) -> datetime:
        return datetime(2026, 8, 22, 4, tzinfo=UTC)

    def monotonic(self) -> float:
        self.elapsed += self.step
        return self.elapsed


@dataclass
class Archive:
    """What a scenario works with."""

    ports: ClusterPorts
    guard: Guard
    segments: int = 0
    messages: list[ClusterSegment] = field(default_factory=list)

    async def extract(self, pages: Sequence[Page]) -> ClusterSegment:
        """A committed and extracted segment."""
        self.segments += 1
        segment_id = f"20260822T031500Z-{self.segments:026d}"
        conversion_key = keys.conversion(EXTRACTOR, segment_id, "a1")
        body, lines = b"", []
        for page in pages:
            snapshot = snapshot_of(page)
            records = conversion_records(
                page.text.encode(),
                ConversionSource(snapshot.records.response, page.url, None),
                ConversionMethod(EXTRACTOR, "text-v1"),
                converted_at="2026-08-22T03:20:00Z",
                warcinfo_id=snapshot.records.response,
            )
            member = compress(records.conversion.data() or b"")
            place = MemberLocation(
                key=conversion_key, record_id=records.conversion.id, offset=len(body), length=len(member)
            )
            body += member
            lines.append(
                SnapshotLine(
                    schema="citevault/snapshot-line@1",
                    snapshot=snapshot,
                    segment_id=segment_id,
                    attempt="a1",
                    conversion=place,
                )
            )
        store = self.ports.store
        await store.put(conversion_key, body)
        prints = [
            fingerprint(page.text, text_sha256=page.sha256, snapshot_id=line.snapshot.id)
            for page, line in zip(pages, lines, strict=True)
            if page.text
        ]
        message = ClusterSegment(
            schema="citevault/cluster-segment@1",
            lane=Lane.BULK,
            segment_id=segment_id,
            snapshots_key=keys.snapshots(EXTRACTOR, segment_id),
            prints_key=keys.prints(PIPELINE_PARAMS, EXTRACTOR, segment_id),
            receipt_key=keys.receipt("job-1", f"b-{self.segments}", 1),
        )
        await store.put(message.prints_key, pack_lines(prints))
        await store.put(message.snapshots_key, pack_lines(lines))
        await store.put(message.receipt_key, canonical_bytes(receipt_of(segment_id, self.segments)))
        await self.ports.catalog.add_snapshots(message.snapshots_key, lines)
        self.messages.append(message)
        return message

    async def cluster(self, pages: Sequence[Page]) -> ClusteredSegment:
        """Extract and cluster a segment."""
        return await cluster_segment(await self.extract(pages), self.ports)

    async def recluster(self, message: ClusterSegment) -> ClusteredSegment:
        """Cluster a segment that was extracted before."""
        return await cluster_segment(message, self.ports)

    async def forget(self) -> None:
        """No segment was ever clustered: neither objects nor anything in Redis but what is extracted."""
        async for key in self.ports.store.list(f"clusters/{self.ports.params}/"):
            await self.ports.store.delete(key)
        client = self.guard.client
        if found := [*await client.keys("{l*"), *await client.keys("{f}:c*:minhash*")]:
            await client.delete(*found)
        await load_clusters(self.ports, again=True)

    async def dump(self) -> dict[str, tuple[str, frozenset[str], frozenset[str], tuple[str, ...]]]:
        """Everything that stands: id to leader, texts, snapshots, aliases."""
        found = {}
        async for cluster_id in self.ports.clusters.all():
            cluster = await self.ports.clusters.members(cluster_id)
            assert cluster is not None
            found[cluster.id] = (
                cluster.leader_text_sha256,
                frozenset(member.text_sha256 for member in cluster.members),
                frozenset(member.snapshot_id for member in cluster.members),
                cluster.aliases,
            )
        return found

    async def partition(self) -> set[frozenset[str]]:
        """The texts of each cluster."""
        return {texts for _, texts, _, _ in (await self.dump()).values()}


def snapshot_of(page: Page) -> Snapshot:
    retrieved_at = f"2026-08-22T03:{page.minute:02d}:00Z"
    record = str(uuid.UUID(hashlib.sha256(f"{page.url} {page.minute}".encode()).hexdigest()[:32]).urn)
    return made_up_snapshot(
        page.url,
        retrieved_at,
        SnapshotRecords(response=record, payload=record),
        "0" * 64,
        text_sha256=page.sha256 if page.text else None,
        content_bytes=1,
        text_chars=len(page.text),
        extractor=EXTRACTOR,
        reader_status=page.status,
        title=page.title,
        language="en",
    )


def receipt_of(segment_id: str, number: int) -> Receipt:
    return Receipt(
        schema="citevault/receipt@1",
        job_id="job-1",
        collection="default",
        lane=Lane.BULK,
        batch_id=f"b-{number}",
        part=1,
        segment_id=segment_id,
        attempt="a1",
        token=Token(epoch=1, counter=number),
        worker="w",
        opened_at="2026-08-22T03:15:00Z",
        committed_at="2026-08-22T03:16:00Z",
        warc=None,
        cdxj=None,
        warcinfo=None,
        outcomes=(),
    )


@pytest.fixture
def page() -> type[Page]:
    return Page


@pytest.fixture
def archive_over() -> Callable[[ClusterPorts, Guard], Archive]:
    """A scenario's archive over ports that are open already."""
    return Archive


@pytest.fixture
def clock() -> type[SteppingClock]:
    return SteppingClock


@pytest.fixture
def prose() -> Callable[[int, int], list[str]]:
    """`prose(seed, count)`: that many words, other ones for another seed."""

    def make(seed: int, count: int) -> list[str]:
        generator = random.Random(seed)
        return [generator.choice(VOCABULARY) + str(generator.randrange(40)) for _ in range(count)]

    return make


@pytest.fixture
def web(prose: Callable[[int, int], list[str]]) -> list[Page]:
    """A story, its tracking-parameter copies, syndicated copies with small edits, other pages, template pages."""
    story = prose(1, 300)

    def edited(*changes: int) -> str:
        return " ".join(f"edit{at}" if at in changes else word for at, word in enumerate(story)) + "\n"

    shop = prose(7, 400)
    news = "https://news.example/dam"
    return [
        Page(news, edited(), "Dam breaks", 1),
        Page(news + "?ref=a", edited(), "Dam breaks", 2),
        Page(news + "?ref=b", edited(), "Dam breaks", 3),
        Page("https://portal.example/dam", edited(20, 150), "Flood after dam breaks", 4),
        Page("https://farm.example/1", "Just in. " + edited(90, 200, 280), "You will not believe this dam", 5),
        Page("https://water.gov/dam", " ".join(prose(2, 200)) + "\n", "Statement", 6),
        Page("https://shop.example/lamp", " ".join([*prose(3, 20), *shop]) + "\n", "Blue lamp", 7),
        Page("https://shop.example/chair", " ".join([*prose(4, 20), *shop]) + "\n", "Red chair", 8),
        Page("https://other.example/short", "Nothing to see here.\n", "Short", 9),
    ]


@pytest.fixture
def on_archive(redis_url: str, tmp_path: Path) -> Callable[[Callable[[Archive], Awaitable[T]]], T]:
    """Run a scenario in one event loop over an empty archive in epoch 1."""
    runs = 0

    def run(scenario: Callable[[Archive], Awaitable[T]]) -> T:
        nonlocal runs
        runs += 1
        store = DirectoryObjectStore(tmp_path / f"store-{runs}")

        async def within() -> T:
            client = connect(redis_url)
            try:
                await client.flushall()
                await client.set(names.EPOCH, "1")
                guard = Guard(client, Epoch(number=1))
                ports = ClusterPorts(
                    store=store,
                    catalog=RedisCatalog(guard, store),
                    ledger=RedisLedger(guard),
                    candidates=RedisCandidates(client),
                    clusters=RedisClusters(guard, PIPELINE_PARAMS),
                    clock=SteppingClock(),
                )
                return await scenario(Archive(ports, guard))
            finally:
                await client.aclose()

        try:
            return asyncio.run(within())
        finally:
            store.close()

    return run
