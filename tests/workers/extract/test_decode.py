"""Content codings: RFC 9110, 8.4; RFC 1950-1952, 7932, 8878, 9659."""

import gzip
import random
import time
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from workers.extract.decode import (
    Decoded,
    DecodeFailure,
    DecodeLimits,
    DecodeProblem,
    read_codings,
    remove_codings,
)

MIB = 1024 * 1024
PAGE = "<html><body><p>Grüße aus Köln — 東京</p></body></html>".encode() * 50


def raw_deflate(data: bytes) -> bytes:
    coder = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return coder.compress(data) + coder.flush()


ENCODERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("coding", ENCODERS)
def test_each_coding_is_undone(coding: str) -> None:
    assert remove_codings(ENCODERS[coding](PAGE), (coding,)) == Decoded(PAGE, (coding,))


@given(data=st.binary(max_size=5000), codings=st.lists(st.sampled_from(sorted(ENCODERS)), max_size=4))
def test_a_chain_is_undone_from_its_end(data: bytes, codings: list[str]) -> None:
    coded = data
    for coding in codings:
        coded = ENCODERS[coding](coded)
    assert remove_codings(coded, tuple(codings)) == Decoded(data, tuple(codings))


def test_deflate_is_read_with_and_without_its_zlib_wrapper() -> None:
    assert remove_codings(raw_deflate(PAGE), ("deflate",)) == Decoded(PAGE, ("deflate",))
    assert remove_codings(zlib.compress(PAGE), ("deflate",)) == Decoded(PAGE, ("deflate",))


def test_a_raw_deflate_stream_that_looks_like_a_zlib_header_is_read_as_raw() -> None:
    # A stored block may have any padding bits: 0x78 0x01 begins one of length 1, and is a zlib header too.
    stream = b"\x78\x01\x00\xfe\xff" + b"A" + b"\x01\x00\x00\xff\xff"
    assert remove_codings(stream, ("deflate",)) == Decoded(b"A", ("deflate",))


def test_all_members_of_a_gzip_body_are_read() -> None:
    assert remove_codings(gzip.compress(b"one ") + gzip.compress(b"two"), ("gzip",)) == Decoded(b"one two", ("gzip",))


@pytest.mark.parametrize("coding", ENCODERS)
@pytest.mark.parametrize("tail", [b"\0", b"\0\0trailing", b"<!-- served in 3 ms -->" * 900, b"\x1f", b"\x28\xb5"])
def test_bytes_after_the_end_of_the_content_are_left_alone(coding: str, tail: bytes) -> None:
    """As browsers leave them; the digest of what was received still covers them."""
    assert remove_codings(ENCODERS[coding](PAGE) + tail, (coding,)) == Decoded(PAGE, (coding,))


@pytest.mark.parametrize("coding", ENCODERS)
def test_a_page_of_many_pieces_is_undone_whole(coding: str) -> None:
    """A brotli decoder that has taken all input may still hold output: such a page was once taken for a part."""
    page = b"".join(b"<p>%d</p>" % random.Random(n).getrandbits(12) for n in range(100_000))
    assert remove_codings(ENCODERS[coding](page), (coding,)) == Decoded(page, (coding,))


def test_many_small_members_take_no_quadratic_time() -> None:
    body = gzip.compress(b"", mtime=0) * 100_000
    started = time.perf_counter()
    assert remove_codings(body, ("gzip",)) == Decoded(b"", ("gzip",))
    assert time.perf_counter() - started < 20


def test_frames_of_a_zstd_body_follow_each_other() -> None:
    body = zstandard.compress(b"one ") + zstandard.compress(b"two")
    assert remove_codings(body, ("zstd",)) == Decoded(b"one two", ("zstd",))


def test_skippable_frames_of_a_zstd_body_hold_nothing() -> None:
    skippable = b"\x50\x2a\x4d\x18\x05\0\0\0hello"
    body = skippable + zstandard.compress(b"one ") + skippable + zstandard.compress(b"two") + skippable
    assert remove_codings(body, ("zstd",)) == Decoded(b"one two", ("zstd",))


def test_an_empty_body_is_empty_under_every_coding() -> None:
    assert remove_codings(b"", ("gzip",)) == Decoded(b"", ("gzip",))
    assert remove_codings(gzip.compress(b""), ("br", "gzip")) == Decoded(b"", ("br", "gzip"))


def test_a_body_without_codings_is_given_back_whatever_its_size() -> None:
    assert remove_codings(PAGE, (), DecodeLimits(max_bytes=1)) == Decoded(PAGE, ())


def test_coding_names_are_read_from_all_fields_in_any_case() -> None:
    assert read_codings(["GZIP , identity", "", "br"]) == ("gzip", "br")
    assert read_codings([]) == ()


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_stream_that_stops_early_is_truncated(coding: str) -> None:
    failure = remove_codings(ENCODERS[coding](PAGE)[:-9], (coding,))
    assert isinstance(failure, DecodeFailure)
    assert failure.problem is DecodeProblem.TRUNCATED


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_is_not_what_its_header_says_is_broken(coding: str) -> None:
    failure = remove_codings(b"<!DOCTYPE html><p>plain text under a wrong header", (coding,))
    assert isinstance(failure, DecodeFailure)
    assert failure.problem is DecodeProblem.BROKEN


def test_a_wrong_checksum_is_broken() -> None:
    body = bytearray(gzip.compress(PAGE))
    body[-6] ^= 1
    failure = remove_codings(bytes(body), ("gzip",))
    assert isinstance(failure, DecodeFailure)
    assert failure.problem is DecodeProblem.BROKEN


def test_an_unknown_coding_is_named_and_not_guessed() -> None:
    failure = remove_codings(PAGE, ("gzip", "rot13\u2028" + "x" * 100))
    assert isinstance(failure, DecodeFailure)
    assert failure.problem is DecodeProblem.UNKNOWN_CODING
    assert len(failure.message) < 120
    assert failure.message.isascii()


def test_more_codings_than_a_server_would_stack_are_refused() -> None:
    failure = remove_codings(PAGE, ("gzip",) * 5)
    assert isinstance(failure, DecodeFailure)
    assert failure.problem is DecodeProblem.TOO_MANY_CODINGS


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_is_stopped_at_the_ratio(coding: str) -> None:
    bomb = ENCODERS[coding](bytes(80 * MIB))
    failure = remove_codings(bomb, (coding,))
    assert isinstance(failure, DecodeFailure)
    assert failure.problem is DecodeProblem.RATIO


def test_a_bomb_within_the_ratio_is_stopped_at_the_size() -> None:
    failure = remove_codings(gzip.compress(bytes(80 * MIB)), ("gzip",), DecodeLimits(max_ratio=2000))
    assert isinstance(failure, DecodeFailure)
    assert failure.problem is DecodeProblem.TOO_LARGE


def test_a_bomb_in_a_bomb_is_bounded_by_what_was_received() -> None:
    bomb = gzip.compress(gzip.compress(bytes(400 * MIB)))
    failure = remove_codings(bomb, ("gzip", "gzip"))
    assert isinstance(failure, DecodeFailure)
    assert failure.problem is DecodeProblem.RATIO


def test_a_zstd_window_above_what_http_allows_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    body = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    data = body.compress(PAGE) + body.flush()
    failure = remove_codings(data, ("zstd",))
    assert isinstance(failure, DecodeFailure)
    assert failure.problem is DecodeProblem.BROKEN


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate", "br", "zstd"]))
def test_any_bytes_give_a_value_and_never_an_exception(data: bytes, coding: str) -> None:
    assert isinstance(remove_codings(data, (coding,)), (Decoded, DecodeFailure))
