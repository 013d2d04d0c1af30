"""One WARC record out of one gzip member or zstd frame, read with FastWARC and measured by ourselves.

FastWARC alone is no checker: a truncated member comes back as a record with no body and no error, a
missing gzip trailer goes unnoticed, `verify_digests` skips what fails, and quirks mode walks over a
wrong length. So the member is inflated here first, with its CRC and length (RFC 1952, 2.3.1) and nothing
behind it (`validator.gzip_member`: a usual one, at once), the record is read from those bytes with every
leniency off, and the sum of header, block and end has to be all there is (ISO 28500:2017, 4).
"""

from __future__ import annotations

import hashlib
import io
import re
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, cast

from fastwarc import ArchiveIterator
from fastwarc.stream_io import ZstdReader

from schemas.records.base import MAX_INTEGER
from validator.gzip_member import plain_of
from validator.limits import LIMITS
from validator.zstd_frames import frames_size

GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS  # zlib reads header and trailer, and checks CRC and length
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
MAX_HEADER: Final = 32 * 1024
USUAL_HEADER: Final = 2 * 1024
"""So much is looked at first."""
END: Final = b"\r\n\r\n"
HEAD: Final = re.compile(rb"WARC/1\.[01]\r\n(?:[!#-'*+.0-9A-Z^_`a-z|~-]+:[^\r\n\0]*\r\n)*\r\n")
"""Named fields of one line each. Where a lone CR or LF, a NUL, a line without colon or a folded one stands, readers
differ in what the fields are and where the head ends, so that one member would show two contents."""


@dataclass(frozen=True, slots=True)
class Broken:
    """The member is not one whole record. `too_large`: it was not read to the end, which proves nothing."""

    why: str
    too_large: bool = False


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """A record whose length is right. Nothing is said about its digests yet."""

    fields: Sequence[tuple[str, str]]
    """Named fields as written."""
    block: BinaryIO
    """The block, seekable, at its start."""
    block_bytes: int
    block_sha256: str

    def all(self, name: str) -> list[str]:
        """All values of a field; names are compared without case (ISO 28500, 4)."""
        wanted = name.lower()
        return [value for key, value in self.fields if len(key) == len(wanted) and key.lower() == wanted]

    def one(self, name: str) -> str | None:
        """The value of a field that stands once; None also where it stands twice, since then it says nothing."""
        values = self.all(name)
        return values[0] if len(values) == 1 else None

    def reference(self, name: str) -> str | None:
        """A record id without its angle brackets."""
        value = self.one(name)
        return value[1:-1] if value is not None and value.startswith("<") and value.endswith(">") else None


def read_member(member: BinaryIO, length: int, scratch: ExitStack, *, frames: bool = False) -> WarcRecord | Broken:
    """The record in the next `length` bytes; its block lives as long as `scratch`.

    `frames`: whether it may be a zstd frame too, as an archive may have it. A bundle holds gzip members alone.
    May raise OSError of the stream itself.
    """
    begun = member.read(min(LIMITS.piece, length))
    if frames and begun.startswith(ZSTD_MAGIC):
        plain = temporary_file(scratch)
        return _expand(begun, member, length, plain, temporary_file(scratch)) or _read(plain)
    inflated = _inflate(begun, member, length, scratch)
    return inflated if isinstance(inflated, Broken) else _read(inflated)


def temporary_file(scratch: ExitStack) -> BinaryIO:
    """Space that is in memory while it is small, and gone when `scratch` ends."""
    return cast(BinaryIO, scratch.enter_context(SpooledTemporaryFile(LIMITS.memory)))


def _inflate(waiting: bytes, member: BinaryIO, length: int, scratch: ExitStack) -> BinaryIO | Broken:
    """What a gzip member holds. `waiting`: its beginning, which was read already. A usual page comes out in one piece,
    which is kept as it is."""
    if len(waiting) == length and (plain := plain_of(waiting, LIMITS.memory)) is not None:
        return io.BytesIO(plain)
    gzip = zlib.decompressobj(GZIP_WINDOW)
    left, total = length - len(waiting), 0
    out: BinaryIO | None = None
    while not gzip.eof:
        if not waiting:
            waiting = member.read(min(LIMITS.piece, left))
            left -= len(waiting)
            if not waiting:
                return Broken("the gzip member is cut off")
        try:
            piece = gzip.decompress(waiting, LIMITS.piece if total else LIMITS.memory)
        except zlib.error:
            return Broken("no gzip member, or its CRC or length is wrong")
        waiting = gzip.unconsumed_tail
        total += len(piece)
        if total > LIMITS.record:
            return Broken(f"more than {LIMITS.record} bytes", too_large=True)
        if out is None:
            out = io.BytesIO(piece) if gzip.eof else temporary_file(scratch)
        if not isinstance(out, io.BytesIO):
            out.write(piece)
    if out is None or gzip.unused_data or left:
        return Broken("bytes after the gzip member")
    return out


def _expand(begun: bytes, member: BinaryIO, length: int, out: BinaryIO, packed: BinaryIO) -> Broken | None:
    """One record as zstd frames (Zstandard Compression for WARC Files 1.0, proposed), without a dictionary."""
    packed.write(begun)
    left = length - len(begun)
    while left and (piece := member.read(min(LIMITS.piece, left))):
        packed.write(piece)
        left -= len(piece)
    packed.seek(0)
    try:
        if left or frames_size(packed) != length:
            return Broken("bytes after the zstd frame, or it is cut off")
        packed.seek(0)
        reader = ZstdReader(cast(BinaryIO, _Unclosed(packed)))
        total = 0
        while piece := reader.read(LIMITS.piece):
            total += len(piece)
            if total > LIMITS.record:
                return Broken(f"more than {LIMITS.record} bytes", too_large=True)
            out.write(piece)
    except (OSError, EOFError, ValueError):
        return Broken("a zstd frame that is damaged, cut off, or asks for too much")
    return None


def _read(plain: BinaryIO) -> WarcRecord | Broken:
    """FastWARC reads the header and no more: the block is what stands between header and end, by our own count."""
    plain.seek(0, io.SEEK_END)
    total = plain.tell()
    plain.seek(0)
    head = plain.read(USUAL_HEADER)
    start = head.find(END) + len(END)
    if start < len(END):
        head += plain.read(MAX_HEADER - len(head))
        start = head.find(END) + len(END)
    if not head.startswith((b"WARC/1.1\r\n", b"WARC/1.0\r\n")):
        return Broken("no WARC record")
    if start < len(END):
        return Broken(f"a WARC header without end, or over {MAX_HEADER} bytes")
    if HEAD.fullmatch(head, 0, start) is None:
        return Broken("a WARC header with a line that is no named field, or with a lone CR, LF or NUL")
    try:
        lines = _Unclosed(io.BytesIO(head[:start]))
        record = next(iter(ArchiveIterator(lines, parse_http=False, max_header_len=MAX_HEADER)), None)
        if record is None:
            return Broken("no WARC record")
        fields = tuple(record.headers.to_tuples())
    except (OSError, UnicodeDecodeError, ValueError):
        return Broken("a WARC record that cannot be read")
    size = total - start - len(END)
    block = _part(plain, start, max(size, 0))
    out = WarcRecord(fields, block, size, sha256_from_here(block).hexdigest())
    block.seek(0)
    declared = out.one("Content-Length") or ""
    if not (declared.isascii() and declared.isdigit() and len(declared) < len(str(MAX_INTEGER))):
        return Broken("a Content-Length that is not the block's")
    plain.seek(max(total - len(END), start))
    if int(declared) != size or plain.read() != END:
        return Broken("a block that does not end where the record does, or a Content-Length that is not its own")
    return out


def sha256_from_here(stream: BinaryIO) -> hashlib._Hash:
    """SHA-256 of what stands from its position to its end. What is in memory is not copied for that."""
    if isinstance(stream, io.BytesIO):
        return hashlib.sha256(stream.getbuffer()[stream.tell() :])
    digest = hashlib.sha256()
    while piece := stream.read(LIMITS.piece):
        digest.update(piece)
    return digest


def _part(plain: BinaryIO, start: int, size: int) -> BinaryIO:
    """So many bytes from there on, as a stream."""
    if isinstance(plain, io.BytesIO):
        plain.seek(start)
        return io.BytesIO(plain.read(size))
    return cast(BinaryIO, io.BufferedReader(Slice(plain, start, size)))


class _Unclosed:
    """A stream that its reader may drop without closing it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        return self._stream.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def close(self) -> None:
        """The owner closes it."""


class Slice(io.RawIOBase):
    """Part of a seekable stream, as a seekable stream."""

    def __init__(self, stream: BinaryIO, start: int, size: int) -> None:
        self._stream, self._start, self._size, self._at = stream, start, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        self._stream.seek(self._start + self._at)
        data = self._stream.read(max(0, min(len(buffer), self._size - self._at)))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
