"""One content coding as a generator of bounded pieces, so that the caller can stop a bomb early.

Each generator takes the whole coded body and yields what comes out, at most about 8 MiB at a time.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

import brotli
import zstandard

PIECE_BYTES = 256 * 1024
ZSTD_FEED_BYTES = 256
"""A zstd block of 4 bytes may stand for 128 KiB, and the library knows no limit: 256 / 4 x 128 KiB = 8 MiB."""
ZSTD_WINDOW_BYTES = 8 * 1024 * 1024
"""RFC 9659: what a sender may ask for under `Content-Encoding: zstd`."""
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class BrokenCodingError(Exception):
    """The bytes are not of this coding."""


class TruncatedCodingError(Exception):
    """The bytes are of this coding and end too early."""


def gzip_pieces(data: bytes) -> Iterator[bytes]:
    """RFC 1952: all members that follow each other; what is no member after them is left alone, as browsers do."""
    view = data
    while True:
        inflater = zlib.decompressobj(_GZIP_WINDOW)
        yield from _inflated(inflater, view)
        view = inflater.unused_data
        if not view.startswith(_GZIP_MAGIC):
            return


def deflate_pieces(data: bytes) -> Iterator[bytes]:
    """`deflate` as RFC 9110 means it (zlib, RFC 1950), and as some servers send it (raw, RFC 1951).

    A raw stream can look like a zlib header by chance, so zlib is tried on the first piece only, and
    the decision is then kept.
    """
    wrapped = len(data) >= 2 and data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
    if wrapped:
        try:
            zlib.decompressobj(zlib.MAX_WBITS).decompress(data, PIECE_BYTES)
        except zlib.error:
            wrapped = False
    yield from _inflated(zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS), data)


def brotli_pieces(data: bytes) -> Iterator[bytes]:
    """RFC 7932, one stream."""
    decoder = brotli.Decompressor()
    try:
        yield decoder.process(data, output_buffer_limit=PIECE_BYTES)
        while not decoder.is_finished():
            if decoder.can_accept_more_data():
                raise TruncatedCodingError
            yield decoder.process(b"", output_buffer_limit=PIECE_BYTES)
    except brotli.error as error:
        raise BrokenCodingError(str(error)) from error


def zstd_pieces(data: bytes) -> Iterator[bytes]:
    """RFC 8878, frames that follow each other, with the window bound of RFC 9659."""
    view = memoryview(data)
    position = 0
    while position < len(view):
        if position and bytes(view[position : position + 4]) != _ZSTD_MAGIC:
            return
        frame = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES).decompressobj()
        try:
            while not frame.eof:
                if position >= len(view):
                    raise TruncatedCodingError
                piece = view[position : position + ZSTD_FEED_BYTES]
                position += len(piece)
                yield frame.decompress(piece)
        except zstandard.ZstdError as error:
            raise BrokenCodingError(str(error)) from error
        position -= len(frame.unused_data)


CODINGS: Final[Mapping[str, Callable[[bytes], Iterator[bytes]]]] = MappingProxyType(
    {
        "gzip": gzip_pieces,
        "x-gzip": gzip_pieces,
        "deflate": deflate_pieces,
        "br": brotli_pieces,
        "zstd": zstd_pieces,
    }
)


def _inflated(inflater: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """Everything up to the end of one deflate stream, its checksum verified where it has one."""
    waiting = data
    try:
        while not inflater.eof:
            piece = inflater.decompress(waiting, PIECE_BYTES)
            waiting = inflater.unconsumed_tail
            if not piece and not waiting and not inflater.eof:
                raise TruncatedCodingError
            yield piece
    except zlib.error as error:
        raise BrokenCodingError(str(error)) from error
