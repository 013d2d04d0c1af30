"""R083: `WARC-Identified-Payload-Type` is what the payload shows, whatever the server calls it."""

import gzip
import time
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from workers.archive.payload_type import payload_type
from workers.archive.signatures import HEADER_BYTES, identified_type
from workers.exchange import Exchange, Response

MP4 = b"\x00\x00\x00\x18ftyp%s\x00\x00\x02\x00isom%s"
WEBM = b"\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01\x42\x82%s\x42\x87\x81\x04"
MP3_FRAME = (
    b"\xff\xfb\x90\x00" + bytes(413),
    b"\xff\xfb\x92\x00" + bytes(414),
)  # 128 kbit/s at 44,100: 417, padded 418

TABLE = {
    b"<!DOCTYPE html>": "text/html",
    b"\r\n\t\x0c <!docTYPE HTML ": "text/html",
    b"<p>Hello</p>": "text/html",
    b"<!-- a page": "text/html",
    b"<b>": "text/html",
    b"<body class=x>": "text/html",
    b"<h1>": "text/html",
    b"<br/>": "text/plain",  # a slash is no tag-terminating byte
    b"<section>": "text/plain",
    b"<htmlx>": "text/plain",
    b"<!doctype  html>": "text/plain",
    b' <?xml version="1.0"?>': "text/xml",
    b"<?XML": "text/plain",
    b"%PDF-1.7\n%\xe2\xe3": "application/pdf",
    b" %PDF-1.7": "text/plain",
    b"%!PS-Adobe-3.0": "application/postscript",
    b"\xfe\xff\x00a": "text/plain",
    b"\xff\xfea\x00": "text/plain",
    b"\xef\xbb\xbf<html>": "text/plain",
    b"\xef\xbb\xbf\x00": "text/plain",
    b"\x00\x00\x01\x00\x01": "image/x-icon",
    b"\x00\x00\x02\x00\x01": "image/x-icon",
    b"BM\x00\x00": "image/bmp",
    b"GIF87a\x01": "image/gif",
    b"GIF89a\x01": "image/gif",
    b"GIF88a": "text/plain",
    b"RIFF\x00\n\x00\x00WEBPVP8 ": "image/webp",
    b"\x89PNG\r\n\x1a\n\x00": "image/png",
    b"\xff\xd8\xff\xe0": "image/jpeg",
    b"FORM\x00\x00\x00\x00AIFF": "audio/aiff",
    b"ID3\x04\x00": "audio/mpeg",
    b"OggS\x00\x02": "application/ogg",
    b"MThd\x00\x00\x00\x06\x00": "audio/midi",
    b"RIFF\x01\x00\x00\x00AVI LIST": "video/avi",
    b"RIFF\x01\x00\x00\x00WAVEfmt ": "audio/wave",
    MP4 % (b"mp42", b"mp41"): "video/mp4",
    MP4 % (b"isom", b"mp41"): "video/mp4",
    MP4 % (b"isom", b"avc1"): None,
    (MP4 % (b"mp42", b"mp41"))[:11]: None,
    WEBM % b"\x84webm": "video/webm",
    WEBM % b"\x40\x04webm": "video/webm",
    WEBM % b"\x87\x00\x00\x00webm": "video/webm",
    WEBM % b"\x88matroska": None,
    MP3_FRAME[0] + MP3_FRAME[1]: "audio/mpeg",
    MP3_FRAME[1] + MP3_FRAME[0]: "audio/mpeg",
    MP3_FRAME[0] + b"\x00" * 40: None,
    MP3_FRAME[0][:100]: None,
    b"\x1f\x8b\x08\x00": "application/x-gzip",
    b"PK\x03\x04\x14\x00": "application/zip",
    b"Rar!\x1a\x07\x00": "application/x-rar-compressed",
    b"body { color: red }": "text/plain",
    b"\x1b[0m and a \xff byte": "text/plain",
    b"a\x00b": None,
    b"": None,
}


@pytest.mark.parametrize(("payload", "kind"), TABLE.items(), ids=[repr(payload[:16]) for payload in TABLE])
def test_a_signature_names_its_type(payload: bytes, kind: str | None) -> None:
    assert identified_type(payload) == kind


def test_only_the_resource_header_counts() -> None:
    assert identified_type(b"a" * HEADER_BYTES + b"\x00") == "text/plain"
    assert identified_type(b"a" * (HEADER_BYTES - 1) + b"\x00") is None


@given(
    st.binary(max_size=64), st.sampled_from([b"", b"\xff\xfb", b"\x1a\x45\xdf\xa3", b"\x00\x00\x00\x18ftyp", b"RIFF"])
)
def test_no_bytes_raise(tail: bytes, head: bytes) -> None:
    assert identified_type(head + tail) is None or "/" in str(identified_type(head + tail))


CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.compress,
    "X-GZIP": gzip.compress,
    "deflate": zlib.compress,
    "deflate ": lambda data: zlib.compress(data)[2:-4],
    "br": lambda data: bytes(brotli.compress(data, quality=1)),
    "zstd": zstandard.ZstdCompressor().compress,
}


def response(make_exchange: Callable[..., Exchange], coding: str, content: bytes) -> Response:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Encoding: {coding}\r\n\r\n".encode()
    found = make_exchange(head, content).response
    assert found is not None
    return found


@pytest.mark.parametrize("coding", CODINGS)
def test_the_content_coding_is_looked_through(coding: str, make_exchange: Callable[..., Exchange]) -> None:
    html = b"<!doctype html><p>" + b"word " * 20_000
    assert payload_type(response(make_exchange, coding, CODINGS[coding](html))) == "text/html"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "gzip, br", "odd"])
def test_what_does_not_decode_has_no_type(coding: str, make_exchange: Callable[..., Exchange]) -> None:
    assert payload_type(response(make_exchange, coding, b"plain after all")) is None


def test_a_payload_that_was_cut_off_shows_its_beginning(make_exchange: Callable[..., Exchange]) -> None:
    coded = gzip.compress(b"<html>" + b"x" * 200_000)
    assert payload_type(response(make_exchange, "gzip", coded[:100])) == "text/html"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_costs_nothing(coding: str, make_exchange: Callable[..., Exchange]) -> None:
    bomb = CODINGS[coding](b"<p>" + bytes(50_000_000))
    started = time.process_time()
    assert payload_type(response(make_exchange, coding, bomb)) == "text/html"
    assert time.process_time() - started < 0.1
