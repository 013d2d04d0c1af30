"""X14: a decompression bomb is a real one, and costs only itself: archived as it came, bounded where it is read."""

from __future__ import annotations

import gzip
import time
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard

from deploy.hostile.bombs import BOMBS, GIB, MIB
from workers.capture.coding import Undecodable, decoded_prefix
from workers.exchange import Response, Spool
from workers.extract.decode import DecodeFailure, DecodeLimits, remove_codings

DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
    "br": brotli.decompress,
    "zstd": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
}
CODINGS = list(BOMBS)


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("mebibytes", [1, 2, 65, 70])
def test_a_bomb_is_valid_to_its_last_byte_checksums_included(coding: str, mebibytes: int) -> None:
    data = DECODERS[coding](b"".join(BOMBS[coding](mebibytes)))
    assert len(data) == mebibytes * MIB
    assert data.count(b" ") == len(data)


@pytest.mark.parametrize("coding", CODINGS)
def test_a_bomb_of_ten_gibibytes_is_small_on_the_wire_and_bounded_in_time_and_memory_when_read(coding: str) -> None:
    body = b"".join(BOMBS[coding](10 * GIB // MIB))
    assert len(body) < 11 * MIB
    limits = DecodeLimits()
    tracemalloc.start()
    try:
        before = time.process_time()
        result = remove_codings(body, (coding,), limits)
        seconds = time.process_time() - before
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(result, DecodeFailure)
    assert result.problem.value in ("too-large", "ratio")
    assert peak < 2 * limits.max_bytes
    assert seconds < 5


@pytest.mark.parametrize("coding", CODINGS)
def test_a_robots_txt_that_is_a_bomb_is_read_to_the_limit_or_not_at_all(coding: str) -> None:
    spool = Spool(b"".join(BOMBS[coding](GIB // MIB)))
    response = Response(b"", spool, "length", 200, headers=((b"Content-Encoding", coding.encode()),))
    read = decoded_prefix(response, 500 * 1024)
    spool.close()
    assert read == b" " * 500 * 1024 if coding in ("gzip", "deflate") else isinstance(read, Undecodable)
