"""One record out of the inflated bytes of its member, strictly: form, length and digests are checked.

Nothing here trusts its input. What does not hold is a `CorruptRecord`, a value that says what is wrong.
Records of other writers are held to the same form, WARC 1.0 or 1.1; their digests may be of other
algorithms, and a payload digest of theirs may be over chunk framing or over what was behind it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from schemas.digests import DigestError, WarcAlgorithm, parse_warc_label
from workers.archive.inflate import MemberDamagedError
from workers.archive.octets import CONTENT_TYPE as WARC_FIELDS
from workers.archive.octets import Fields, read_fields
from workers.archive.stored_http import split_http
from workers.exchange import Spool

MAX_RECORD_HEADER_BYTES = 64 * 1024  # twice what is written
REPEATABLE = frozenset({"warc-concurrent-to", "warc-protocol"})
ONCE = ("warc-", "content-")  # fields that we do not know are passed over (WARC 1.1, 5.1)
REQUIRED = ("WARC-Type", "WARC-Record-ID", "WARC-Date", "Content-Length")

_HEADER_END = b"\r\n\r\n"
_RECORD_END = b"\r\n\r\n"
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

Fault = Literal[
    "member-damaged",
    "ends-early",
    "member-length",
    "version",
    "header",
    "content-length",
    "too-large",
    "block-digest",
    "payload-digest",
]
Check = Literal["verified", "absent", "other-algorithm", "not-checkable", "differs"]
"""What became of a digest. `other-algorithm`: none that we know, or not of its form. `not-checkable`: a revisit's
payload lies elsewhere. `differs`: a payload digest that we did not write; writers take different bytes for it."""


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What one record may be at most: 512 MiB of body and its heads, unless told otherwise."""

    max_block_bytes: int = 512 * 1024 * 1024 + 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CorruptRecord:
    """What is wrong with a member. `record_id` where the header could still be read."""

    fault: Fault
    what: str
    record_id: str | None = None
    expected: str | None = None
    actual: str | None = None


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """A record as it stands in the file."""

    id: str
    """Without angle brackets."""
    type: str
    date: str
    headers: tuple[tuple[str, str], ...]
    block: Spool
    block_check: Check
    payload_check: Check

    def header(self, name: str) -> str | None:
        """First value of a named field, or None."""
        return next(iter(self.header_all(name)), None)

    def header_all(self, name: str) -> tuple[str, ...]:
        """All values of a named field, in order."""
        wanted = name.lower()
        return tuple(value for key, value in self.headers if key.lower() == wanted)

    def reference(self, name: str) -> str | None:
        """The record id in a field such as WARC-Refers-To, without angle brackets."""
        value = self.header(name)
        return None if value is None else value.removeprefix("<").removesuffix(">")

    def fields(self) -> Fields | None:
        """The fields of an `application/warc-fields` block, or None where it is none."""
        if self.header("Content-Type") != WARC_FIELDS:
            return None
        return read_fields(self.block.read())


def parse_record(pieces: Iterator[bytes], limits: ReadingLimits) -> WarcRecord | CorruptRecord:
    """The record that these bytes are, to their end."""
    text = bytearray()
    end = -1
    while end < 0:
        piece = next(pieces, b"")
        if not piece:
            return CorruptRecord("header", "the record header has no end")
        start = max(0, len(text) - len(_HEADER_END))
        text += piece
        end = text.find(_HEADER_END, start)
        if end > MAX_RECORD_HEADER_BYTES or (end < 0 and len(text) > MAX_RECORD_HEADER_BYTES):
            return CorruptRecord("header", f"the record header is longer than {MAX_RECORD_HEADER_BYTES} bytes")
    headers = _headers(bytes(text[:end]))
    if isinstance(headers, CorruptRecord):
        return headers
    names = {name.lower(): value for name, value in headers}
    record_id = names["warc-record-id"].removeprefix("<").removesuffix(">")
    length_text = names["content-length"]
    if not (length_text.isascii() and length_text.isdigit()) or len(length_text) > 18:
        return CorruptRecord("content-length", "Content-Length is not a number", record_id)
    length = int(length_text)
    if length > limits.max_block_bytes:
        return CorruptRecord(
            "too-large", "the block is larger than allowed", record_id, str(limits.max_block_bytes), length_text
        )
    block = Spool()
    try:
        rest = _fill(block, bytes(text[end + len(_HEADER_END) :]), pieces, length)
    except MemberDamagedError:
        block.close()
        raise
    if len(rest) > len(_RECORD_END) and rest.startswith(_RECORD_END):
        block.close()
        return CorruptRecord(
            "content-length", "more follows the record in its member: each record must have one of its own", record_id
        )
    if rest != _RECORD_END:
        block.close()
        return CorruptRecord(
            "content-length", "the block does not end where Content-Length says, with two CRLF", record_id
        )
    record = _checked(headers, names, record_id, block)
    if isinstance(record, CorruptRecord):
        block.close()
    return record


def _fill(block: Spool, first: bytes, pieces: Iterator[bytes], length: int) -> bytes:
    """Move `length` bytes into the block; what follows them, up to one byte more than a record's end."""
    rest = b""
    piece = first
    while True:
        missing = length - block.size
        if missing and piece:
            block.write(piece[:missing])
        rest = (rest + piece[missing:])[:5]
        if len(rest) > len(_RECORD_END):
            return rest
        piece = next(pieces, b"")
        if not piece:
            return rest if block.size == length else b""


def _headers(text: bytes) -> tuple[tuple[str, str], ...] | CorruptRecord:
    try:
        lines = text.decode("utf-8").split("\r\n")
    except UnicodeDecodeError:
        return CorruptRecord("header", "the record header is not UTF-8")
    if lines[0] not in ("WARC/1.1", "WARC/1.0"):
        return CorruptRecord("version", "the record does not begin with WARC/1.1", None, "WARC/1.1", lines[0][:20])
    headers: list[tuple[str, str]] = []
    seen: set[str] = set()
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if not colon or _NAME.fullmatch(name) is None:
            return CorruptRecord("header", "a line of the record header is not `Name: value`")
        if name.lower() in seen and name.lower().startswith(ONCE) and name.lower() not in REPEATABLE:
            return CorruptRecord("header", f"{name} stands there more than once")
        seen.add(name.lower())
        headers.append((name, value.strip(" \t")))
    missing = [name for name in REQUIRED if name.lower() not in seen]
    if missing:
        return CorruptRecord("header", f"the record has no {missing[0]}")
    return tuple(headers)


def _checked(
    headers: tuple[tuple[str, str], ...], names: dict[str, str], record_id: str, block: Spool
) -> WarcRecord | CorruptRecord:
    block_check = _compare(names.get("warc-block-digest"), block, 0)
    if isinstance(block_check, Mismatch):
        return CorruptRecord(
            "block-digest", "the block is not what was written", record_id, block_check.expected, block_check.actual
        )
    record_type = names["warc-type"]
    payload_check = _payload_check(record_type, names.get("warc-payload-digest"), block)
    if isinstance(payload_check, Mismatch):
        return CorruptRecord(
            "payload-digest",
            "the payload is not what was written",
            record_id,
            payload_check.expected,
            payload_check.actual,
        )
    return WarcRecord(record_id, record_type, names["warc-date"], headers, block, block_check, payload_check)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A digest that does not fit its bytes, in hex."""

    expected: str
    actual: str


def _payload_check(record_type: str, label: str | None, block: Spool) -> Check | Mismatch:
    """Of a message the bytes after its head; of every other record the block (WARC 1.1, 6.3.2, 6.4, 6.8)."""
    if record_type == "revisit":
        return "not-checkable"
    if label is None:
        return "absent"
    if record_type not in ("request", "response"):
        return _compare(label, block, 0)
    check = _compare(label, block, split_http(block).start)
    return "differs" if isinstance(check, Mismatch) and not label.startswith("sha256:") else check


def _compare(label: str | None, block: Spool, start: int) -> Check | Mismatch:
    """A labelled digest against the bytes of a block from `start` on."""
    if label is None:
        return "absent"
    digest = parse_warc_label(label)
    if isinstance(digest, DigestError):
        return "other-algorithm"
    if digest.algorithm is WarcAlgorithm.SHA256 and start == 0:
        actual = block.sha256
    else:
        running = hashlib.new(digest.algorithm.value, usedforsecurity=False)
        for piece in block.chunks(start):
            running.update(piece)
        actual = running.hexdigest()
    expected = digest.digest.hex()
    return "verified" if actual == expected else Mismatch(expected, actual)
