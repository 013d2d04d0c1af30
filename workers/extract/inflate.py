"""One content coding as a generator of bounded pieces, so that the caller can stop a bomb early.

Each generator takes the whole coded body and yields what comes out, at most about 8 MiB at a time. What
follows the end of the content is left alone under every coding, as browsers leave it
(`schemas/README.md, Content codings`); every checksum is verified.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import brotli
import zstandard

PIECE_BYTES = 256 * 1024
FEED_BYTES = 4 * 1024
"""What goes into zlib and brotli at once. What they do not take is copied, so a whole body of tiny gzip members would
be copied once for each of them."""
ZSTD_FEED_BYTES = 256
"""A zstd block of 4 bytes may stand for 128 KiB, and the library knows no limit: 256 / 4 x 128 KiB = 8 MiB."""
ZSTD_WINDOW_BYTES = 8 * 1024 * 1024
"""RFC 9659: what a sender may ask for under `Content-Encoding: zstd`."""
_ZSTD_HEADER_BYTES = 18
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_ZSTD_MAGIC = 0xFD2FB528
_ZSTD_SKIPPABLE = range(0x184D2A50, 0x184D2A60)


class BrokenCodingError(Exception):
    """The bytes are not of this coding."""


class TruncatedCodingError(Exception):
    """The bytes are of this coding and end too early."""


def gzip_pieces(data: bytes) -> Iterator[bytes]:
    """RFC 1952: all members that follow each other; what does not begin with their magic number is no member."""
    position = 0
    while position == 0 or data.startswith(_GZIP_MAGIC, position):
        position = yield from _inflated(_GZIP_WINDOW, data, position)


def zlib_pieces(data: bytes) -> Iterator[bytes]:
    """RFC 1950: what RFC 9110 means by `deflate`."""
    yield from _inflated(zlib.MAX_WBITS, data, 0)


def bare_deflate_pieces(data: bytes) -> Iterator[bytes]:
    """RFC 1951 without a wrapper: what some servers send as `deflate`."""
    yield from _inflated(-zlib.MAX_WBITS, data, 0)


def brotli_pieces(data: bytes) -> Iterator[bytes]:
    """RFC 7932, one stream.

    The library refuses a stream and what follows it in one call, and keeps no place. So the feed that failed is
    repeated byte by byte in a new decoder: either that ends, or the stream is broken.
    """
    decoder = brotli.Decompressor()
    size = 0
    for start in range(0, len(data), FEED_BYTES):
        try:
            for piece in _brotli_fed(decoder, data[start : start + FEED_BYTES]):
                size += len(piece)
                yield piece
        except brotli.error:
            yield from _brotli_again(data, start, size)
            return
        if decoder.is_finished():
            return
    raise TruncatedCodingError


def zstd_pieces(data: bytes) -> Iterator[bytes]:
    """RFC 8878, frames that follow each other, skippable ones too, with the window bound of RFC 9659."""
    view = memoryview(data)
    position = 0
    decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES)
    while position == 0 or _begins_frame(view[position : position + 4]):
        try:
            _check_window(view[position : position + _ZSTD_HEADER_BYTES])
            frame = decompressor.decompressobj()
            while not frame.eof:
                if position >= len(view):
                    raise TruncatedCodingError
                piece = view[position : position + ZSTD_FEED_BYTES]
                position += len(piece)
                yield frame.decompress(piece)
        except zstandard.ZstdError as error:
            raise BrokenCodingError(str(error)) from error
        position -= len(frame.unused_data)


CODINGS: Final[Mapping[str, Sequence[Callable[[bytes], Iterator[bytes]]]]] = MappingProxyType(
    {
        "gzip": (gzip_pieces,),
        "x-gzip": (gzip_pieces,),
        "deflate": (zlib_pieces, bare_deflate_pieces),
        "br": (brotli_pieces,),
        "zstd": (zstd_pieces,),
    }
)
"""The ways in which a coding may be read: the first that reads the body to its end counts."""


def _inflated(window: int, data: bytes, position: int) -> Generator[bytes, None, int]:
    """Everything up to the end of one stream that begins at `position`; returns where it ends."""
    inflater = zlib.decompressobj(window)
    waiting = b""
    try:
        while not inflater.eof:
            if not waiting:
                waiting = data[position : position + FEED_BYTES]
                position += len(waiting)
            piece = inflater.decompress(waiting, PIECE_BYTES)
            if not piece and not waiting and not inflater.eof:
                raise TruncatedCodingError
            waiting = inflater.unconsumed_tail
            yield piece
    except zlib.error as error:
        raise BrokenCodingError(str(error)) from error
    return position - len(inflater.unused_data)


def _brotli_fed(decoder: brotli.Decompressor, feed: bytes) -> Iterator[bytes]:
    """All that comes out after one feed, piece by piece.

    `can_accept_more_data` alone does not tell: a decoder that has taken all input may still hold output.
    """
    while True:
        piece = decoder.process(feed, output_buffer_limit=PIECE_BYTES)
        yield piece
        if decoder.is_finished() or (not piece and decoder.can_accept_more_data()):
            return
        feed = b""


def _brotli_again(data: bytes, start: int, known: int) -> Iterator[bytes]:
    """What comes after the first `known` bytes, with the feed that begins at `start` given byte by byte."""
    decoder = brotli.Decompressor()
    end = min(start + FEED_BYTES, len(data))
    feeds = [slice(at, at + FEED_BYTES) for at in range(0, start, FEED_BYTES)]
    feeds += [slice(at, at + 1) for at in range(start, end)]
    try:
        for feed in feeds:
            for piece in _brotli_fed(decoder, data[feed]):
                yield piece[known:]
                known = max(0, known - len(piece))
            if decoder.is_finished():
                return
    except brotli.error as error:
        raise BrokenCodingError(str(error)) from error
    raise BrokenCodingError("brotli: decoder failed")


def _begins_frame(start: memoryview) -> bool:
    magic = int.from_bytes(start, "little") if len(start) == 4 else 0
    return magic == _ZSTD_MAGIC or magic in _ZSTD_SKIPPABLE


def _check_window(header: memoryview) -> None:
    """The bound holds for every frame; the library itself lets a small frame pass whose header asks for more."""
    try:
        window = zstandard.get_frame_parameters(header).window_size
    except zstandard.ZstdError:
        return  # no header, or a part of one: decoding will say
    if window > ZSTD_WINDOW_BYTES:
        raise BrokenCodingError(f"a window of {window} bytes, more than {ZSTD_WINDOW_BYTES}")
