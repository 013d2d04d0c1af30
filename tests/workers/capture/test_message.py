"""Laws and limits of reading a response."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.capture.limits import FetchLimits
from workers.capture.message import MAX_SURPLUS_BYTES, ResponseScanner, split_wire, wire_bytes
from workers.capture.scan import End, Progress
from workers.exchange import Spool

GRAMMAR = st.lists(
    st.sampled_from(
        [
            b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 200 OK\n", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 204 x\r\n",
            b"HTTP/1.1 304 x\r\n", b"ICY 200 OK\r\n", b"HTTP/1.1 101 x\r\n", b"Content-Length: 5\r\n",
            b"Content-Length: 0\r\n", b"Content-Length: x\r\n", b"Transfer-Encoding: chunked\r\n", b"\n", b"\r",
            b"Transfer-Encoding: gzip, chunked\r\n", b"Connection: close\r\n", b"X: y\r\n", b" folded\r\n", b"\r\n",
            b"no colon\r\n",
            b"5\r\nhello\r\n", b"5;a=b\r\nhello\r\n", b"0\r\n\r\n", b"0\r\nT: 1\r\n\r\n", b"3\nabc\n", b"hello",
            b"0", b"\0",
            b"ffffffffffffffff\r\n", b"00000000000000000000A\r\n", b"-1\r\n", b"H", b"HTTP", b" ",
        ]
    ),
    max_size=12,
).map(b"".join)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(wire=st.one_of(GRAMMAR, st.binary(max_size=300)), cuts=st.lists(st.integers(0, 300), max_size=6))
def test_the_wire_bytes_of_any_response_can_be_rebuilt_from_its_parts(wire, cuts, scan_pieces):
    places = [0, *sorted(min(cut, len(wire)) for cut in cuts), len(wire)]
    got = scan_pieces(wire[a:b] for a, b in pairwise(places))
    assert got.rebuilt == wire


@settings(max_examples=300, deadline=None)
@given(wire=GRAMMAR, cuts=st.lists(st.integers(0, 300), max_size=6))
def test_a_response_reads_the_same_however_it_is_cut_into_pieces(wire, cuts, scan, scan_pieces):
    places = [0, *sorted(min(cut, len(wire)) for cut in cuts), len(wire)]
    assert scan_pieces(wire[a:b] for a, b in pairwise(places)) == scan(wire)


@settings(max_examples=600, deadline=None)
@given(wire=GRAMMAR, limit=st.integers(0, 60), cut=st.integers(0, 200))
def test_what_a_limit_leaves_is_the_beginning_of_what_was_received(wire, limit, cut, scan_pieces):
    limits = FetchLimits(max_body_bytes=limit, max_head_bytes=limit + 20)
    got = scan_pieces([wire[:cut], wire[cut:]], limits=limits)
    assert wire.startswith(got.rebuilt)
    assert len(got.content) <= limit or got.framing == "malformed"
    assert got.truncated == "length" or got.rebuilt == wire


@settings(max_examples=150, deadline=None)
@given(sizes=st.lists(st.integers(1, 40), max_size=6), trailer=st.sampled_from([b"", b"X: y\r\n"]))
def test_the_content_does_not_depend_on_the_chunks_it_came_in(sizes, trailer, scan):
    """Complaint 3: equal content in other chunks must give the same digest."""
    data = bytes(range(256))[: sum(sizes)]
    wire, position = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 0
    for size in sizes:
        wire += b"%x\r\n" % size + data[position : position + size] + b"\r\n"
        position += size
    got = scan(wire + b"0\r\n" + trailer + b"\r\n", end=End.SILENT)
    assert (got.content, got.framing, got.truncated) == (data, "chunked", None)
    assert sum(chunk.length for chunk in got.chunks) == len(got.content)


def test_bytes_at_rest_and_bytes_that_arrive_are_read_by_the_same_rules():
    wire = Spool(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n")
    response = split_wire(wire, closed=False)
    assert response.content.read() == b"hi"
    assert b"".join(wire_bytes(response)) == wire.read()
    response.content.close()
    wire.close()


def test_a_kept_connection_is_known_to_be_free_at_the_last_byte_of_the_message():
    wire = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    scanner = ResponseScanner()
    assert scanner.feed(wire[:-1]) is Progress.CONTENT
    assert scanner.feed(wire[-1:]) is Progress.COMPLETE
    assert scanner.reusable
    scanner.finish(End.CLOSED).response.content.close()


@pytest.mark.parametrize(
    "wire",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/2 200\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi!",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: \0\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 204 x\r\nContent-Length: 2\r\n\r\n",
    ],
)
def test_a_connection_that_may_hold_more_of_this_message_is_not_used_again(wire, scan):
    assert not scan(wire).reusable


@pytest.mark.parametrize(
    "wire",
    [
        b"HTTP/1.1 304 x\r\nContent-Length: 9\r\n\r\n",
        b"HTTP/1.1 204 x\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
)
def test_a_connection_is_used_again_after_a_message_that_ends_for_certain(wire, scan):
    assert scan(wire).reusable


def test_a_few_bytes_too_many_stand_beside_the_content_and_many_are_content(scan):
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    few = scan(head + b"x" * MAX_SURPLUS_BYTES)
    assert (few.content, len(few.surplus)) == (b"hi", MAX_SURPLUS_BYTES)
    many = scan(head + b"x" * (MAX_SURPLUS_BYTES + 1))
    assert (len(many.content), many.surplus, many.framing) == (MAX_SURPLUS_BYTES + 3, b"", "malformed")


def test_a_chunked_body_with_much_behind_it_is_kept_as_it_came(scan):
    body = b"2\r\nhi\r\n0\r\n\r\n" + b"x" * (MAX_SURPLUS_BYTES + 1)
    got = scan(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
    assert (got.content, got.chunks, got.framing) == (body, (), "malformed")


def test_a_body_over_the_limit_is_cut_at_the_limit_and_said_to_be(scan):
    """Complaint 13: a body over the limit is marked `length`."""
    for framing in (b"Content-Length: 100\r\n", b"", b"Transfer-Encoding: chunked\r\n"):
        body = b"64\r\n" + b"x" * 100 if b"chunked" in framing else b"x" * 100
        got = scan(b"HTTP/1.1 200 OK\r\n" + framing + b"\r\n" + body, limits=FetchLimits(max_body_bytes=10))
        assert (got.content, got.truncated) == (b"x" * 10, "length")


def test_a_body_of_exactly_the_limit_is_whole(scan):
    got = scan(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + b"x" * 10, limits=FetchLimits(max_body_bytes=10))
    assert got.truncated is None


def test_a_head_over_the_limit_is_kept_up_to_the_limit(scan):
    got = scan(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200 + b"\r\n\r\nhello", limits=FetchLimits(max_head_bytes=100))
    assert (len(got.head), got.content, got.truncated, got.status) == (100, b"", "length", 200)


def test_a_flood_of_interim_heads_counts_against_the_same_limit(scan):
    got = scan(b"HTTP/1.1 102 Processing\r\n\r\n" * 1000, limits=FetchLimits(max_head_bytes=300))
    assert got.truncated == "length"
    assert len(got.rebuilt) == 300


def test_a_trailer_over_the_limit_is_cut(scan):
    wire = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * 100
    assert scan(wire, limits=FetchLimits(max_head_bytes=100)).truncated == "length"


@pytest.mark.parametrize(
    ("end", "truncated"),
    [(End.CLOSED, "disconnect"), (End.RESET, "disconnect"), (End.SILENT, "time"), (End.TIME, "time")],
)
def test_a_message_cut_off_says_by_what(end, truncated, scan):
    assert scan(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", end=end).truncated == truncated


@pytest.mark.parametrize(
    ("end", "truncated"), [(End.CLOSED, None), (End.RESET, "disconnect"), (End.SILENT, "time"), (End.TIME, "time")]
)
def test_a_body_that_ends_with_the_connection_is_whole_only_if_that_was_closed(end, truncated, scan):
    assert scan(b"HTTP/1.1 200 OK\r\n\r\nhi", end=end).truncated == truncated


def test_nothing_received_leaves_an_empty_response(scan):
    got = scan(b"")
    assert (got.rebuilt, got.status, got.truncated) == (b"", None, "disconnect")


def test_the_answer_to_head_has_no_content(scan):
    got = scan(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", method="HEAD", end=End.SILENT)
    assert (got.framing, got.truncated, got.reusable) == ("none", None, True)
