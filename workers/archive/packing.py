"""How a record is packed into its file: as a gzip member, or as a Zstandard frame where an installation asks for it.

gzip is what every reader reads (`schemas/README.md, WARC`). Either way a record can be read by its place
alone, and a file says by its name how it is packed.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Literal, get_args

from workers.archive import gzip_member, zstd_frame

Compression = Literal["gzip", "zstd"]
COMPRESSIONS: tuple[Compression, ...] = get_args(Compression)
ENDINGS: dict[Compression, str] = {"gzip": "gz", "zstd": "zst"}


def pack(data: bytes, compression: Compression) -> bytes:
    """A whole record."""
    return gzip_member.compress(data) if compression == "gzip" else zstd_frame.compress(data)


def pack_pieces(pieces: Iterable[bytes], size: int, compression: Compression) -> Iterator[bytes]:
    """A large record of this size, without holding it in memory."""
    if compression == "gzip":
        return gzip_member.compress_pieces(pieces)
    return zstd_frame.compress_pieces(pieces, size)


def as_gzip(member: bytes) -> bytes:
    """A member as it is where it is gzip, else its record packed as one. For members that were read and found whole."""
    if not member.startswith(zstd_frame.MAGIC):
        return member
    return b"".join(gzip_member.compress_pieces(zstd_frame.Frame(io.BytesIO(member).read).pieces()))
