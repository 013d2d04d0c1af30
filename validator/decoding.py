"""Content codings removed, in bounded space: the way from the payload's digest to `decoded_sha256`.

Written for the checker alone. gzip and deflate by zlib; br and zstd by the readers that FastWARC
brings. A coding that is not known here is "could not look", never a pass.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import BinaryIO

from fastwarc.stream_io import BrotliReader, ZstdReader

from validator.limits import LIMITS
from validator.warc import temporary_file


@dataclass(frozen=True, slots=True)
class Decoded:
    """The decoded payload, at its start."""

    stream: BinaryIO
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Undecodable:
    """Why there is no decoded payload. `broken`: the bytes are at fault, not this program."""

    why: str
    broken: bool


def codings_of(values: Iterable[str]) -> list[str]:
    """Codings of all `Content-Encoding` lines in the order of application (RFC 9110, 8.4)."""
    names = [part.strip().lower() for value in values for part in value.split(",")]
    return [name for name in names if name not in ("", "identity")]


def decode(payload: BinaryIO, codings: Sequence[str], scratch: ExitStack) -> Decoded | Undecodable:
    """Remove codings, the last applied first. `payload` is read from where it stands; the result lives as `scratch`."""
    if len(codings) > 8:
        return Undecodable(f"{len(codings)} content codings", broken=False)
    stream: BinaryIO = payload
    for name in reversed(codings):
        pieces = _pieces(stream, name)
        if pieces is None:
            return Undecodable("a content coding that is not known here", broken=False)
        written = _write(pieces, scratch)
        if isinstance(written, Undecodable):
            return written
        stream = written.stream
    return _write(_plain(stream), scratch)


def _write(pieces: Iterator[bytes], scratch: ExitStack) -> Decoded | Undecodable:
    out = temporary_file(scratch)
    digest, size = hashlib.sha256(), 0
    try:
        for piece in pieces:
            size += len(piece)
            if size > LIMITS.decoded_payload:
                return Undecodable(f"more than {LIMITS.decoded_payload} bytes when decoded", broken=False)
            digest.update(piece)
            out.write(piece)
    except (zlib.error, OSError, EOFError):
        return Undecodable("a payload that its content coding does not fit", broken=True)
    out.seek(0)
    return Decoded(out, size, digest.hexdigest())


def _pieces(stream: BinaryIO, coding: str) -> Iterator[bytes] | None:
    match coding:
        case "gzip" | "x-gzip":
            return _members(stream)
        case "deflate":
            return _deflate(stream)
        case "br":
            return _reader(BrotliReader(stream))
        case "zstd":
            return _reader(ZstdReader(stream))
        case _:
            return None


def _plain(stream: BinaryIO) -> Iterator[bytes]:
    while piece := stream.read(LIMITS.piece):
        yield piece


def _reader(reader: BrotliReader | ZstdReader) -> Iterator[bytes]:
    while piece := reader.read(LIMITS.piece):
        yield piece


def _members(stream: BinaryIO) -> Iterator[bytes]:
    """All gzip members, one after the other (RFC 1952, 2.2); the last one has to be whole."""
    member = zlib.decompressobj(16 + zlib.MAX_WBITS)
    waiting = b""
    while True:
        if not waiting:
            waiting = stream.read(LIMITS.piece)
            if not waiting:
                if not member.eof:
                    raise EOFError
                return
        if member.eof:
            member = zlib.decompressobj(16 + zlib.MAX_WBITS)
        piece = member.decompress(waiting, LIMITS.piece)
        waiting = member.unused_data if member.eof else member.unconsumed_tail
        if piece:
            yield piece


def _deflate(stream: BinaryIO) -> Iterator[bytes]:
    """zlib format (RFC 9110, 8.4.1.2), or the bare deflate stream that some servers send under this name."""
    waiting = stream.read(LIMITS.piece)
    zlib_header = len(waiting) > 1 and waiting[0] & 0x0F == 8 and (waiting[0] << 8 | waiting[1]) % 31 == 0
    inflater = zlib.decompressobj(zlib.MAX_WBITS if zlib_header else -zlib.MAX_WBITS)
    while not inflater.eof:
        if not waiting:
            waiting = stream.read(LIMITS.piece)
        piece = inflater.decompress(waiting, LIMITS.piece)
        if not waiting and not piece:
            raise EOFError
        waiting = inflater.unconsumed_tail
        if piece:
            yield piece
