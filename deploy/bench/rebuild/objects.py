"""The objects of one segment of a large collection, made of the product's own record types. Pure: equal arguments give
equal bytes.

They are what a capture of `URLS_A_SEGMENT` pages leaves that a rebuild reads: receipt, snapshot lines, fingerprints and
the segment's piece of the cluster log. WARC and CDXJ files are not among them, since a rebuild opens none. A tenth of
the pages have content that stands elsewhere too, a third have an ETag, and one in fifty gave no answer.
"""

from __future__ import annotations

import base64
import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from ulid import ULID

from deploy.bench.snapshots import made_up_snapshot
from schemas import ids, keys
from schemas.records.cluster import ClusterDecision, ClusterMember, Fingerprint
from schemas.records.job import Lane, Seed
from schemas.records.outcome import Hop, Outcome, RecordLocation, Revalidation, UrlOutcome
from schemas.records.receipt import Receipt, StoredFile, Token
from schemas.records.snapshot import (
    BlockDigest,
    Heading,
    MemberLocation,
    SnapshotLine,
    SnapshotRecords,
)
from workers.dedup.log import ClusterHead
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.extract.options import html_extractor_id
from workers.packed import pack

URLS_A_SEGMENT: Final = 500
HOSTS: Final = 5_000
OUTLINKS: Final = 25
BEGAN: Final = datetime(2026, 11, 1, tzinfo=UTC)
ATTEMPT: Final = "0badcafe"


@dataclass(frozen=True, slots=True)
class Plan:
    """A collection of one job."""

    job_id: str
    created_at: str
    urls: int

    @property
    def segments(self) -> int:
        return -(-self.urls // URLS_A_SEGMENT)


def plan(urls: int) -> Plan:
    """A job of so many URLs, always under the same id."""
    return Plan(ids.job_id(_ulid(BEGAN, "job")), ids.utc_string(BEGAN), urls)


def url(number: int) -> str:
    """Page `number` of the collection."""
    return f"https://www.site-{number % HOSTS:04d}.example/articles/2026/{number:07d}/on-the-matter-of-{number % 997}"


def seeds(of: Plan) -> Iterator[Seed]:
    """Its input, line for line."""
    for number in range(of.urls):
        yield Seed(line=number + 1, requested_url=url(number), normalized_url=url(number))


def segment_objects(of: Plan, number: int) -> list[tuple[str, bytes]]:
    """Keys and bytes of segment `number`, from 0."""
    opened = BEGAN + timedelta(seconds=30 * number)
    segment_id = ids.segment_id(ids.utc_string(opened), _ulid(opened, f"segment {number}"))
    dice = random.Random(number)  # noqa: S311 (no secret)
    pages = range(number * URLS_A_SEGMENT, min((number + 1) * URLS_A_SEGMENT, of.urls))
    outcomes = [_outcome(dice, page, place, opened) for place, page in enumerate(pages)]
    warc_key = keys.warc(segment_id, ATTEMPT)
    receipt = Receipt(
        schema="citevault/receipt@1",
        job_id=of.job_id,
        collection="default",
        lane=Lane.BULK,
        batch_id=ids.batch_id(_ulid(opened, f"batch {number}")),
        part=0,
        segment_id=segment_id,
        attempt=ATTEMPT,
        token=Token(epoch=1, counter=number + 1),
        worker="bench",
        opened_at=ids.utc_string(opened),
        committed_at=ids.utc_string(opened + timedelta(seconds=30)),
        warc=StoredFile(key=warc_key, bytes=10_000 * len(pages), sha256=_sha(warc_key), entries=2 * len(pages) + 1),
        cdxj=StoredFile(
            key=keys.cdxj(segment_id, ATTEMPT), bytes=250 * len(pages), sha256=_sha(segment_id), entries=len(pages)
        ),
        warcinfo=RecordLocation(record_id=_record_id(dice), type="warcinfo", offset=0, length=300),
        outcomes=tuple(outcomes),
        last=True,
    )
    extractor = html_extractor_id()
    conversion_key = keys.conversion(extractor, segment_id, ATTEMPT)
    lines = [_line(dice, receipt, place, each, conversion_key) for place, each in enumerate(outcomes) if each.hops]
    return [
        (keys.receipt(of.job_id, receipt.batch_id, 0), receipt.model_dump_json().encode()),
        (keys.snapshots(extractor, segment_id), pack(line.model_dump_json().encode() for line in lines)),
        (
            keys.prints(PIPELINE_PARAMS, extractor, segment_id),
            pack(_print(dice, line).model_dump_json().encode() for line in lines),
        ),
        (
            keys.clusters(PIPELINE_PARAMS, extractor, segment_id),
            _cluster_log(segment_id, number, lines, receipt.committed_at),
        ),
    ]


def _outcome(dice: random.Random, page: int, place: int, opened: datetime) -> UrlOutcome:
    if page % 50 == 49:
        return UrlOutcome(
            requested_url=url(page), normalized_url=url(page), visit=1, outcome=Outcome.TIMEOUT, failure="no answer"
        )
    offset = 300 + 10_000 * place
    etag = Revalidation(etag=f'"{dice.getrandbits(80):020x}"') if page % 3 == 0 else None
    hop = Hop(
        url=url(page),
        outcome=Outcome.CAPTURED,
        http_status=200,
        retrieved_at=ids.utc_string(opened + timedelta(milliseconds=50 * place)),
        content_sha256=_sha(f"content {page - page % 10 if page % 10 == 1 else page}"),
        content_bytes=39_000,
        content_type="text/html; charset=utf-8",
        records=(
            RecordLocation(record_id=_record_id(dice), type="request", offset=offset, length=400),
            RecordLocation(record_id=_record_id(dice), type="response", offset=offset + 400, length=9_600),
        ),
        reusable=True,
        revalidation=etag,
    )
    return UrlOutcome(requested_url=url(page), normalized_url=url(page), visit=1, outcome=Outcome.CAPTURED, hops=(hop,))


def _line(dice: random.Random, receipt: Receipt, place: int, outcome: UrlOutcome, conversion_key: str) -> SnapshotLine:
    hop = outcome.hops[-1]
    address = outcome.normalized_url
    content = hop.content_sha256 or ""
    request, response = (record.record_id for record in hop.records)
    conversion, text = _record_id(dice), _sha(f"text of {content}")
    snapshot = made_up_snapshot(
        address,
        hop.retrieved_at,
        SnapshotRecords(request=request, response=response, payload=response, conversion=conversion),
        content,
        job_id=receipt.job_id,
        collection=receipt.collection,
        declared_canonical=address,
        content_type=hop.content_type,
        repr_sha256=content,
        decoded_sha256=content,
        text_sha256=text,
        content_bytes=hop.content_bytes,
        text_chars=4_000,
        extractor=html_extractor_id(),
        title=f"On the matter of {place}",
        author="A. Author",
        publisher="The Site",
        published_at="2026-10-31",
        published_source="meta",
        language="en",
    )
    return SnapshotLine(
        schema="citevault/snapshot-line@1",
        snapshot=snapshot,
        segment_id=receipt.segment_id,
        attempt=ATTEMPT,
        conversion=MemberLocation(key=conversion_key, record_id=conversion, offset=300 + 2_500 * place, length=2_000),
        headings=tuple(Heading(level=2, text=f"Part {part} of the matter", start=900 * part) for part in range(4)),
        outlinks=tuple(url(dice.randrange(1_000_000)) for _ in range(OUTLINKS)),
        text_shingles=650,
        blocks=tuple(BlockDigest(record_id=each, block_sha256=_sha(each)) for each in (request, response, conversion)),
    )


def _print(dice: random.Random, line: SnapshotLine) -> Fingerprint:
    values = dice.randbytes(512)
    return Fingerprint(
        schema="citevault/fingerprint@1",
        text_sha256=line.snapshot.text_sha256 or "",
        snapshot_id=line.snapshot.id,
        params=PIPELINE_PARAMS,
        shingles=line.text_shingles,
        minhash=base64.b64encode(values).decode("ascii"),
        minhash_sha256=hashlib.sha256(values).hexdigest(),
    )


def _cluster_log(segment_id: str, number: int, lines: list[SnapshotLine], at: str) -> bytes:
    """Every text is a cluster of its own."""
    members = sorted(
        (
            ClusterMember(
                snapshot_id=line.snapshot.id,
                source_id=line.snapshot.source_id,
                text_sha256=line.snapshot.text_sha256 or "",
            )
            for line in lines
        ),
        key=lambda member: member.snapshot_id,
    )
    head = ClusterHead(
        schema="citevault/cluster-segment@1",
        segment_id=segment_id,
        extractor=html_extractor_id(),
        params=PIPELINE_PARAMS,
        rules="edges@1",
        sequence=number + 1,
        at=at,
        members=tuple(members),
    )
    births = {member.text_sha256: member.snapshot_id for member in members}
    decisions = [
        ClusterDecision(
            schema="citevault/cluster-decision@1",
            kind="birth",
            cluster_id=ids.cluster_id(snapshot_id),
            leader_text_sha256=text,
            texts=(text,),
            reason="a text without near-duplicates",
            at=at,
        )
        for text, snapshot_id in births.items()
    ]
    return pack(record.model_dump_json().encode() for record in (head, *decisions))


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _record_id(dice: random.Random) -> str:
    return f"urn:uuid:{UUID(int=dice.getrandbits(128), version=4)}"


def _ulid(moment: datetime, name: str) -> str:
    """A ULID of this time, its random part taken from a name."""
    milliseconds = round(moment.timestamp() * 1000)
    return str(ULID.from_bytes(milliseconds.to_bytes(6) + hashlib.sha256(name.encode()).digest()[:10]))
