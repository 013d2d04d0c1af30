"""Content codings removed, in bounded space: the way from the payload's digest to `decoded_sha256`.

Written for the checker alone. gzip and deflate by zlib, br by its own library, zstd by FastWARC's
reader. The rules are the format's (`schemas/README.md, Content codings`): what is empty is empty under
every coding, and what follows the end of the content is ignored. A coding that is not known here is
"could not look", never a pass.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, Final, cast

from fastwarc.stream_io import ZstdReader

from validator.brotli_stream import brotli_pieces
from validator.limits import LIMITS
from validator.warc import Slice, temporary_file
from validator.zstd_frames import frames_size

MAX_CODINGS: Final = 8
GZIP_MAGIC: Final = b"\x1f\x8b"
FEED: Final = 4 * 1024
"""What zlib is given at once: what it does not take is copied, so that many small members stay cheap."""


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
    stream: BinaryIO = payload
    for done, name in enumerate(reversed(codings)):
        if _is_empty(stream):
            break
        if done == MAX_CODINGS:
            return Undecodable(f"{len(codings)} content codings", broken=False)
        written = _undone(stream, name, scratch)
        if isinstance(written, Undecodable):
            return written
        stream = written.stream
    return _write(_plain(stream), scratch)


def _is_empty(stream: BinaryIO) -> bool:
    start = stream.tell()
    empty = not stream.read(1)
    stream.seek(start)
    return empty


def _undone(stream: BinaryIO, coding: str, scratch: ExitStack) -> Decoded | Undecodable:
    """One coding removed, by the first of its readings that fits the stream to its end."""
    start = stream.tell()
    result = Undecodable("a content coding that is not known here", broken=False)
    for reading in _readings(coding):
        stream.seek(start)
        written = _write(reading(stream), scratch)
        if isinstance(written, Decoded) or not written.broken:
            return written
        result = written
    return result


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


def _readings(coding: str) -> tuple[Callable[[BinaryIO], Iterator[bytes]], ...]:
    match coding:
        case "gzip" | "x-gzip":
            return (_members,)
        case "deflate":  # as RFC 9110 (8.4.1.2) means it, or the bare stream that some servers send
            return (partial(_deflated, zlib.MAX_WBITS), partial(_deflated, -zlib.MAX_WBITS))
        case "br":
            return (_brotli,)
        case "zstd":
            return (_zstd,)
        case _:
            return ()


def _plain(stream: BinaryIO) -> Iterator[bytes]:
    while piece := stream.read(LIMITS.piece):
        yield piece


def _brotli(stream: BinaryIO) -> Iterator[bytes]:
    yield from brotli_pieces(stream, LIMITS.piece)


def _zstd(stream: BinaryIO) -> Iterator[bytes]:
    start = stream.tell()
    frames = Slice(stream, start, frames_size(stream))
    reader = ZstdReader(cast(BinaryIO, io.BufferedReader(frames, LIMITS.piece)))
    while piece := reader.read(LIMITS.piece):
        yield piece


def _members(stream: BinaryIO) -> Iterator[bytes]:
    """All gzip members, one after the other (RFC 1952, 2.2); the last one has to be whole."""
    waiting = yield from _one_stream(16 + zlib.MAX_WBITS, stream, b"")
    while True:
        if len(waiting) < len(GZIP_MAGIC):
            waiting += stream.read(FEED)
        if not waiting.startswith(GZIP_MAGIC):
            return
        waiting = yield from _one_stream(16 + zlib.MAX_WBITS, stream, waiting)


def _deflated(window: int, stream: BinaryIO) -> Iterator[bytes]:
    yield from _one_stream(window, stream, b"")


def _one_stream(window: int, stream: BinaryIO, waiting: bytes) -> Generator[bytes, None, bytes]:
    """One deflate stream with or without a wrapper; returns what was read and stands after its end."""
    inflater = zlib.decompressobj(window)
    while not inflater.eof:
        ended = not waiting and not (waiting := stream.read(FEED))
        piece = inflater.decompress(waiting, LIMITS.piece)
        if ended and not piece and not inflater.eof:
            raise EOFError
        waiting = inflater.unconsumed_tail
        if piece:
            yield piece
    return inflater.unused_data
