"""Plain bytes of a stream in pieces, and its lines, in memory that does not grow with either."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Final, NamedTuple

PIECE_BYTES: Final = 64 * 1024
GZIP_MAGIC: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Broken:
    """The input cannot be read on from here."""

    code: str
    message: str
    number: int = 0
    """Where it is read by lines: the first that could not be read."""


class RawLine(NamedTuple):
    """A line without its end. `cut`: it is longer than allowed, and only its beginning is here."""

    number: int
    data: bytes
    cut: bool = False


def plain_pieces(stream: BinaryIO, max_total_bytes: int) -> Iterator[bytes | Broken]:
    """The bytes of a stream, unpacked where they are gzip. Ends after `Broken`."""
    first = stream.read(PIECE_BYTES)
    pieces = _unpacked(stream, first) if first.startswith(GZIP_MAGIC) else _as_they_are(stream, first)
    total = 0
    for piece in pieces:
        if isinstance(piece, bytes):
            total += len(piece)
            if total > max_total_bytes:
                yield Broken("input.too-large", f"more than {max_total_bytes} bytes; split the input")
                return
        yield piece


def _as_they_are(stream: BinaryIO, first: bytes) -> Iterator[bytes]:
    piece = first
    while piece:
        yield piece
        piece = stream.read(PIECE_BYTES)


def _unpacked(stream: BinaryIO, first: bytes) -> Iterator[bytes | Broken]:
    """Gzip members one after the other."""
    member = zlib.decompressobj(wbits=31)
    waiting = first
    while True:
        if not waiting:
            waiting = stream.read(PIECE_BYTES)
            if not waiting:
                if not member.eof:
                    yield Broken("input.gzip-cut-off", "the gzip file ends early; fetch it again")
                return
        if member.eof:
            member = zlib.decompressobj(wbits=31)
        try:
            piece = member.decompress(waiting, PIECE_BYTES)
        except zlib.error as error:
            yield Broken("input.gzip-broken", f"the gzip file is broken ({error}); fetch it again")
            return
        waiting = member.unused_data if member.eof else member.unconsumed_tail
        if piece:
            yield piece


def raw_lines(pieces: Iterator[bytes | Broken], max_line_bytes: int) -> Iterator[RawLine | Broken]:
    """Lines that end in LF or CRLF, from 1. A byte-order mark before the first is dropped."""
    number, rest, cut = 1, b"", False
    for piece in pieces:
        if isinstance(piece, Broken):
            yield replace(piece, number=number)
            return
        *ended, rest = (rest + piece).split(b"\n")
        for data in ended:
            yield _line(number, data, cut, max_line_bytes)
            number, cut = number + 1, False
        if len(rest) > max_line_bytes:
            rest, cut = rest[:max_line_bytes], True
    if rest:
        yield _line(number, rest, cut, max_line_bytes)


def _line(number: int, data: bytes, cut: bool, max_line_bytes: int) -> RawLine:
    if number == 1:
        data = data.removeprefix(b"\xef\xbb\xbf")
    if cut or len(data) > max_line_bytes:
        return RawLine(number, data[:max_line_bytes], cut=True)
    return RawLine(number, data.removesuffix(b"\r"))
