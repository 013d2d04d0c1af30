"""What a receipt says, taken apart: where its records lie, and which of them a revisit may refer to."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.records.outcome import Hop, RecordLocation
from schemas.records.receipt import Receipt
from workers.ports import Original


def hops(receipt: Receipt) -> Iterator[Hop]:
    """Every exchange of the segment: those of its URLs, and the robots.txt fetched on the way."""
    for outcome in receipt.outcomes:
        yield from outcome.hops
    yield from receipt.robots


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
    found: list[Original] = []
    for hop in hops(receipt):
        response = hop.record("response")
        if response is not None and hop.reusable and hop.content_sha256 is not None:
            found.append(Original(response.record_id, hop.url, hop.retrieved_at, hop.content_sha256))
    return found
