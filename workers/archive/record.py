"""One WARC 1.1 record as bytes: named fields in a fixed order, then the block, verbatim.

Nothing is parsed and written anew: warcio's serialiser refuses or rewrites headers that servers do
send, so the header is ours and the block is whatever bytes it is given. What comes from outside (a
URL, an address, a cipher name) cannot break out of its line: control characters are percent-encoded.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field

from schemas.records.outcome import RecordType
from workers.exchange import Spool
from workers.light import light

VERSION = b"WARC/1.1\r\n"
RECORD_END = b"\r\n\r\n"
INLINE_BYTES = 1024 * 1024  # a block up to here is one bytes object, a larger one is streamed
MAX_HEADER_BYTES = 32 * 1024  # FastWARC's default limit: a longer header loses the record for it

NewId = Callable[[], str]
"""Gives a fresh record id, `urn:uuid:…` without angle brackets."""

_VARIANT = "89ab"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_CONTROL_OCTETS = bytes([*range(0x20), 0x7F])
_VISIBLE_ASCII = re.compile(r"[!-~]*")


def new_record_id() -> str:
    """A random (version 4) UUID as a URN: unique without a registry (WARC 1.1, 5.2; RFC 9562, 5.4).

    Written out here, since `uuid.uuid4` takes three times as long and a page needs two or three.
    """
    d = os.urandom(16).hex()
    return f"urn:uuid:{d[:8]}-{d[8:12]}-4{d[13:16]}-{_VARIANT[int(d[16], 16) & 3]}{d[17:20]}-{d[20:]}"


def target_uri(url: str) -> str:
    """A URL as `WARC-Target-URI`: no white space within (WARC 1.1, 5.12), so what is not visible ASCII is encoded.

    A URL that was fit for the wire is returned as it is.
    """
    if _VISIBLE_ASCII.fullmatch(url):
        return url
    octets = url.encode("utf-8", "surrogatepass")
    return "".join(chr(octet) if 0x20 < octet < 0x7F else f"%{octet:02X}" for octet in octets)


def sha256_label(digest: str) -> str:
    """64 hex digits as a labelled digest that warcio and FastWARC both verify."""
    return f"sha256:{digest}"


@light
class Block:
    """The bytes of a record's block, their number and SHA-256; held inline or streamed, any number of times."""

    size: int
    sha256: str
    pieces: Callable[[], Iterable[bytes]]
    parts: tuple[bytes, ...] | None = None
    """All of it, where it is at hand."""

    @property
    def inline(self) -> bytes | None:
        """All of it in one, or None where it is streamed."""
        return None if self.parts is None else b"".join(self.parts)

    @staticmethod
    def of(*parts: bytes) -> Block:
        """A block that is at hand, whole or in parts."""
        digest = hashlib.sha256()
        size = 0
        for part in parts:
            digest.update(part)
            size += len(part)
        return Block(size, digest.hexdigest(), lambda: parts, parts)

    @staticmethod
    def streamed(pieces: Callable[[], Iterable[bytes]]) -> Block:
        """A block that is produced piece by piece; `pieces` must give the same bytes each time."""
        digest = hashlib.sha256()
        size = 0
        for piece in pieces():
            digest.update(piece)
            size += len(piece)
        return Block(size, digest.hexdigest(), pieces)

    @staticmethod
    def of_message(head: bytes, content: Spool, sha256: str | None = None) -> Block:
        """A message head and its content, inline where that is small. `sha256`: of both, where it is at hand."""
        if len(head) + content.size <= INLINE_BYTES:
            parts = head, content.read()
            if sha256 is None:
                return Block.of(*parts)
            return Block(len(head) + content.size, sha256, lambda: parts, parts)

        def pieces() -> Iterator[bytes]:
            yield head
            yield from content.chunks()

        return Block.streamed(pieces)


@light
class IndexFacts:
    """What the CDXJ line of a record says beside its place (`schemas/README.md, CDXJ`)."""

    url: str
    date: str
    mime: str | None
    status: str | None
    payload_sha256: str | None


@light
class Record:
    """A record ready to be written. `index` is None for a type that has no CDXJ line."""

    id: str
    type: RecordType
    header: bytes
    block: Block
    index: IndexFacts | None = field(default=None)

    def data(self) -> bytes | None:
        """The whole record at once where its block is inline, else None."""
        parts = self.block.parts
        return None if parts is None else b"".join((self.header, *parts, RECORD_END))

    def whole(self) -> bytes:
        """The same of a record that is known to be small. ValueError where it is not."""
        data = self.data()
        if data is None:
            raise ValueError(f"{self.id} is streamed")
        return data

    @property
    def size(self) -> int:
        """Bytes of the whole record."""
        return len(self.header) + self.block.size + len(RECORD_END)

    def pieces(self) -> Iterator[bytes]:
        """The whole record in pieces."""
        yield self.header
        yield from self.block.pieces()
        yield RECORD_END


def build(
    record_type: RecordType,
    record_id: str,
    date: str,
    block: Block,
    *,
    content_type: str,
    fields: Sequence[tuple[str, str]] = (),
    index: IndexFacts | None = None,
) -> Record:
    """A record of this type; `fields` stand between the date and the digests, in the order given."""
    lines = [
        ("WARC-Type", record_type),
        ("WARC-Record-ID", f"<{record_id}>"),
        ("WARC-Date", date),
        *fields,
        ("WARC-Block-Digest", sha256_label(block.sha256)),
        ("Content-Type", content_type),
        ("Content-Length", str(block.size)),
    ]
    return Record(record_id, record_type, serialise(lines), block, index)


def serialise(lines: Sequence[tuple[str, str]]) -> bytes:
    """Version line, named fields and the empty line. No value can end its line early."""
    data = _encoded([f"{name}: {value}\r\n" for name, value in lines])
    if len(data) - len(data.translate(None, _CONTROL_OCTETS)) != 2 * len(lines):
        data = _encoded([f"{name}: {_without_controls(value)}\r\n" for name, value in lines])
    return VERSION + data + b"\r\n"


def _encoded(lines: list[str]) -> bytes:
    return "".join(lines).encode("utf-8", "backslashreplace")


def _without_controls(value: str) -> str:
    return _CONTROL.sub(lambda match: f"%{ord(match.group()):02X}", value)
