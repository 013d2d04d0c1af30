"""What a receipt says, taken apart: where its records lie, which of them a revisit may refer to, and how each of its
URLs can be asked for news."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.records.outcome import Hop, RecordLocation, Representation, Revalidation, UnfinishedVisit
from schemas.records.receipt import Receipt
from workers.capture.request_head import host_of
from workers.ports import KnownVersion, Original, QueuedUrl, VersionSeen


def hops(receipt: Receipt) -> Iterator[Hop]:
    """Every exchange of the segment: those of its URLs, done or not, of what pages need, and the robots.txt
    fetched on the way."""
    yield from asked_hops(receipt)
    yield from receipt.robots


def asked_hops(receipt: Receipt) -> Iterator[Hop]:
    """Those that somebody asked for: all but robots.txt."""
    for outcome in receipt.outcomes:
        yield from outcome.hops
    for visit in receipt.unfinished:
        yield from visit.hops
    for requisite in receipt.requisites:
        yield from requisite.hops


def records(receipt: Receipt) -> list[RecordLocation]:
    """The records of the segment's file."""
    if receipt.warc is None:
        return []
    found: list[RecordLocation] = [] if receipt.warcinfo is None else [receipt.warcinfo]
    for hop in hops(receipt):
        found += hop.records
    return found


def originals(receipt: Receipt) -> list[Original]:
    """The responses that a later capture of the same bytes may refer to (contracts, "WARC"): what the capture marked as
    such, and never a revisit itself."""
    return [original for hop in hops(receipt) if (original := original_of(hop)) is not None]


def original_of(hop: Hop) -> Original | None:
    """The same of one hop; None where it is no whole response with a digest."""
    if not hop.reusable or hop.content_sha256 is None:
        return None
    response = hop.record("response")
    if response is None:
        return None
    return Original(response.record_id, hop.url, hop.retrieved_at, hop.content_sha256)


def requisites(receipt: Receipt) -> list[str]:
    """Addresses of requisites that the job now has."""
    return [each.url for each in receipt.requisites if each.outcome.has_response]


def versions(receipt: Receipt) -> list[VersionSeen]:
    """How its URLs can be asked for news. Hops that say nothing of it are left out, and robots.txt, which is always
    asked for in full."""
    return [
        VersionSeen(hop.url, hop.retrieved_at, _version(hop, hop.revalidation))
        for hop in asked_hops(receipt)
        if hop.revalidation is not None
    ]


def _version(hop: Hop, said: Revalidation) -> KnownVersion | None:
    if said.etag is None and said.last_modified is None:
        return None
    if said.representation is not None:
        return _version_of(said.representation, hop, said)
    original = original_of(hop)
    if original is None:
        return None
    return KnownVersion(
        original=original,
        content_sha256=original.content_sha256,
        content_bytes=hop.content_bytes,
        content_type=hop.content_type,
        etag=said.etag,
        last_modified=said.last_modified,
        received_at=hop.retrieved_at,
        distrusted=said.distrusted,
    )


def _version_of(content: Representation, hop: Hop, said: Revalidation) -> KnownVersion:
    original = None
    if content.record_id is not None and content.retrieved_at is not None:
        original = Original(content.record_id, hop.url, content.retrieved_at, content.content_sha256)
    return KnownVersion(
        original=original,
        content_sha256=content.content_sha256,
        content_bytes=content.content_bytes,
        content_type=content.content_type,
        etag=said.etag,
        last_modified=said.last_modified,
        received_at=content.received_at,
        confirmed=content.confirmed,
        distrusted=said.distrusted,
    )


def resumption_of(unfinished: UnfinishedVisit) -> QueuedUrl:
    """The URL as it waits for the host that its visit goes on with."""
    written = unfinished.written
    return QueuedUrl(
        requested_url=unfinished.requested_url,
        normalized_url=unfinished.normalized_url,
        host=host_of(unfinished.resumes_at),
        visit=unfinished.visit,
        tries=unfinished.tries,
        depth=unfinished.depth,
        via=unfinished.way if written is None else (),
        resumes_at=unfinished.resumes_at if written is None else None,
        written=written,
    )
