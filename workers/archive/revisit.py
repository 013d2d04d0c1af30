"""Whether an answer is stored as a `response` or as a `revisit` of one that is stored already. Pure.

(WARC 1.1, 6.7; `schemas/README.md, WARC`.) The look-up that `found` comes from promises what cannot be
seen here: the original is a `response` record, never a revisit, and it is durable or stands earlier in
the same file. A body that was cut off is never a revisit, since `WARC-Truncated` has one value and a
revisit needs it to say that the payload was left out (6.7.2).
"""

from __future__ import annotations

from typing import Protocol

from schemas.records.outcome import Outcome
from workers.archive.message import StoredMessage
from workers.exchange import Exchange
from workers.light import light

IDENTICAL_PAYLOAD_PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
SERVER_NOT_MODIFIED_PROFILE = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


class OriginalRecord(Protocol):
    """A stored `response` record that a revisit may refer to."""

    @property
    def record_id(self) -> str:
        """Without angle brackets."""

    @property
    def target_uri(self) -> str:
        """Its WARC-Target-URI."""

    @property
    def date(self) -> str:
        """Its WARC-Date."""

    @property
    def content_sha256(self) -> str:
        """The digest in its WARC-Payload-Digest."""


@light
class AsResponse:
    """Store the answer in full; `why` is for people."""

    why: str


@light
class IdenticalPayload:
    """Store the head, and refer to the original for the payload (WARC 1.1, 6.7.2)."""

    original: OriginalRecord


@light
class NotModified:
    """The server says that nothing changed: an empty block that refers to the original (WARC 1.1, 6.7.3).

    The block is empty, since pywb and wabac.js replay a stored 304 head as an empty page.
    """

    original: OriginalRecord


Decision = AsResponse | IdenticalPayload | NotModified


def decide(exchange: Exchange, message: StoredMessage | None, found: OriginalRecord | None) -> Decision:
    """Response or revisit.

    `found`: for a 304 the capture whose validators were sent with the request, otherwise the record
    that the look-up gives for `message.payload_sha256`; None where there is none.
    """
    response = exchange.response
    if response is None or message is None or found is None:
        return AsResponse("no original is known")
    if response.status == 304:
        if message.payload_bytes:
            return AsResponse("a 304 with a body is malformed and is kept as it came")
        return NotModified(found)
    if exchange.outcome is Outcome.MALFORMED:
        return AsResponse("the extent of the body is in doubt, and the outcome must say so")
    if exchange.truncated is not None:
        return AsResponse("the body was cut off")
    if message.payload_sha256 is None:
        return AsResponse(f"no payload digest: {message.exception}")
    if message.payload_bytes == 0:
        return AsResponse("the payload is empty")
    if found.content_sha256 != message.payload_sha256:
        return AsResponse("the payload differs from the original's")
    return IdenticalPayload(found)


def outcome_of(exchange: Exchange, decision: Decision) -> Outcome:
    """The outcome that the hop gets once its records are written."""
    match decision:
        case AsResponse():
            return exchange.outcome
        case IdenticalPayload():
            return Outcome.REVISIT
        case NotModified():
            return Outcome.NOT_MODIFIED
