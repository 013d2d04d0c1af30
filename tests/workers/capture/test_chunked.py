"""The chunked coding at its edges."""

from __future__ import annotations

import time

import pytest

from workers.capture import chunked
from workers.exchange import Chunk, Spool

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "body",
    [
        b"5 \r\nhello\r\n0\r\n\r\n",
        b"\t5\r\nhello\r\n0\r\n\r\n",
        b"05;x\r\nhello\r\n0\r\n\r\n",
        b"5;\r\nhello\r\n0\r\n\r\n",
        b'5;a="b;c"\r\nhello\r\n0\r\n\r\n',
        b"00000005\r\nhello\r\n000\r\n\r\n",
        b"5\r\nhello\r\n0\r\n\n",
        b"5\r\nhello\r\n0\r\nX: 1\nY: 2\r\n\r\n",
    ],
)
def test_a_chunked_body_is_taken_apart(body, scan):
    got = scan(HEAD + body)
    assert (got.content, got.framing, got.truncated, got.rebuilt) == (b"hello", "chunked", None, HEAD + body)


@pytest.mark.parametrize(
    "body",
    [
        b"5\nhello\n0\n\n",
        b"0x5\r\nhello\r\n0\r\n\r\n",
        b"+5\r\nhello\r\n0\r\n\r\n",
        b"-5\r\nhello\r\n0\r\n\r\n",
        b"1_0\r\nhello\r\n0\r\n\r\n",
        b"5 x\r\nhello\r\n0\r\n\r\n",
        b"\r\nhello\r\n0\r\n\r\n",
        b"5\r\nhelloX\r\n0\r\n\r\n",
        b"5\r\nhello\n0\r\n\r\n",
        b"11111111111111111\r\nhello",
        b"5;" + b"x" * chunked.MAX_LINE_BYTES + b"\r\nhello\r\n0\r\n\r\n",
        b"<html>no chunks at all",
        b"cafe",
    ],
)
def test_broken_chunks_leave_the_content_as_it_came(body, scan):
    got = scan(HEAD + body)
    assert (got.content, got.framing, got.outcome) == (body, "malformed", "malformed")
    assert got.chunks == ()


def test_good_chunks_before_a_broken_one_are_put_back_into_the_content(scan):
    body = b"5;a\r\nhello\r\n3\r\nabc\r\nzz\r\nrest"
    assert scan(HEAD + body).content == body


@pytest.mark.parametrize("cut", range(1, len(b"5\r\nhello\r\n3\r\nabc\r\n0\r\nT: 1\r\n\r\n")))
def test_a_body_cut_off_anywhere_is_truncated_and_rebuilt(cut, scan):
    """Complaint 37: two chunks and no end: the body is kept, and marked."""
    body = b"5\r\nhello\r\n3\r\nabc\r\n0\r\nT: 1\r\n\r\n"[:cut]
    got = scan(HEAD + body)
    assert got.rebuilt == HEAD + body
    if cut > 2:
        assert (got.framing, got.truncated) == ("chunked", "disconnect")
        assert b"helloabc".startswith(got.content)
        assert sum(chunk.length for chunk in got.chunks) == len(got.content)


def test_a_size_beyond_memory_is_only_a_number(scan):
    got = scan(HEAD + b"ffffffffffffffff\r\nhello")
    assert (got.content, got.chunks) == (b"hello", (Chunk(b"ffffffffffffffff", 5),))


@pytest.mark.parametrize("limit", ["MAX_CHUNKS", "MAX_DISTINCT_LINES", "MAX_DISTINCT_BYTES"])
def test_more_chunk_lines_than_memory_allows_leave_the_content_as_it_came(limit, scan, monkeypatch):
    monkeypatch.setattr(chunked, limit, 4)
    body = b"".join(b"1;%d\r\nx\r\n" % number for number in range(10)) + b"0\r\nT: 1\r\n\r\n"
    got = scan(HEAD + body + b"beyond")
    assert (got.content, got.surplus, got.chunks) == (body, b"beyond", ())
    assert "chunks-too-many" in got.notes
    assert scan(HEAD + body).outcome == "captured"


def test_equal_chunk_lines_are_one_object(scan):
    got = scan(HEAD + b"1\r\nx\r\n" * 100 + b"0\r\n\r\n")
    assert len({id(chunk) for chunk in got.chunks}) == 2


def test_the_wire_form_of_no_chunks_is_the_trailer():
    content = Spool()
    assert b"".join(chunked.wire_body((), content, b"5")) == b"5"
    content.close()


def test_a_body_of_tiny_chunks_costs_time_in_proportion_and_no_write_for_each():
    """X14: 200,000 chunks of one byte are read in a fraction of a second of CPU, so that they hold up nobody else."""
    reader = chunked.ChunkedReader(keep=False, max_content_bytes=1_000_000, max_trailer_bytes=1000)
    before = time.process_time()
    for _ in range(20):
        assert reader.feed(b"1\r\nx\r\n" * 10_000) == b""
    assert reader.content.size == len(reader.chunks) == 200_000
    assert time.process_time() - before < 3
    reader.content.close()
