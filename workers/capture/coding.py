"""Undoes gzip and deflate on the first bytes of a small document that capture itself must read.

Bounded by what comes out, so that a bomb costs no more than the limit. Content that is not what its
label says is taken as it is. Nothing of this reaches the archive, which keeps the coding.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from workers.exchange import Response

_GZIP = 16 + zlib.MAX_WBITS
_MAX_CODINGS = 1


@dataclass(frozen=True, slots=True)
class Undecodable:
    """The content cannot be read."""

    reason: str


def decoded_prefix(response: Response, limit: int) -> bytes | Undecodable:
    """At most `limit` bytes of the content with its content coding removed."""
    value = b",".join(value for name, value in response.headers if name.lower() == b"content-encoding")
    codings = [c for c in (part.strip().lower() for part in value.split(b",")) if c not in (b"", b"identity")]
    if not codings:
        return response.content.read(0, limit)
    if len(codings) > _MAX_CODINGS or codings[0] not in (b"gzip", b"x-gzip", b"deflate"):
        return Undecodable(f"content coding {value[:40].decode('latin-1')!r} was not asked for and is not read")
    windows = [zlib.MAX_WBITS, -zlib.MAX_WBITS] if codings[0] == b"deflate" else [_GZIP]
    for window in windows:
        inflated = _inflate(response, window, limit)
        if inflated is not None:
            return inflated
    return response.content.read(0, limit)


def _inflate(response: Response, window: int, limit: int) -> bytes | Undecodable | None:
    """None where not even the first byte is in the format."""
    inflater = zlib.decompressobj(window)
    out = bytearray()
    try:
        for piece in response.content.chunks():
            out += inflater.decompress(piece, limit - len(out))
            if len(out) >= limit or inflater.eof:
                return bytes(out)
    except zlib.error:
        return Undecodable("the compressed content is damaged") if out else None
    return Undecodable("the compressed content ends early") if out else None
