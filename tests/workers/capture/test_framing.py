"""Where a message ends: Content-Length by the Fetch standard's rules, transfer codings by RFC 9112."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.capture.framing import Plan, _any_plan, _usual_plan, plan_content
from workers.capture.head import Head, named, parse_head


def plan(lines: bytes, status: bytes = b"HTTP/1.1 200 OK"):
    return plan_content(parse_head(status + b"\r\n" + lines + b"\r\n"))


_NAMES = st.sampled_from([b"Content-Length", b"content-length", b"Connection", b"Transfer-Encoding", b"Server"])
_VALUES = st.sampled_from([b"0", b"5", b"+5", b"5, 5", b"1" * 19, b"1" * 20, b"keep-alive", b"Close", b"chunked", b""])


@settings(max_examples=500)
@given(
    st.lists(st.tuples(_NAMES, _VALUES), max_size=4).map(tuple),
    st.sampled_from([None, 101, 200, 204, 206, 304, 404]),
    st.sampled_from([None, (1, 0), (1, 1)]),
    st.sampled_from(["GET", "HEAD"]),
)
def test_the_short_way_says_what_the_long_one_says(fields, status, version, method):
    head = Head(status, version, fields, (), named(fields))
    assert _usual_plan(head, method) in (None, _any_plan(head, method))


def test_a_usual_page_takes_the_short_way():
    head = parse_head(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\n")
    assert _usual_plan(head, "GET") == Plan("length", 5, keeps_alive=True)


def test_content_lengths_mean_what_browsers_take_them_for(conformance_data, scan):
    """The web-platform tests send 42 bytes; null is a network error there, which we read on behind."""
    for case in json.loads((conformance_data / "http/wpt-fetch/content-lengths.json").read_text()):
        body = b"x" * 42
        got = scan(b"HTTP/1.1 200 OK\r\n" + case["input"].encode() + b"\r\n\r\n" + body)
        expected = 42 if case["output"] is None else case["output"]
        assert len(got.content) == expected, case
        if case["output"] is None:
            assert got.outcome == "malformed", case
        assert got.content + got.surplus == body


@pytest.mark.parametrize(
    ("lines", "how", "keep"),
    [
        (b"Transfer-Encoding: chunked\r\n", "chunked", False),
        (b"transfer-encoding:CHUNKED\r\n", "chunked", False),
        (b"Transfer-Encoding: chunked;q=1\r\n", "chunked", False),
        (b"Transfer-Encoding: identity, chunked\r\n", "chunked", False),
        (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "chunked", False),
        (b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", "chunked", True),
        (b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "chunked", False),
        (b"Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n", "length", False),
        (b"Transfer-Encoding: gzip\r\n", "close", False),
        (b"Content-Length: 3\r\n", "length", False),
        (b"Content-Length: \t3\t\r\n", "length", False),
        (b"Content-Length: 99999999999999999999999\r\n", "uncertain", False),
        (b"Content-Length: " + b"9" * 100_000 + b"\r\nConnection: close\r\n", "close", False),
        (b"Content-Length: 3\r\nContent-Length: 4\r\n", "uncertain", False),
        (b"", "close", False),
    ],
)
def test_the_end_of_the_content_is_decided_from_the_head(lines, how, keep):
    decided = plan(lines)
    assert (decided.how, decided.keep_coding) == (how, keep)


@pytest.mark.parametrize(
    ("status", "lines", "kept"),
    [
        (b"HTTP/1.1 200 OK", b"Content-Length: 0\r\n", True),
        (b"HTTP/1.1 200 OK", b"Content-Length: 0\r\nConnection: Close\r\n", False),
        (b"HTTP/1.1 200 OK", b"Content-Length: 0\r\nConnection: a, close\r\n", False),
        (b"HTTP/1.0 200 OK", b"Content-Length: 0\r\n", False),
        (b"HTTP/1.0 200 OK", b"Content-Length: 0\r\nConnection: Keep-Alive\r\n", True),
        (b"HTTP/2 200", b"Content-Length: 0\r\n", False),
    ],
)
def test_a_connection_persists_as_the_version_and_its_options_say(status, lines, kept):
    assert plan(lines, status).keeps_alive is kept
