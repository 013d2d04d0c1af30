"""Where an HTTP head ends, by the format's rule."""

import io

import pytest

from validator.http_block import HttpHead, declared_head_bytes, read_head

BLOCKS = {
    "usual": (b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", b"body", 200),
    "line feeds only": (b"HTTP/1.0 404 Not Found\nA: b\n\nbody", b"body", 404),
    "mixed": (b"HTTP/1.0 404 Not Found\nA: b\n\r\nbody", b"body", 404),
    "leading blank line": (b"\r\nHTTP/1.1 200 OK\r\n\r\nbody", b"body", 200),
    "no head": (b"<html>old</html>", b"<html>old</html>", None),
    "unfinished": (b"HTTP/1.1 200 OK\r\nA: b\r\n", b"", 200),
    "ICY": (b"ICY 200 OK\r\n\r\nbody", b"body", 200),
    "no status": (b"HTTP/1.1 abc\r\n\r\nbody", b"body", None),
    "empty": (b"", b"", None),
    "longer than is looked at first": (b"HTTP/1.1 200 OK\r\nA: " + b"b" * 9000 + b"\r\n\r\nbody", b"body", 200),
    "begins late": (b"\r\n" * 5000 + b"HTTP/1.1 200 OK\r\n\r\nbody", b"body", 200),
    "long without end": (b"HTTP/1.1 200 OK\r\nA: " + b"b" * 9000, b"", 200),
}


@pytest.mark.parametrize(("block", "payload", "status"), BLOCKS.values(), ids=BLOCKS.keys())
def test_the_payload_is_what_follows_the_first_empty_line(block: bytes, payload: bytes, status: int | None) -> None:
    stream = io.BytesIO(block)
    head = read_head(stream, len(block))
    assert isinstance(head, HttpHead)
    assert (stream.read(), head.status) == (payload, status)


def test_a_declared_end_wins() -> None:
    block = b"HTTP/1.1 200 OK\r\n\r\nA: b\r\n\r\nbody"
    stream = io.BytesIO(block)
    end = declared_head_bytes(b"outcome: captured\r\nhttp-head-bytes: 27\r\n")
    assert end == 27
    read_head(stream, len(block), end)
    assert stream.read() == b"body"


def test_names_are_read_without_case_and_folded_lines_are_joined() -> None:
    block = b"HTTP/1.1 200 OK\r\nX-A : 1\r\nno colon\r\nContent-Encoding: gzip,\r\n\tbr\r\n\r\n"
    head = read_head(io.BytesIO(block), len(block))
    assert head is not None
    assert head.values("content-encoding") == ["gzip, br"]


def test_a_head_over_2_mib_is_not_read() -> None:
    block = b"HTTP/1.1 200 OK\r\nA: " + b"x" * (3 * 1024 * 1024) + b"\r\n\r\n"
    assert read_head(io.BytesIO(block), len(block)) is None
