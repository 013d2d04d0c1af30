"""One gzip member (RFC 1952) per record, so that a record can be read by its offset alone.

Level 2 of ISA-L, measured on 200 pages of 54 kB mean: 114 us a page at 0.256 of the size, against 112 us
and 0.258 at level 1, 278 us and 0.249 at level 3, and zlib's level 6 at 984 us and 0.229. So a file is
about 1.12 times what wget writes. The member's time is zero: equal records give equal members.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from isal import igzip_lib, isal_zlib

LEVEL = 2
HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"  # no flags, mtime 0, no level hint, unknown system
_RAW_DEFLATE = -15


def compress(data: bytes, level: int = LEVEL) -> bytes:
    """A whole record as one member."""
    return HEADER + bytes(igzip_lib.compress(data, level, igzip_lib.COMP_GZIP_NO_HDR))


def compress_pieces(pieces: Iterable[bytes], level: int = LEVEL) -> Iterator[bytes]:
    """A large record as one member, without holding it in memory."""
    deflate = isal_zlib.compressobj(level, isal_zlib.DEFLATED, _RAW_DEFLATE)
    checksum = 0
    size = 0
    yield HEADER
    for piece in pieces:
        checksum = isal_zlib.crc32(piece, checksum)
        size += len(piece)
        if out := deflate.compress(piece):
            yield out
    yield deflate.flush()
    yield struct.pack("<LL", checksum, size & 0xFFFFFFFF)
