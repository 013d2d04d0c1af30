"""The WARC records that a leaf binds, from their bytes: ids, block, payload and decoded digests, conversion.

One check for bundles and for logs. The leaf is what was promised; where a record lies is an unsigned
look-up that the caller brings, so a wrong place can hide a record but never replace one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from schemas.digests import DigestError, WarcAlgorithm, WarcDigest, parse_warc_label
from schemas.findings import FindingKind
from schemas.records.base import TIME_PATTERN
from schemas.records.manifest import Leaf, LeafRecord
from schemas.urls.error import UrlError
from schemas.urls.wire import wire_url
from validator.decoding import Decoded, Undecodable, codings_of, decode
from validator.found import Found
from validator.http_block import HttpHead, declared_head_bytes, read_head
from validator.snapshot_fields import StoredContent
from validator.times import sortable
from validator.warc import WarcRecord, sha256_from_here

TYPES: Final = {
    "request": ("request",),
    "response": ("response", "revisit"),
    "payload": ("response",),
    "conversion": ("conversion",),
    "metadata": ("metadata",),
}
"""Which record types may fill a role of a leaf."""
REVISIT_PROFILES: Final = frozenset(
    {
        "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        "http://netpreserve.org/warc/1.1/revisit/server-not-modified",
        "http://netpreserve.org/warc/1.1/server-not-modified",  # as the standard's annex writes it
    }
)
MAX_METADATA: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Located:
    """A record that was read, and how a report names its place."""

    record: WarcRecord
    pointer: str
    path: str


Load = Callable[[str], Located | None]
"""A record by its id; None where it cannot be had, which the loader has reported."""


@dataclass(frozen=True, slots=True)
class Payload:
    """The decoded payload, with what is needed to read words in it."""

    decoded: Decoded
    content_type: str | None


class LeafRecords:
    """The check of one leaf. `found` takes what is wrong; `payload` is what quotes may be looked for in."""

    def __init__(self, leaf: Leaf, load: Load, found: Found, scratch: ExitStack) -> None:
        self._leaf = leaf
        self._found = found
        self._load = load
        self._scratch = scratch
        self._revisit_head: bytes | None = None
        self.content: StoredContent | None = None
        """What the records hold beside the decoded payload, once `check` has read it."""

    def check(self) -> Payload | None:
        """Read every record of the leaf. Gives the decoded payload where it holds."""
        loaded: dict[str, Located] = {}
        for bound in self._leaf.records:
            located = self._load(bound.record_id)
            if located is not None and self._is_the_record(located, bound):
                loaded[bound.role] = located
        response = loaded.get("response")
        payload = loaded.get("payload", response)
        payload_id = next((r.record_id for r in self._leaf.records if r.role == "payload"), None)
        payload_id = payload_id or next((r.record_id for r in self._leaf.records if r.role == "response"), None)
        if response is not None:
            self._check_response(response, payload_id)
        if "conversion" in loaded:
            self._refers(loaded["conversion"], payload_id)
        result = None
        if payload is not None and payload.record.one("WARC-Type") != "response":
            # A revisit holds no payload: without its original nothing would have been looked at.
            self._add(FindingKind.WARC_RECORD_DIFFERS, payload, expected="a response that holds the payload")
        elif payload is not None:
            # The leaf's metadata record is of the last exchange: it says nothing of an earlier original.
            own = payload is response and any(r.role == "metadata" for r in self._leaf.records)
            result = self._check_payload(payload, loaded.get("metadata") if own else None, lost=own)
        return result

    def _add(self, kind: FindingKind, at: Located, *, expected: object = None, actual: object = None) -> None:
        ids = (self._leaf.snapshot_id, at.record.reference("WARC-Record-ID") or "")
        self._found.add(kind, pointer=at.pointer, path=at.path, ids=ids, expected=expected, actual=actual)

    def _is_the_record(self, at: Located, bound: LeafRecord) -> bool:
        """Id, type and block of one record."""
        record = at.record
        self._found.looked_at("WARC records")
        kind = record.one("WARC-Type")
        wanted = TYPES[bound.role]
        is_bound = kind in wanted and record.block_sha256 == bound.block_sha256
        if not is_bound and is_tombstone(record, bound.record_id):
            self._add(FindingKind.WARC_TAKEN_DOWN, at, expected=bound.record_id)
            return False
        if record.reference("WARC-Record-ID") != bound.record_id or kind not in wanted:
            self._add(
                FindingKind.WARC_RECORD_DIFFERS,
                at,
                expected=f"{' or '.join(wanted)} {bound.record_id}",
                actual=f"{kind} {record.reference('WARC-Record-ID')}",
            )
            return False
        header = digest_of(record, "WARC-Block-Digest")
        computed = record.block_sha256
        if computed != bound.block_sha256 or header != bytes.fromhex(computed):
            self._add(
                FindingKind.WARC_BLOCK_DIGEST,
                at,
                expected=f"leaf {bound.block_sha256}, header {record.one('WARC-Block-Digest')}",
                actual=computed,
            )
            return False
        return True

    def _check_response(self, at: Located, payload_id: str | None) -> None:
        """Target and date, and for a revisit what it refers to; its own block holds no payload."""
        target = at.record.one("WARC-Target-URI")
        wanted = wire_url(self._leaf.final_url)
        sent = None if target is None else wire_url(target)
        if sent is None or isinstance(sent, UrlError) or sent != wanted:
            self._add(FindingKind.WARC_RECORD_DIFFERS, at, expected=f"target {self._leaf.final_url}", actual=target)
        date = at.record.one("WARC-Date") or ""
        if re.fullmatch(TIME_PATTERN, date) is None or sortable(date) != sortable(self._leaf.retrieved_at):
            self._add(FindingKind.WARC_RECORD_DIFFERS, at, expected=f"date {self._leaf.retrieved_at}", actual=date)
        if at.record.one("WARC-Type") == "revisit":
            head = read_head(at.record.block, at.record.block_bytes)
            if head is not None:
                self._check_status(at, head)
                self._revisit_head = _bytes_of(at, head) if at.record.block_bytes else None
            self._refers(at, payload_id)
            profile = at.record.one("WARC-Profile")
            if profile not in REVISIT_PROFILES:
                self._add(FindingKind.WARC_RECORD_DIFFERS, at, expected="a revisit profile", actual=profile)
            if digest_of(at.record, "WARC-Payload-Digest") != bytes.fromhex(self._leaf.content_sha256):
                self._add(
                    FindingKind.WARC_PAYLOAD_DIGEST,
                    at,
                    expected=f"the original's, {self._leaf.content_sha256}",
                    actual=at.record.one("WARC-Payload-Digest"),
                )

    def _refers(self, at: Located, payload_id: str | None) -> None:
        refers = at.record.reference("WARC-Refers-To")
        if refers != payload_id:
            kind = at.record.one("WARC-Type")
            finding = FindingKind.CONVERSION_DIFFERS if kind == "conversion" else FindingKind.WARC_RECORD_DIFFERS
            self._add(finding, at, expected=f"refers to {payload_id}", actual=refers)

    def _check_payload(self, at: Located, metadata: Located | None, *, lost: bool) -> Payload | None:
        """Content digest, its header, the decoded digest. `lost`: there was a metadata record; None if it is gone."""
        record = at.record
        head = read_head(record.block, record.block_bytes, _declared(metadata))
        if head is None:
            self._add(FindingKind.PAYLOAD_UNDECODABLE, at, actual="an HTTP head too long to be read")
            return None
        digest = sha256_from_here(record.block)
        self._found.looked_at("payloads")
        header = record.one("WARC-Payload-Digest")
        absent = header is None and not record.all("WARC-Payload-Digest")
        agrees = absent or digest_of(record, "WARC-Payload-Digest") == digest.digest()
        if digest.hexdigest() != self._leaf.content_sha256 and metadata is None and lost:
            self._add(
                FindingKind.PAYLOAD_UNDECODABLE, at, actual="without its metadata record no known end of the head"
            )
            return None
        if digest.hexdigest() != self._leaf.content_sha256 or not agrees:
            self._add(
                FindingKind.WARC_PAYLOAD_DIGEST,
                at,
                expected=f"content_sha256 {self._leaf.content_sha256}, header {header}",
                actual=digest.hexdigest(),
            )
            return None
        heads = [_bytes_of(at, head), *([self._revisit_head] if self._revisit_head is not None else [])]
        self.content = StoredContent(record.block_bytes - head.size, heads)
        if not any(r.role == "payload" for r in self._leaf.records):
            self._check_status(at, head)  # of an original the status is not this capture's
        return self._decoded(at, head)

    def _check_status(self, at: Located, head: HttpHead) -> None:
        if head.status is not None and head.status != self._leaf.http_status:
            self._add(
                FindingKind.WARC_RECORD_DIFFERS,
                at,
                expected=f"HTTP status {self._leaf.http_status}",
                actual=head.status,
            )

    def _decoded(self, at: Located, head: HttpHead) -> Payload | None:
        if self._leaf.decoded_sha256 is None:
            if self._leaf.text_sha256 is not None:
                self._add(FindingKind.PAYLOAD_UNDECODABLE, at, actual="no decoded_sha256, but a text")
            return None
        at.record.block.seek(head.size)
        decoded = decode(at.record.block, codings_of(head.values("content-encoding")), self._scratch)
        if isinstance(decoded, Undecodable):
            kind = FindingKind.PAYLOAD_DECODED_DIGEST if decoded.broken else FindingKind.PAYLOAD_UNDECODABLE
            self._add(kind, at, expected=self._leaf.decoded_sha256, actual=decoded.why)
            return None
        if decoded.sha256 != self._leaf.decoded_sha256:
            self._add(FindingKind.PAYLOAD_DECODED_DIGEST, at, expected=self._leaf.decoded_sha256, actual=decoded.sha256)
            return None
        content_type = ", ".join(head.values("content-type")) or None
        return Payload(decoded, content_type)


def _bytes_of(at: Located, head: HttpHead) -> bytes:
    at.record.block.seek(0)
    return at.record.block.read(head.size)


def _declared(metadata: Located | None) -> int | None:
    """`http-head-bytes` of the exchange's metadata record."""
    if metadata is None or metadata.record.block_bytes > MAX_METADATA:
        return None
    metadata.record.block.seek(0)
    return declared_head_bytes(metadata.record.block.read())


def digest_of(record: WarcRecord, name: str) -> bytes | None:
    """The SHA-256 in a digest field; None where it is absent, unreadable or of another kind."""
    value = record.one(name)
    digest = DigestError("absent") if value is None else parse_warc_label(value)
    if isinstance(digest, WarcDigest) and digest.algorithm is WarcAlgorithm.SHA256:
        return digest.digest
    return None


def is_tombstone(record: WarcRecord, taken_down: str) -> bool:
    """Whether a metadata record stands where another record was, which may have been of metadata too, and says so."""
    if record.one("WARC-Type") != "metadata":
        return False
    if taken_down not in (record.reference("WARC-Refers-To"), record.reference("WARC-Record-ID")):
        return False
    record.block.seek(0)
    return record.block.read(MAX_METADATA).lower().startswith(b"tombstone:")
