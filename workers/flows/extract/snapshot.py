"""The snapshot record of one answer: pure assembly, every field of it (R081, R032; `schemas/README.md, Snapshot`)."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.ids import snapshot_id, source_id
from schemas.records.receipt import Receipt
from schemas.records.snapshot import BlockDigest, MemberLocation, ServerDigest, Snapshot, SnapshotLine, SnapshotRecords
from schemas.text_v1 import NORMALIZER
from schemas.urls.conservative import normalize
from schemas.urls.error import UrlError
from schemas.urls.policy import conservative_1
from workers.errors import PermanentError
from workers.extract.extraction import Extracted
from workers.extract.links import resolution_base, resolve_link, resolve_links
from workers.extract.reader import read_status
from workers.extract.robots_directives import header_directives
from workers.extract.server_digests import FIELDS, Received, claims_of, compared, digest_by
from workers.flows.extract.answer import StoredAnswer
from workers.flows.extract.reading import Reading

MAX_HEADER_CHARACTERS = 4096


@dataclass(frozen=True, slots=True)
class Identity:
    """Which resource an answer is of, and what its snapshot is called."""

    normalized_url: str
    fragment: str | None
    source_id: str
    snapshot_id: str


@dataclass(frozen=True, slots=True)
class Conversion:
    """The stored text of an answer."""

    place: MemberLocation
    text_sha256: str
    """Also the digest of the record's block."""
    chars: int


def identity_of(answer: StoredAnswer) -> Identity:
    """`conservative@1` of the final URL; the fragment is that of the URL that was asked for (R023)."""
    final = normalize(answer.hop.url)
    if isinstance(final, UrlError):
        raise PermanentError(f"a fetched URL cannot be normalized: {final.message}", where=answer.hop.url[:200])
    asked = normalize(answer.outcome.requested_url)
    source = source_id(final.url)
    return Identity(
        normalized_url=final.url,
        fragment=None if isinstance(asked, UrlError) else asked.fragment,
        source_id=source,
        snapshot_id=snapshot_id(source, answer.hop.retrieved_at, answer.response.id),
    )


def snapshot_of(
    receipt: Receipt, answer: StoredAnswer, identity: Identity, reading: Reading, conversion: Conversion | None
) -> Snapshot:
    """The record. Nullable fields are null where nothing is known, never guessed."""
    found = reading.result if isinstance(reading.result, Extracted) else None
    verdict = read_status(answer.http_status, answer.hop.outcome, reading.result)
    canonical = None
    if found is not None and found.canonical is not None:
        canonical = resolve_link(resolution_base(answer.hop.url, found.base), found.canonical)
    return Snapshot(
        schema="citevault/snapshot@1",
        id=identity.snapshot_id,
        source_id=identity.source_id,
        job_id=answer.outcome.job_id or receipt.job_id,
        collection=receipt.collection,
        visit=answer.outcome.visit,
        requested_url=answer.outcome.requested_url,
        final_url=answer.hop.url,
        declared_canonical=canonical,
        normalized_url=identity.normalized_url,
        fragment=identity.fragment,
        retrieved_at=answer.hop.retrieved_at,
        http_status=answer.hop.http_status,
        content_type=_header(answer, "Content-Type"),
        charset=found.charset if found else None,
        etag=_header(answer, "ETag"),
        last_modified=_header(answer, "Last-Modified"),
        content_sha256=answer.content_sha256,
        raw_sha256=answer.content_sha256,
        repr_sha256=answer.content_sha256 if answer.complete else None,
        decoded_sha256=reading.decoded_sha256,
        text_sha256=conversion.text_sha256 if conversion else None,
        content_bytes=answer.content.payload_bytes,
        text_chars=conversion.chars if conversion else (0 if found else None),
        extractor=found.extractor if found else None,
        normalizer=NORMALIZER,
        url_policy=conservative_1().id,
        reader_status=verdict.status,
        reader_reason=verdict.reason,
        title=found.title if found else None,
        author=found.author if found else None,
        publisher=found.publisher if found else None,
        published_at=found.published_at if found else None,
        published_source=found.published_source if found else None,
        modified_at=found.modified_at if found else None,
        language=found.language if found else None,
        robots_directives=(
            *header_directives(answer.header_values("X-Robots-Tag")),
            *(found.robots_directives if found else ()),
        ),
        server_digests=_server_digests(answer, reading),
        records=SnapshotRecords(
            request=answer.request.id if answer.request else None,
            response=answer.response.id,
            payload=answer.payload.id,
            conversion=conversion.place.record_id if conversion else None,
            metadata=answer.metadata.id if answer.metadata else None,
        ),
        text_path=None,
        archive_url=None,
    )


def _server_digests(answer: StoredAnswer, reading: Reading) -> tuple[ServerDigest, ...]:
    claims = claims_of({field: answer.header_values(field) for field in FIELDS})
    if not claims:
        return ()
    own, pieces = answer.content_sha256, answer.content.payload_chunks
    return compared(
        claims,
        Received(
            content=lambda name: digest_by(name, own if answer.whole else None, pieces),
            representation=lambda name: digest_by(name, own if answer.complete else None, pieces),
            unencoded=lambda name: digest_by(name, reading.decoded_sha256 if answer.complete else None, None),
        ),
    )


def line_of(
    receipt: Receipt,
    attempt: str,
    answer: StoredAnswer,
    snapshot: Snapshot,
    reading: Reading,
    conversion: Conversion | None,
    shingles: int,
) -> SnapshotLine:
    """The snapshot with what later stages need beside it."""
    found = reading.result if isinstance(reading.result, Extracted) else None
    records = [answer.request, answer.response, answer.payload, answer.metadata]
    blocks = {record.id: record.block.sha256 for record in records if record is not None}
    if conversion is not None:
        blocks[conversion.place.record_id] = conversion.text_sha256
    return SnapshotLine(
        schema="citevault/snapshot-line@1",
        snapshot=snapshot,
        segment_id=receipt.segment_id,
        attempt=attempt,
        conversion=conversion.place if conversion else None,
        headings=found.headings if found else (),
        pages=found.pages if found else (),
        outlinks=resolve_links(answer.hop.url, found.base, found.links) if found else (),
        nofollow_outlinks=_nofollow(answer.hop.url, found) if found and found.nofollow_links else (),
        outlinks_complete=found is None or found.links_complete,
        text_shingles=shingles,
        blocks=tuple(BlockDigest(record_id=key, block_sha256=value) for key, value in blocks.items()),
    )


def _nofollow(page_url: str, found: Extracted) -> tuple[str, ...]:
    """Addresses that no link of another spelling leads to without the mark."""
    marked = set(found.nofollow_links)
    followed = set(resolve_links(page_url, found.base, (href for href in found.links if href not in marked)))
    asked_not_to = resolve_links(page_url, found.base, found.nofollow_links)
    return tuple(url for url in asked_not_to if url not in followed)


def _header(answer: StoredAnswer, name: str) -> str | None:
    """First value of a field, verbatim; for a 304 that of the original, which it confirms (RFC 9110, 15.4.5)."""
    value = next(iter(answer.header_values(name)), None)
    return value[:MAX_HEADER_CHARACTERS] if value else None
