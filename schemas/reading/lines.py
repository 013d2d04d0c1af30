"""JSON Lines, plain or gzip, one record a line, in bounded memory.

A compressed file may promise little and hold much, so decompression goes piece by piece, and the
sum, each line, and the number of lines have limits.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Generic

from schemas.reading.document import R, read_document
from schemas.reading.errors import DocumentError, DocumentProblem
from schemas.reading.json_text import ReadingLimits

PIECE_BYTES = 64 * 1024
GZIP_MAGIC = b"\x1f\x8b"
GZIP_WINDOW = 16 + zlib.MAX_WBITS  # zlib: expect a gzip header, check its CRC and length


@dataclass(frozen=True, slots=True)
class LineLimits:
    """What a file of lines may cost. A leaf takes some 2 kB; 10,000 of them make a usual leaf file."""

    max_line_bytes: int = 4 * 1024 * 1024
    max_total_bytes: int = 4 * 1024 * 1024 * 1024
    max_depth: int = 64


DEFAULT_LINE_LIMITS = LineLimits()


@dataclass(frozen=True, slots=True)
class Line(Generic[R]):
    """One line. `data` are its bytes without LF: a leaf's hash is taken over them."""

    number: int
    """From 1."""
    data: bytes
    value: R | DocumentError


def read_lines(stream: BinaryIO, model: type[R], *, limits: LineLimits = DEFAULT_LINE_LIMITS) -> Iterator[Line[R]]:
    """Records of a JSONL stream; gzip is recognised by its first bytes, members may follow each other.

    A line that cannot be read comes out with its error, and reading goes on. Where the file itself is
    broken (gzip, size), the last item has that error and no data. The LF after the last line may be absent.
    """
    reading = ReadingLimits(max_bytes=limits.max_line_bytes, max_depth=limits.max_depth)
    for number, data in enumerate(_split(stream, limits), start=1):
        if isinstance(data, DocumentError):
            yield Line(number, b"", data)
        else:
            yield Line(number, data, read_document(data, model, limits=reading))


def _split(stream: BinaryIO, limits: LineLimits) -> Iterator[bytes | DocumentError]:
    """Lines without LF. Ends after the first error."""
    started: list[bytes] = []  # the line that has begun, in pieces: joining them once keeps this linear
    size = 0
    for piece in _pieces(stream, limits):
        if isinstance(piece, DocumentError):
            yield piece
            return
        lines = piece.split(b"\n")
        started.append(lines[0])
        size += len(lines[0])
        if len(lines) > 1:
            yield b"".join(started)
            yield from lines[1:-1]
            started = [lines[-1]]
            size = len(lines[-1])
        if size > limits.max_line_bytes:
            yield _too_large("A line is too long", limits.max_line_bytes)
            return
    if size:
        yield b"".join(started)


def _pieces(stream: BinaryIO, limits: LineLimits) -> Iterator[bytes | DocumentError]:
    """The plain bytes, piece by piece."""
    first = stream.read(PIECE_BYTES)
    pieces = _gunzip(stream, first) if first.startswith(GZIP_MAGIC) else _plain(stream, first)
    total = 0
    for piece in pieces:
        if isinstance(piece, bytes):
            total += len(piece)
            if total > limits.max_total_bytes:
                yield _too_large("The file is too large", limits.max_total_bytes)
                return
        yield piece


def _plain(stream: BinaryIO, first: bytes) -> Iterator[bytes | DocumentError]:
    piece = first
    while piece:
        yield piece
        piece = stream.read(PIECE_BYTES)


def _gunzip(stream: BinaryIO, first: bytes) -> Iterator[bytes | DocumentError]:
    """Members one after the other; anything else after a member is an error."""
    member = zlib.decompressobj(GZIP_WINDOW)
    waiting = first
    while waiting or not member.eof:
        if not waiting:
            waiting = stream.read(PIECE_BYTES)
            if not waiting:
                yield DocumentError(
                    DocumentProblem.TRUNCATED, "", "The compressed file is cut off", "a whole gzip member", "a part"
                )
                return
        if member.eof:
            if waiting[:1] != GZIP_MAGIC[:1]:
                yield _broken()
                return
            member = zlib.decompressobj(GZIP_WINDOW)
        try:
            out = member.decompress(waiting, PIECE_BYTES)
        except zlib.error:
            yield _broken()
            return
        waiting = member.unused_data if member.eof else member.unconsumed_tail
        if out:
            yield out
        if member.eof and not waiting:
            waiting = stream.read(PIECE_BYTES)


def _too_large(message: str, limit: int) -> DocumentError:
    return DocumentError(DocumentProblem.TOO_LARGE, "", message, f"at most {limit} bytes", "more")


def _broken() -> DocumentError:
    return DocumentError(DocumentProblem.NOT_GZIP, "", "The compressed file is broken", "gzip", "other bytes")
