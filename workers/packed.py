"""Gzip JSONL as all our objects have it: one member, one line each with its LF, and no clock in it.

Equal lines give equal bytes, so that two workers that made the same object can be told from two that did not.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable

from workers.errors import CorruptError

GZIP_LEVEL = 6
GZIP_WINDOW = 31  # zlib: 15 bits, and the gzip wrapper
MAX_PLAIN_BYTES = 256 * 1024 * 1024
BUFFER_BYTES = 64 * 1024  # each piece that is compressed costs some microseconds
_RESTORE = "restore the object from a copy of the bucket"


def pack(lines: Iterable[bytes]) -> bytes:
    """Lines without their LF, as one gzip member."""
    out = io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0, compresslevel=GZIP_LEVEL) as packed,
        io.BufferedWriter(packed, BUFFER_BYTES) as buffered,
    ):
        for line in lines:
            buffered.write(line)
            buffered.write(b"\n")
    return out.getvalue()


def unpack(data: bytes, where: str) -> list[bytes]:
    """The lines of a packed object, bounded. CorruptError where it is no whole member, or too large."""
    inflater = zlib.decompressobj(GZIP_WINDOW)
    try:
        plain = inflater.decompress(data, MAX_PLAIN_BYTES)
    except zlib.error as error:
        raise CorruptError(f"a stored object is no gzip: {error}", where=where, next_step=_RESTORE) from error
    if inflater.unconsumed_tail or not inflater.eof or inflater.unused_data:
        raise CorruptError("a stored gzip object is torn, or too large to be ours", where=where, next_step=_RESTORE)
    return plain.split(b"\n")[:-1] if plain.endswith(b"\n") else plain.split(b"\n") if plain else []
