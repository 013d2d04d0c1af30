"""A segment as capture leaves it, and ports that remember what the flow told them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.messages import ClusterSegment, TaskMessage
from schemas.records.job import Lane
from schemas.records.outcome import Hop, Outcome, RecordLocation, UrlOutcome
from schemas.records.receipt import Receipt, StoredFile, Token
from schemas.records.snapshot import MemberLocation, SnapshotLine
from workers.adapters.directory import DirectoryObjectStore
from workers.archive.exchange_records import ExchangeRecords, exchange_records
from workers.archive.message import stored_message
from workers.archive.revisit import AsResponse, decide
from workers.archive.segment import SegmentWriter
from workers.archive.warcinfo import Warcinfo
from workers.errors import RetryableError
from workers.exchange import Exchange, Response, Spool
from workers.extract.decode import DEFAULT_LIMITS, DecodeLimits
from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.extract.pipeline import extract_payload
from workers.flows.extract import ExtractedSegment, ExtractPorts, extract_segment
from workers.ports import Original, SegmentEntry

JOB = "job-01KB7Q8ZJ4M8V3T0N5R6W9XCDE"
STARTED_AT = "2026-11-29T12:00:00.250001Z"
HTML_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"


@dataclass
class Captured:
    """One exchange to put in a segment. `url` is what was asked for; `hops` come before the last one."""

    url: str
    content: bytes = b""
    head: bytes = HTML_HEAD
    status: int | None = 200
    outcome: Outcome = Outcome.CAPTURED
    truncated: str | None = None
    framing: str = "length"
    original: Original | None = None
    hops: Sequence[Captured] = ()
    started_at: str = STARTED_AT

    def exchange(self) -> Exchange:
        fields = [line.partition(b":") for line in self.head.split(b"\n")[1:] if b":" in line]
        response = Response(
            head=self.head,
            content=Spool(self.content),
            framing=self.framing,  # type: ignore[arg-type]
            status=self.status,
            headers=tuple((name.strip(), value.strip()) for name, _, value in fields),
        )
        return Exchange(
            url=self.url.partition("#")[0],
            started_at=self.started_at,
            outcome=self.outcome,
            request=b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
            response=response if self.status is not None or self.head or self.content else None,
            truncated=self.truncated,  # type: ignore[arg-type]
            failure=None if self.outcome.has_response else "the name does not resolve",
        )


def hop_of(exchange: Exchange, records: ExchangeRecords, places: Sequence[RecordLocation]) -> Hop:
    response = exchange.response
    return Hop(
        url=exchange.url,
        outcome=records.outcome,
        http_status=response.status if response else None,
        retrieved_at=exchange.started_at,
        content_sha256=response.content.sha256 if response else None,
        content_bytes=response.content.size if response else 0,
        content_type=response.header("Content-Type") if response else None,
        records=tuple(places),
        refers_to=records.refers_to,
        failure=exchange.failure,
    )


@dataclass
class Memory:
    """Catalog, ledger and announcer in memory."""

    places: dict[str, MemberLocation] = field(default_factory=dict)
    snapshots: list[tuple[str, tuple[SnapshotLine, ...]]] = field(default_factory=list)
    entries: list[SegmentEntry] = field(default_factory=list)
    messages: list[TaskMessage] = field(default_factory=list)
    linked: list[tuple[str, int, int]] = field(default_factory=list)
    """Segments whose links were taken, with their lines and how many segments the ledger knew by then."""
    queue_is_down: bool = False

    async def locate(self, record_id: str) -> MemberLocation | None:
        return self.places.get(record_id)

    async def add_snapshots(self, snapshots_key: str, lines: Sequence[SnapshotLine]) -> None:
        self.snapshots.append((snapshots_key, tuple(lines)))

    async def take_links(self, receipt: Receipt, lines: Sequence[SnapshotLine]) -> None:
        assert self.snapshots, "who brings a page nearer must find it in the catalog"
        self.linked.append((receipt.segment_id, len(lines), len(self.entries)))

    async def advance(self, entry: SegmentEntry) -> None:
        self.entries.append(entry)

    async def announce(self, message: TaskMessage) -> None:
        if self.queue_is_down:
            raise RetryableError("the queue does not answer")
        assert isinstance(message, ClusterSegment)
        self.messages.append(message)


class FixedClock:
    def now(self) -> datetime:
        return datetime(2026, 11, 29, 12, 5, tzinfo=UTC)

    def monotonic(self) -> float:
        return 0.0


@dataclass
class CountingExtractor:
    """The pipeline without the sandbox around it, counted."""

    calls: int = 0

    async def extract(self, payload: bytes, request: ExtractionRequest) -> Extracted | NotExtracted:
        self.calls += 1
        return extract_payload(payload, request)


@dataclass
class Bench:
    """A store, the ports over it, and the two steps: put a segment there, extract it."""

    store: DirectoryObjectStore
    folder: Path
    memory: Memory = field(default_factory=Memory)
    extractor: CountingExtractor = field(default_factory=CountingExtractor)
    segments: int = 0
    decoding: DecodeLimits = DEFAULT_LIMITS

    @property
    def ports(self) -> ExtractPorts:
        return ExtractPorts(
            store=self.store,
            catalog=self.memory,  # type: ignore[arg-type]  # the look-ups that this flow uses
            ledger=self.memory,  # type: ignore[arg-type]
            announcer=self.memory,
            extractor=self.extractor,
            links=self.memory,
            clock=FixedClock(),
            software="citevault/test",
            decoding=self.decoding,
        )

    def commit(self, *captured: Captured) -> Receipt:
        """Write exchanges, their WARC object and the receipt, as capture does."""
        self.segments += 1
        segment = f"20261129T120000Z-01KB7Q8ZJ4M8V3T0N5R6W9X{self.segments:03d}"
        writer = SegmentWriter(self.folder, segment, "a1", Warcinfo(software="citevault/test"), created_at=STARTED_AT)
        outcomes = []
        for one in captured:
            hops = []
            for part in (*one.hops, one):
                exchange = part.exchange()
                message = stored_message(exchange)
                decision = decide(exchange, message, part.original) if message else AsResponse("nothing came back")
                records = exchange_records(exchange, decision, warcinfo_id=writer.warcinfo_id)
                assert isinstance(records, ExchangeRecords)
                hops.append(hop_of(exchange, records, writer.append(records.all, 0.0)))
                if exchange.response is not None:
                    exchange.response.content.close()
            outcomes.append(
                UrlOutcome(
                    requested_url=(one.hops[0].url if one.hops else one.url),
                    normalized_url=one.url,
                    visit=1,
                    outcome=hops[-1].outcome,
                    hops=tuple(hops),
                    failure=hops[-1].failure,
                )
            )
        closed = writer.close()
        key = keys.warc(segment, "a1")
        asyncio.run(self.store.put(key, closed.path))
        receipt = Receipt(
            schema="citevault/receipt@1",
            job_id=JOB,
            collection="default",
            lane=Lane.BULK,
            batch_id="b-01KB7Q8ZJ4M8V3T0N5R6W9XCDE",
            part=self.segments,
            segment_id=segment,
            attempt="a1",
            token=Token(epoch=1, counter=1),
            worker="test",
            opened_at=STARTED_AT,
            committed_at=STARTED_AT,
            warc=StoredFile(key=key, bytes=closed.size, sha256=closed.sha256, entries=closed.record_count),
            cdxj=None,
            warcinfo=closed.warcinfo,
            outcomes=tuple(outcomes),
        )
        asyncio.run(self.store.put(self.receipt_key(receipt), canonical_bytes(receipt)))
        for hop in (hop for outcome in receipt.outcomes for hop in outcome.hops):
            for place in hop.records:
                self.memory.places[place.record_id] = MemberLocation(
                    key=key, record_id=place.record_id, offset=place.offset, length=place.length
                )
        return receipt

    @staticmethod
    def receipt_key(receipt: Receipt) -> str:
        return keys.receipt(receipt.job_id, receipt.batch_id, receipt.part)

    def extract(self, receipt: Receipt) -> ExtractedSegment:
        return asyncio.run(extract_segment(self.receipt_key(receipt), self.ports))

    def lines(self, *captured: Captured) -> tuple[SnapshotLine, ...]:
        """Snapshot lines of one new segment."""
        return self.extract(self.commit(*captured)).lines

    def get(self, key: str) -> bytes:
        return asyncio.run(self.store.get(key))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    store = DirectoryObjectStore(tmp_path / "store")
    (tmp_path / "spool").mkdir()
    yield Bench(store, tmp_path / "spool")
    store.close()


@pytest.fixture(scope="session")
def captured() -> type[Captured]:
    return Captured


@pytest.fixture(scope="session")
def story() -> bytes:
    """A page with enough text to be fingerprinted."""
    paragraphs = "".join(
        f"<p>On day {n} the committee met again and spoke of bridge number {n * 3}.</p>" for n in range(12)
    )
    return (
        '<!DOCTYPE html><html lang="en"><head><title>Bridge</title><link rel="canonical" href="/story">'
        '<meta name="author" content="Ada Example"><meta property="og:site_name" content="The Paper">'
        '<meta property="article:published_time" content="2026-11-28T09:00:00Z"></head><body><article>'
        f'<h1>Bridge to reopen</h1><h2>The plan</h2>{paragraphs}<p>See <a href="/more?x=1#y">more</a> and '
        '<a href="https://other.example/z">elsewhere</a>.</p></article></body></html>'
    ).encode()


@pytest.fixture(scope="session")
def original_of() -> Callable[[Receipt], Original]:
    """What a later revisit may refer to: the first answer of a receipt."""

    def make(receipt: Receipt) -> Original:
        hop = receipt.outcomes[0].hops[-1]
        place = hop.record("response")
        assert place is not None
        assert hop.content_sha256 is not None
        return Original(place.record_id, hop.url, hop.retrieved_at, hop.content_sha256)

    return make


@pytest.fixture(scope="session")
def digest() -> Callable[[bytes], str]:
    return lambda data: sha256(data).hexdigest()
