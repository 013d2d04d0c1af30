"""Archive and checker remove content codings by code of their own: over any body both give the same, or nothing (X25).

`decoded_sha256` is written by `workers.extract` and recomputed by `validator.decoding`. Where they differ, an honest
capture is refused.
"""

import gzip
import hashlib
import io
import random
import zlib
from collections.abc import Callable
from contextlib import ExitStack

import brotli
import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from validator import decoding
from workers.extract.decode import Decoded, read_codings, remove_codings

PAGE = b"<!DOCTYPE html><html><body><p>The valve closes in 40 milliseconds.</p></body></html>\n"
SKIPPABLE = b"\x50\x2a\x4d\x18\x05\0\0\0hello"
STORED_LIKE_ZLIB = b"\x78\x01\x00\xfe\xff" + b"A" + b"\x01\x00\x00\xff\xff"


def bare(data: bytes) -> bytes:
    coder = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return coder.compress(data) + coder.flush()


def in_parts(encode: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    return lambda data: encode(data[: len(data) // 3]) + encode(data[len(data) // 3 :])


def zstd(**options: bool | int) -> Callable[[bytes], bytes]:
    return lambda data: zstandard.ZstdCompressor(**options).compress(data)  # type: ignore[arg-type]


def zstd_streamed(data: bytes) -> bytes:
    coder = zstandard.ZstdCompressor().compressobj()
    return coder.compress(data) + coder.flush()


ENCODERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "identity": ("identity", bytes),
    "gzip": ("gzip", lambda data: gzip.compress(data, mtime=0)),
    "GZip": ("GZip", lambda data: gzip.compress(data, mtime=0)),
    "gzip stored": ("x-gzip", lambda data: gzip.compress(data, 0, mtime=0)),
    "gzip members": ("gzip", in_parts(lambda data: gzip.compress(data, mtime=0))),
    "zlib": ("deflate", zlib.compress),
    "zlib stored": ("deflate", lambda data: zlib.compress(data, 0)),
    "bare deflate": ("deflate", bare),
    "br": ("br", lambda data: brotli.compress(data, quality=5)),
    "zstd": ("zstd", zstd()),
    "zstd with checksum": ("zstd", zstd(write_checksum=True)),
    "zstd without size": ("zstd", zstd(write_content_size=False)),
    "zstd streamed": ("zstd", zstd_streamed),
    "zstd frames": ("zstd", in_parts(zstd(write_checksum=True))),
    "zstd behind a skippable frame": ("zstd", lambda data: SKIPPABLE + zstandard.compress(data)),
    "zstd with a skippable frame within": ("zstd", in_parts(lambda data: zstandard.compress(data) + SKIPPABLE)),
}
TAILS = st.one_of(
    st.sampled_from([b"", b"\0", b"\n", b"\x1f", b"\x28\xb5", b"\0" * 512, b"<!-- served in 3 ms -->", b"x" * 9000]),
    st.binary(max_size=40),
)
LARGE = {
    "page": PAGE * 300,
    "long page": b"".join(b"<p>%d</p>\n" % random.Random(n).getrandbits(12) for n in range(60_000)),
    "noise": random.Random(1).randbytes(70_000),
}
BODIES = st.one_of(st.binary(max_size=400), st.sampled_from(sorted(LARGE)))
"""A large body by its name, so that a failing case can be read."""


def by_archive(body: bytes, codings: list[str]) -> str | None:
    out = remove_codings(body, read_codings([", ".join(codings)]))
    return hashlib.sha256(out.data).hexdigest() if isinstance(out, Decoded) else None


def by_checker(body: bytes, codings: list[str]) -> str | None:
    stream = io.BytesIO(b"HTTP/1.1 200 OK\r\n\r\n" + body)
    stream.seek(19)
    with ExitStack() as scratch:
        out = decoding.decode(stream, decoding.codings_of([", ".join(codings)]), scratch)
        return out.sha256 if isinstance(out, decoding.Decoded) else None


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


CHAINS = st.lists(st.tuples(st.sampled_from(sorted(ENCODERS)), TAILS), max_size=4)


@settings(max_examples=300, deadline=None)
@given(BODIES, CHAINS)
def test_every_chain_of_codings_is_undone_by_both_whatever_follows_it(
    body: bytes | str, chain: list[tuple[str, bytes]]
) -> None:
    plain = LARGE[body] if isinstance(body, str) else body
    coded, codings = plain, []
    for name, tail in chain:
        label, encode = ENCODERS[name]
        coded = encode(coded)
        if label != "identity" and coded and not continues(label, tail):
            coded += tail
        codings.append(label)
    assert by_archive(coded, codings) == by_checker(coded, codings) == sha(plain)


def continues(label: str, tail: bytes) -> bool:
    """Whether bytes after the end promise a further member or frame, so that they are no mere tail."""
    return tail.startswith(b"\x1f\x8b") or (label == "zstd" and tail[:4] in (b"\x28\xb5\x2f\xfd", SKIPPABLE[:4]))


@settings(max_examples=300, deadline=None)
@given(BODIES, CHAINS.filter(bool), st.data())
def test_of_a_body_that_was_cut_or_changed_both_make_the_same(
    body: bytes | str, chain: list[tuple[str, bytes]], data: st.DataObject
) -> None:
    plain = LARGE[body] if isinstance(body, str) else body
    coded, codings = plain, []
    for name, tail in chain:
        label, encode = ENCODERS[name]
        coded = encode(coded) + tail
        how = data.draw(st.sampled_from(["whole", "cut", "cut late", "flip", "insert"]))
        at = data.draw(st.integers(0, len(coded)))
        if how == "cut":
            coded = coded[:at]
        elif how == "cut late":
            coded = coded[: max(0, len(coded) - at % 12)]
        elif how == "flip" and at < len(coded):
            coded = coded[:at] + bytes([coded[at] ^ 1 << at % 8]) + coded[at + 1 :]
        elif how == "insert":
            coded = coded[:at] + tail + coded[at:]
        codings.append(label)
    assert by_archive(coded, codings) == by_checker(coded, codings)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate", "br", "zstd", "compress"]))
@example(STORED_LIKE_ZLIB, "deflate")
@example(STORED_LIKE_ZLIB + b"tail", "deflate")
@example(SKIPPABLE, "zstd")
@example(SKIPPABLE[:-1], "zstd")
@example(b"\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00", "zstd")
@example(b"\x28\xb5\x2f\xfd\x24", "zstd")
def test_of_any_bytes_under_any_name_both_make_the_same(body: bytes, coding: str) -> None:
    assert by_archive(body, [coding]) == by_checker(body, [coding])


@pytest.mark.parametrize("codings", [["gzip"], ["br", "gzip"], ["unheard-of"], ["gzip"] * 20, []])
def test_what_is_empty_is_empty_under_every_coding(codings: list[str]) -> None:
    """Answers to HEAD, 204 and 304 name codings of content that they do not have."""
    assert by_archive(b"", codings) == by_checker(b"", codings) == sha(b"")


@pytest.mark.parametrize("inner", ["gzip", "deflate", "br", "zstd", "unheard-of"])
def test_what_becomes_empty_on_the_way_is_empty(inner: str) -> None:
    body = gzip.compress(b"")
    assert by_archive(body, [inner, "gzip"]) == by_checker(body, [inner, "gzip"]) == sha(b"")


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("size", [65_536, 262_144, 491_456, 500_000, 3_000_000])
def test_a_long_page_is_undone_whole(name: str, size: int) -> None:
    """A brotli decoder holds output back when all its input is taken."""
    label, encode = ENCODERS[name]
    page = (LARGE["long page"] * 6)[:size]
    body = encode(page) + (b"tail" if label != "identity" else b"")
    assert by_archive(body, [label]) == sha(page)
    assert by_checker(body, [label]) == sha(page)


@pytest.mark.parametrize("name", [name for name in ENCODERS if name != "identity"])
def test_a_body_without_its_end_does_not_decode(name: str) -> None:
    """The whole head of a page is no page."""
    label, encode = ENCODERS[name]
    cut = 6 if "skippable frame within" not in name else len(SKIPPABLE) + 6
    body = encode(PAGE * 40)[:-cut]
    assert by_archive(body, [label]) is by_checker(body, [label]) is None


@pytest.mark.parametrize(("label", "body"), [("gzip", b"\x1f\x8b\x08\x00"), ("zstd", b"\x28\xb5\x2f\xfd\x00")])
def test_a_further_member_that_is_cut_off_is_not_taken_for_a_tail(label: str, body: bytes) -> None:
    whole = gzip.compress(PAGE) if label == "gzip" else zstandard.compress(PAGE)
    assert by_archive(whole + body, [label]) is by_checker(whole + body, [label]) is None


def test_a_zstd_window_above_what_http_allows_is_refused_by_both() -> None:
    """RFC 9659, also for a frame so small that its window is never filled."""
    options = zstandard.ZstdCompressionParameters(window_log=24, write_content_size=False)
    coder = zstandard.ZstdCompressor(compression_params=options).compressobj()
    body = coder.compress(PAGE) + coder.flush()
    assert zstandard.get_frame_parameters(body).window_size > 8 * 1024 * 1024
    assert by_archive(body, ["zstd"]) is by_checker(body, ["zstd"]) is None
    assert by_archive(b"\x28\xb5\x2f\xfd\x00\x70\x01\x00\x00", ["zstd"]) is None
    assert by_checker(b"\x28\xb5\x2f\xfd\x00\x70\x01\x00\x00", ["zstd"]) is None
    assert by_archive(b"\x28\xb5\x2f\xfd\x00\x68\x01\x00\x00", ["zstd"]) == sha(b"")
    assert by_checker(b"\x28\xb5\x2f\xfd\x00\x68\x01\x00\x00", ["zstd"]) == sha(b"")
