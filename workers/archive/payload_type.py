"""`WARC-Identified-Payload-Type` of a response: what it shows under its content coding (WARC 1.1, 5.18).

Only the first 1,445 decoded bytes are ever made, from at most 16 KiB of the coded payload, so that a bomb costs
nothing. What cannot be decoded has no identified type: `application/x-gzip` for every compressed page
would be true and useless.
"""

from __future__ import annotations

import zlib
from typing import Final

import brotli
import zstandard

from workers.archive.signatures import HEADER_BYTES, identified_type
from workers.exchange import Response

CODED_BYTES: Final = 16 * 1024
_ZSTD_WINDOW_BYTES = 8 * 1024 * 1024  # RFC 9659
_GZIP = 16 + zlib.MAX_WBITS


def payload_type(response: Response) -> str | None:
    """The type that the payload itself shows; None where it is empty, undecodable, or shows nothing."""
    content = response.content
    if not content.size:
        return None
    coding = (response.header("Content-Encoding") or "").strip().lower()
    if coding in ("", "identity"):
        return identified_type(content.read(0, HEADER_BYTES))
    decoded = _beginning(content.read(0, CODED_BYTES), coding)
    return identified_type(decoded) if decoded else None


def _beginning(coded: bytes, coding: str) -> bytes | None:
    """The first decoded bytes under one coding; None where they are not of it, or there are several."""
    try:
        match coding:
            case "gzip" | "x-gzip":
                return zlib.decompressobj(_GZIP).decompress(coded, HEADER_BYTES)
            case "deflate":
                return _inflated(coded)
            case "br":
                return bytes(brotli.Decompressor().process(coded, output_buffer_limit=HEADER_BYTES))
            case "zstd":
                decoder = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES)
                with decoder.stream_reader(coded, read_size=CODED_BYTES) as reader:
                    return reader.read(HEADER_BYTES)
            case _:
                return None
    except (zlib.error, brotli.error, zstandard.ZstdError):
        return None


def _inflated(coded: bytes) -> bytes:
    """`deflate`: the zlib format, or what some servers send instead, bare deflate."""
    try:
        return zlib.decompressobj().decompress(coded, HEADER_BYTES)
    except zlib.error:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(coded, HEADER_BYTES)
