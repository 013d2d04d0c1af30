"""Content codings, removed within bounds."""

import gzip
import hashlib
import io
import zlib
from contextlib import ExitStack

import brotli
import pytest
import zstandard

from validator.decoding import Decoded, Undecodable, codings_of, decode

TEXT = b"The valve closes. " * 10_000


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


CODED = {
    "none": (TEXT, []),
    "gzip": (gzip.compress(TEXT), ["gzip"]),
    "x-gzip": (gzip.compress(TEXT), ["x-gzip"]),
    "gzip in members": (gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:]), ["gzip"]),
    "deflate": (zlib.compress(TEXT), ["deflate"]),
    "bare deflate": (raw_deflate(TEXT), ["deflate"]),
    "br": (brotli.compress(TEXT), ["br"]),
    "zstd": (zstandard.ZstdCompressor().compress(TEXT), ["zstd"]),
    "two": (gzip.compress(brotli.compress(TEXT)), ["br", "gzip"]),
}


def decoded(data: bytes, codings: list[str]) -> Undecodable | tuple[str, bytes]:
    with ExitStack() as scratch:
        out = decode(io.BytesIO(data), codings, scratch)
        return (out.sha256, out.stream.read()) if isinstance(out, Decoded) else out


@pytest.mark.parametrize(("data", "codings"), CODED.values(), ids=CODED.keys())
def test_codings_are_removed_the_last_applied_first(data: bytes, codings: list[str]) -> None:
    assert decoded(data, codings) == (hashlib.sha256(TEXT).hexdigest(), TEXT)


@pytest.mark.parametrize(
    ("data", "codings"), [c for c in CODED.values() if c[1]], ids=[k for k in CODED if k != "none"]
)
def test_a_coded_payload_that_is_cut_off_is_broken(data: bytes, codings: list[str]) -> None:
    out = decoded(data[:-9], codings)
    assert isinstance(out, Undecodable)
    assert out.broken


def test_a_coding_that_is_not_known_is_no_fault_of_the_payload() -> None:
    out = decoded(TEXT, ["compress"])
    assert isinstance(out, Undecodable)
    assert not out.broken


def test_a_bomb_stops_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    from validator import decoding
    from validator.limits import Limits

    monkeypatch.setattr(decoding, "LIMITS", Limits(decoded_payload=100_000))
    out = decoded(gzip.compress(b"\0" * 50_000_000), ["gzip"])
    assert isinstance(out, Undecodable)
    assert not out.broken


def test_all_lines_of_content_encoding_count() -> None:
    assert codings_of(["GZIP, identity", "", " br"]) == ["gzip", "br"]
