"""How a record is packed into its file: as a gzip member, or as a Zstandard frame where an installation asks for it.

gzip is what every reader reads (`schemas/README.md, WARC`). Either way a record can be read by its place
alone, and a file says by its name how it is packed.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Literal, Protocol, get_args

from workers.archive import gzip_member, zstd_frame

Compression = Literal["gzip", "zstd"]
COMPRESSIONS: tuple[Compression, ...] = get_args(Compression)
ENDINGS: dict[Compression, str] = {"gzip": "gz", "zstd": "zst"}


class Packer(Protocol):
    """Packs the records of one file, one at a time."""

    def pack(self, data: bytes) -> bytes:
        """A whole record."""

    def pack_pieces(self, pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
        """A large record of this size, without holding it in memory."""


class _Gzip:
    def pack(self, data: bytes) -> bytes:
        return gzip_member.compress(data)

    def pack_pieces(self, pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
        return gzip_member.compress_pieces(pieces)


def packer(compression: Compression) -> Packer:
    """What packs a file in this way."""
    return _Gzip() if compression == "gzip" else zstd_frame.FramePacker()


def as_gzip(member: bytes) -> bytes:
    """A member as it is where it is gzip, else its record packed as one. For members that were read and found whole."""
    if not member.startswith(zstd_frame.MAGIC):
        return member
    return b"".join(gzip_member.compress_pieces(zstd_frame.Frame(io.BytesIO(member).read).pieces()))
