"""A small archive that went through the real stages: WARC, receipt, extraction, clustering, publishing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pytest

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.messages import ClusterSegment, TaskMessage
from schemas.records.draft import Draft
from schemas.records.job import Lane
from schemas.records.outcome import Hop, Outcome, UrlOutcome
from schemas.records.receipt import Receipt, StoredFile, Token
from schemas.records.snapshot import SnapshotLine
from schemas.urls.conservative import Normalized
from schemas.urls.request import identity_of_request
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.keys import FileSigner, create_key
from workers.adapters.redis.candidates import RedisCandidates
from workers.adapters.redis.catalog import RedisCatalog
from workers.adapters.redis.client import connect
from workers.adapters.redis.clusters import RedisClusters
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.archive.exchange_records import ExchangeRecords, exchange_records
from workers.archive.message import stored_message
from workers.archive.revisit import decide
from workers.archive.segment import SegmentWriter
from workers.archive.warcinfo import Warcinfo
from workers.cite.problem import DraftProblem
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.dedup.tiers import TierPolicy, tier_policy
from workers.exchange import Exchange, Response, Spool
from workers.extract.sandbox import Sandbox
from workers.flows.bundle import BuiltBundle, BundlePorts, build_bundle
from workers.flows.cluster import ClusterPorts, cluster_segment, load_clusters
from workers.flows.cluster_view import ClusterReader
from workers.flows.decisions import manual_groups, read_decisions
from workers.flows.extract import ExtractPorts, extract_segment
from workers.flows.publish import PublishPorts, publish_key
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.ports import Original
from workers.publish.index import LogIndex
from workers.publish.leaves import Standing

T = TypeVar("T")
NOW = "2026-11-29T12:00:00Z"
BARRIER = [
    "The Harrow tidal barrier closed at dawn on Monday after water rose above the northern gauge.",
    "Engineers measured a surge of 3.2 metres at the outer gate, the highest value since the gate was built.",
    "Nobody was hurt, and the ferry to Lower Quay ran again before noon, according to the harbour office.",
    "The closing took eleven minutes, four fewer than the contract allows for a gate of this width.",
]
SURVEY = [
    "The survey office publishes the readings of all gauges along the Harrow estuary every quarter of an hour.",
    "On Monday morning the outer gauge showed 3.2 metres above the mean, and the inner gauge showed 0.9 metres.",
    "Both instruments were checked in the week before, and their error is below two centimetres.",
]
CRITIC = [
    "A group of retired pilots disputes the figure that the harbour office gave for the surge on Monday.",
    "They say that the outer gauge stands in the wash of the gate and that the surge was 2.4 metres at most.",
    "The group asks for a second instrument on the old lighthouse, where the water is calm in every wind.",
]


class SteppingClock:
    def __init__(self) -> None:
        self.elapsed = 0.0

    def now(self) -> datetime:
        return datetime(2026, 11, 29, 11, tzinfo=UTC)

    def monotonic(self) -> float:
        self.elapsed += 0.001
        return self.elapsed


class _FollowsNone:
    """These jobs have no depth."""

    async def take_links(self, receipt: Receipt, lines: Sequence[SnapshotLine]) -> None:
        assert not receipt.follow_depth


@dataclass
class Inbox:
    messages: list[TaskMessage] = field(default_factory=list)

    async def announce(self, message: TaskMessage) -> None:
        self.messages.append(message)


@dataclass(frozen=True)
class Page:
    """What a server answers, and when it was asked. `requested`: the URL of the job where it redirects to `url`."""

    url: str
    paragraphs: Sequence[str]
    title: str = "A page"
    minute: int = 0
    status: int = 200
    requested: str | None = None
    content_type: str = "text/html; charset=utf-8"
    payload: bytes | None = None
    """The body, where it is not made of the paragraphs."""

    @property
    def html(self) -> bytes:
        if self.payload is not None:
            return self.payload
        parts = []
        for paragraph in self.paragraphs:
            parts.append(f"<h2>{paragraph[1:]}</h2>" if paragraph.startswith("#") else f"<p>{paragraph}</p>")
        body = "\n".join(parts)
        return (
            f"<!doctype html><html lang=en><head><title>{self.title}</title></head>"
            f"<body><main><article><h1>{self.title}</h1>\n{body}</article></main></body></html>"
        ).encode()


@dataclass
class Archive:
    """What a scenario works with."""

    store: DirectoryObjectStore
    guard: Guard
    folder: Path
    signer: FileSigner
    sandbox: Sandbox
    tiers: TierPolicy
    index: LogIndex = field(default_factory=LogIndex)
    originals: dict[str, Original] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    clock: SteppingClock = field(default_factory=SteppingClock)

    def __post_init__(self) -> None:
        self.catalog = RedisCatalog(self.guard, self.store)
        self.ledger = RedisLedger(self.guard)
        self.clusters = RedisClusters(self.guard, PIPELINE_PARAMS)
        self.cluster_ports = ClusterPorts(
            store=self.store,
            catalog=self.catalog,
            ledger=self.ledger,
            candidates=RedisCandidates(self.guard.client),
            clusters=self.clusters,
            clock=self.clock,
        )

    async def archive(self, *pages: Page, cluster: bool = True) -> list[SnapshotLine]:
        """Capture these answers in one segment, extract and cluster it; the snapshots."""
        receipt_key = await self._commit(pages)
        inbox = Inbox()
        ports = ExtractPorts(
            store=self.store,
            catalog=self.catalog,
            ledger=self.ledger,
            announcer=inbox,
            extractor=self.sandbox,
            links=_FollowsNone(),
            clock=self.clock,
            software="citevault/test",
        )
        extracted = await extract_segment(receipt_key, ports)
        if cluster:
            (message,) = inbox.messages
            assert isinstance(message, ClusterSegment)
            await load_clusters(self.cluster_ports)
            await cluster_segment(message, self.cluster_ports)
        return list(extracted.lines)

    async def bundle_ports(self, *, may_publish: bool = True) -> BundlePorts:
        decisions = await read_decisions(self.store)
        reader = ClusterReader(self.clusters, self.catalog, self.tiers)

        async def standing(line: SnapshotLine) -> Standing:
            return await reader.standing(line, manual=manual_groups(decisions), decisions_sequence=len(decisions))

        await publish_key(self.store, self.signer, spki_pem=self.signer.public_pem(), now=NOW)
        publishing = PublishPorts(
            store=self.store,
            ledger=self.ledger,
            signer=self.signer,
            index=self.index,
            standing_of=standing,
            now=lambda: NOW,
        )
        return BundlePorts(
            store=self.store,
            catalog=self.catalog,
            clusters=self.clusters,
            index=self.index,
            tiers=self.tiers,
            publishing=publishing if may_publish else None,
        )

    async def build(
        self,
        draft: Draft,
        name: str = "bundle",
        *,
        sign: FileSigner | None = None,
        may_publish: bool = True,
        quote_only: Sequence[str] = (),
    ) -> BuiltBundle | list[DraftProblem]:
        ports = await self.bundle_ports(may_publish=may_publish)
        return await build_bundle(draft, self.folder / name, ports, now=NOW, sign=sign, quote_only=quote_only)

    async def _commit(self, pages: Sequence[Page]) -> str:
        number = next(self.numbers)
        segment_id = f"20261129T100000Z-{number:026d}"
        writer = SegmentWriter(
            self.folder, segment_id, "a1", Warcinfo(software="citevault/test"), created_at="2026-11-29T10:00:00Z"
        )
        outcomes = tuple(self._outcome(writer, page) for page in pages)
        closed = writer.close()
        warc_key = keys.warc(segment_id, "a1")
        await self.store.put(warc_key, closed.path)
        receipt = Receipt(
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
            opened_at="2026-11-29T10:00:00Z",
            committed_at="2026-11-29T10:59:00Z",
            warc=StoredFile(key=warc_key, bytes=closed.size, sha256=closed.sha256, entries=closed.record_count),
            cdxj=None,
            warcinfo=closed.warcinfo,
            outcomes=outcomes,
        )
        receipt_key = keys.receipt("job-1", f"b-{number}", 1)
        await self.store.put(receipt_key, canonical_bytes(receipt))
        await self.catalog.add_receipt(receipt)
        return receipt_key

    def _outcome(self, writer: SegmentWriter, page: Page) -> UrlOutcome:
        started_at = f"2026-11-29T10:{page.minute:02d}:00.000001Z"
        head = f"HTTP/1.1 {page.status} Whatever\r\nContent-Type: {page.content_type}\r\n\r\n".encode()
        content = Spool(page.html)
        exchange = Exchange(
            url=page.url,
            started_at=started_at,
            outcome=Outcome.CAPTURED,
            request=b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            response=Response(
                head, content, "close", page.status, headers=((b"Content-Type", page.content_type.encode()),)
            ),
        )
        message = stored_message(exchange)
        assert message is not None
        found = self.originals.get(content.sha256)
        records = exchange_records(
            exchange, decide(exchange, message, found), warcinfo_id=writer.warcinfo_id, message=message
        )
        assert isinstance(records, ExchangeRecords)
        places = writer.append(records.all, 0.0)
        assert records.response is not None
        if found is None:
            original = Original(records.response.id, page.url, started_at, content.sha256)
            self.originals[content.sha256] = original
        requested = page.requested or page.url
        identity = identity_of_request(requested)
        assert isinstance(identity, Normalized)
        normalized = identity.url
        hop = Hop(
            url=page.url,
            outcome=records.outcome,
            http_status=page.status,
            retrieved_at=started_at,
            content_sha256=content.sha256,
            content_bytes=content.size,
            content_type="text/html; charset=utf-8",
            records=places,
            reusable=found is None,
            refers_to=records.refers_to,
        )
        content.close()
        return UrlOutcome(
            requested_url=requested, normalized_url=normalized, visit=1, outcome=records.outcome, hops=(hop,)
        )


@pytest.fixture
def page() -> type[Page]:
    return Page


@pytest.fixture
def news() -> list[Page]:
    """A story, its copy on another host with one small edit, the official readings, and somebody who disputes them."""
    copied = [*BARRIER[:3], BARRIER[3].replace("eleven minutes", "11 minutes")]
    return [
        Page("https://daily.example/barrier", BARRIER, "Barrier closed", 1),
        Page("https://portal.example/barrier", copied, "Barrier closed", 2),
        Page("https://survey.example/monday", SURVEY, "Readings", 3),
        Page("https://pilots.example/gauge", CRITIC, "The gauge is wrong", 4),
    ]


@pytest.fixture
def draft() -> Callable[..., Draft]:
    """`draft(claims, evidence)`: claims as (id, importance), evidence as (claim, URL or snapshot, quote, support),
    with a locator behind it where there is one."""

    def make(claims: Sequence[tuple[str, str]], evidence: Sequence[tuple[Any, ...]], **more: object) -> Draft:
        document = {
            "claims": [{"id": name, "text": f"Claim {name}.", "importance": weight} for name, weight in claims],
            "evidence": [
                {
                    "claim_id": claim,
                    "snapshot_id" if where.startswith("snap-") else "url": where,
                    "quote": quote,
                    "support": support,
                    **({"locator": locator[0]} if locator else {}),
                }
                for claim, where, quote, support, *locator in evidence
            ],
            **more,
        }
        return Draft.model_validate_json(canonical_bytes(document))  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    running = Sandbox()
    yield running
    running.close()


@pytest.fixture
def on_archive(redis_url: str, tmp_path: Path, sandbox: Sandbox) -> Callable[[Callable[[Archive], Awaitable[T]]], T]:
    """Run a scenario in one event loop over an empty archive in epoch 1."""

    def run(scenario: Callable[[Archive], Awaitable[T]]) -> T:
        store = DirectoryObjectStore(tmp_path / "store")
        signer = create_key(tmp_path / "key.pem")
        tiers = tier_policy()
        assert isinstance(tiers, TierPolicy)

        async def within() -> T:
            client = connect(redis_url)
            try:
                await client.set(names.EPOCH, "1")
                guard = Guard(client, Epoch(number=1))
                return await scenario(Archive(store, guard, tmp_path, signer, sandbox, tiers))
            finally:
                await client.aclose()

        try:
            return asyncio.run(within())
        finally:
            store.close()

    return run


@pytest.fixture
def author(tmp_path: Path) -> FileSigner:
    """The key of a report's author: not the log's."""
    return create_key(tmp_path / "author.pem")
