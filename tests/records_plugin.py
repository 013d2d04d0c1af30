"""Makers of records that several suites need: a receipt of pages, and the snapshot lines that follow from it."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Sequence

import pytest

from deploy.bench.snapshots import made_up_snapshot
from schemas import keys
from schemas.records.compaction import Compaction, JoinedFile
from schemas.records.job import Lane
from schemas.records.outcome import Hop, Outcome, RecordLocation, UrlOutcome
from schemas.records.receipt import Receipt, StoredFile, Token
from schemas.records.snapshot import (
    BlockDigest,
    MemberLocation,
    SnapshotLine,
    SnapshotRecords,
)

NAMESPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
EXTRACTOR = "trafilatura@2.3.1+00000000"


def record_id(*parts: object) -> str:
    """The same id for the same parts."""
    return f"urn:uuid:{uuid.uuid5(NAMESPACE, '|'.join(map(str, parts)))}"


def sha256(*parts: object) -> str:
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()


@pytest.fixture(scope="session")
def receipt_of() -> Callable[..., Receipt]:
    """A receipt over URLs that were captured, one record pair each; `failed` have no response."""

    def make(
        urls: Sequence[str],
        *,
        failed: Sequence[str] = (),
        job_id: str = "job-1",
        batch_id: str = "b-1",
        part: int = 0,
        segment_id: str = "20261129T100000Z-01ARZ3NDEKTSV4RRFFQ69G5FAV",
        retrieved_at: str = "2026-11-29T10:00:00.250000Z",
        last: bool = True,
    ) -> Receipt:
        outcomes = [_captured(segment_id, number, url, retrieved_at) for number, url in enumerate(urls)]
        outcomes += [
            UrlOutcome(requested_url=url, normalized_url=url, visit=1, outcome=Outcome.TIMEOUT, failure="no answer")
            for url in failed
        ]
        warc = StoredFile(key=keys.warc(segment_id, "a1"), bytes=1000, sha256="0" * 64, entries=1 + 2 * len(urls))
        return Receipt(
            schema="citevault/receipt@1",
            job_id=job_id,
            collection="default",
            lane=Lane.BULK,
            batch_id=batch_id,
            part=part,
            segment_id=segment_id,
            attempt="a1",
            token=Token(epoch=1, counter=1),
            worker="w",
            opened_at=retrieved_at,
            committed_at=retrieved_at,
            warc=warc,
            cdxj=None,
            warcinfo=RecordLocation(record_id=record_id(segment_id, "warcinfo"), type="warcinfo", offset=0, length=9),
            outcomes=tuple(outcomes),
            last=last,
        )

    return make


@pytest.fixture(scope="session")
def compaction_of() -> Callable[..., Compaction]:
    """An entry of the compaction log: these files joined under a new key, behind a warcinfo of 50 bytes."""

    def make(sequence: int, key: str, *sources: StoredFile) -> Compaction:
        joined: list[JoinedFile] = []
        end = 50
        for source in sources:
            joined.append(JoinedFile(warc=source, start=end, cdxj=None, receipt_key=None))
            end += source.bytes
        entries = 1 + sum(source.entries for source in sources)
        return Compaction(
            schema="citevault/compaction@1",
            sequence=sequence,
            compacted_at="2026-11-29T10:00:00Z",
            collection="default",
            warc=StoredFile(key=key, bytes=end, sha256="0" * 64, entries=entries),
            cdxj=StoredFile(key=f"cdxj/{sequence}", bytes=0, sha256="0" * 64, entries=0),
            warcinfo=RecordLocation(record_id=record_id(key), type="warcinfo", offset=0, length=50),
            sources=tuple(joined),
        )

    return make


def _captured(segment_id: str, number: int, url: str, retrieved_at: str) -> UrlOutcome:
    hop = Hop(
        url=url,
        outcome=Outcome.CAPTURED,
        http_status=200,
        retrieved_at=retrieved_at,
        content_sha256=sha256(url),
        content_bytes=10,
        records=(
            RecordLocation(record_id=record_id(segment_id, url, 1), type="request", offset=number * 300, length=100),
            RecordLocation(
                record_id=record_id(segment_id, url, 2), type="response", offset=number * 300 + 100, length=200
            ),
        ),
        reusable=True,
    )
    return UrlOutcome(requested_url=url, normalized_url=url, visit=1, outcome=Outcome.CAPTURED, hops=(hop,))


@pytest.fixture
def snapshot_lines_of() -> Callable[..., list[SnapshotLine]]:
    """The snapshot lines of a receipt. `final_urls` says where requested URLs led, if elsewhere."""

    def make(receipt: Receipt, final_urls: dict[str, str] | None = None) -> list[SnapshotLine]:
        led_to = final_urls or {}
        return [
            _line(receipt, outcome.requested_url, led_to.get(outcome.requested_url), outcome.hops[-1], place)
            for place, outcome in enumerate(receipt.outcomes)
            if outcome.hops
        ]

    return make


def _line(receipt: Receipt, requested: str, final: str | None, hop: Hop, place: int) -> SnapshotLine:
    normalized = final or requested
    request, response = hop.records[0].record_id, hop.records[1].record_id
    digest = hop.content_sha256 or ""
    snapshot = made_up_snapshot(
        normalized,
        hop.retrieved_at,
        SnapshotRecords(request=request, response=response, payload=response, conversion=record_id(response, "text")),
        digest,
        job_id=receipt.job_id,
        collection=receipt.collection,
        requested_url=requested,
        repr_sha256=digest,
        decoded_sha256=digest,
        text_sha256=sha256("text", requested),
        content_bytes=10,
        text_chars=4,
        extractor=EXTRACTOR,
    )
    return SnapshotLine(
        schema="citevault/snapshot-line@1",
        snapshot=snapshot,
        segment_id=receipt.segment_id,
        attempt="a2",
        conversion=MemberLocation(
            key=keys.conversion(EXTRACTOR, receipt.segment_id, "a2"),
            record_id=record_id(response, "text"),
            offset=place * 50,
            length=50,
        ),
        blocks=(BlockDigest(record_id=response, block_sha256=sha256("block", requested)),),
    )
