"""Heads as servers write them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.capture.anomaly import Anomaly
from workers.capture.head import _USUAL, END_OF_HEAD, _parse_leniently, may_be_head, named, parse_head, usual_head

_LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [b"Content-Length: 5", b"A:", b"A : b", b" folded", b"no colon", b":", b"X: a\rb", b"X: \0", b"X:\tb \t"]
        ),
        st.binary(max_size=12),
    ),
    max_size=5,
)
_ENDS = st.sampled_from([b"\r\n", b"\n", b"\r\n\r\n", b"\r\r\n"])


@settings(max_examples=500)
@given(st.sampled_from([b"HTTP/1.1 200 OK", b"HTTP/1.0 404 ", b"HTTP/1.1 20", b"\r\nHTTP/1.1 200 OK"]), _LINES, _ENDS)
def test_a_usual_head_says_what_the_lenient_reading_says(first: bytes, lines: list[bytes], end: bytes) -> None:
    head = b"\r\n".join((first, *lines)) + end
    said = parse_head(head)
    assert said._replace(named=None) == _parse_leniently(head)
    assert said.named in (None, named(said.fields))


@settings(max_examples=500)
@given(st.sampled_from([b"HTTP/1.1 200 OK", b"HTTP/1.0 404 "]), _LINES, _ENDS, st.binary(max_size=9))
def test_a_usual_head_ends_where_any_head_ends(first: bytes, lines: list[bytes], end: bytes, rest: bytes) -> None:
    received = b"\r\n".join((first, *lines)) + end + rest
    usual = usual_head(received)
    if usual is not None:
        found = END_OF_HEAD.search(received)
        assert found is not None
        assert usual[0]._replace(named=None) == _parse_leniently(received[: found.end()])
        assert usual[1] == found.end()


def test_a_usual_head_takes_the_short_way() -> None:
    assert _USUAL.fullmatch(b"HTTP/1.1 200 OK\r\nServer: nginx\r\nSet-Cookie: \xe9=1\r\nX:\r\n\r\n")


@pytest.mark.parametrize(
    ("line", "status", "version"),
    [
        (b"HTTP/1.1 200 OK", 200, (1, 1)),
        (b"HTTP/1.0 404", 404, (1, 0)),
        (b"HTTP/1.1  200 OK", 200, (1, 1)),
        (b"HTTP/1.1\t200 OK", 200, (1, 1)),
        (b"HTTP/1.1 200OK", 200, (1, 1)),
        (b"HTTP/1.1 999 No", 999, (1, 1)),
        (b"HTTP/1.1 000 No", 0, (1, 1)),
        (b"HTTP/1.1 0 OK", 0, (1, 1)),
        (b"HTTP/1.1 2000 OK", None, (1, 1)),
        (b"HTTP/1.1 -1 OK", None, (1, 1)),
        (b"HTTP/1.1 abc OK", None, (1, 1)),
        (b"HTTP/1.1 abc 200", None, (1, 1)),
        (b"HTTP/1.1", None, (1, 1)),
        (b"HTTP/2 200", 200, None),
        (b"HTTP/01.1 200 OK", 200, None),
        (b"ICY 200 OK", 200, None),
        (b"HTTPER/1.1 200 OK", 200, None),
        (b"HTTP/1.1 500 Ori\xebntatieprobleem", 500, (1, 1)),
    ],
)
def test_a_status_line_gives_its_status_and_version(line, status, version):
    head = parse_head(line + b"\r\n\r\n")
    assert (head.status, head.version) == (status, version)
    assert (Anomaly.ODD_STATUS_LINE in head.anomalies) == (status is None or version is None)


def test_fields_keep_their_order_case_bytes_and_repetition():
    head = parse_head(b"HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nX: \xff\xfe \r\nset-COOKIE:b\r\nEmpty:\r\n\r\n")
    assert head.fields == ((b"Set-Cookie", b"a"), (b"X", b"\xff\xfe"), (b"set-COOKIE", b"b"), (b"Empty", b""))
    assert head.anomalies == ()


@pytest.mark.parametrize(
    ("lines", "fields", "anomaly"),
    [
        (b"A: 1\r\n  2\r\n\t3\r\n", ((b"A", b"1 2 3"),), Anomaly.FOLDED_LINE),
        (b"  A: 1\r\n", (), Anomaly.FOLDED_LINE),
        (b"A : 1\r\n", ((b"A", b"1"),), Anomaly.SPACE_BEFORE_COLON),
        (b"nothing\r\nA: 1\r\n", ((b"A", b"1"),), Anomaly.LINE_WITHOUT_COLON),
        (b": 1\r\nA: 1\r\n", ((b"A", b"1"),), Anomaly.LINE_WITHOUT_COLON),
        (b"A: 1\nB: 2\r\n", ((b"A", b"1"), (b"B", b"2")), Anomaly.LF_ONLY),
        (b"A: 1\r2\r\n", ((b"A", b"1\r2"),), Anomaly.BARE_CR),
        (b"A: \x00\r\n", ((b"A", b"\x00"),), Anomaly.NUL),
    ],
)
def test_a_bent_line_is_read_and_noted(lines, fields, anomaly):
    head = parse_head(b"HTTP/1.1 200 OK\r\n" + lines + b"\r\n")
    assert head.fields == fields
    assert head.anomalies == (anomaly,)


@pytest.mark.parametrize(
    "start",
    [
        *(b"", b"H", b"htt", b"HTTP/1.1 200", b"\r\n", b"\r\n HTTP", b"ICY 200", b"IC", b" " * 100),
        *(b"\xef\xbb", b"\xef\xbb\xbfHTT", b"\xef\xbb\xbfHTTP/", b"1234HTTP/1", b"\r\nxHTTP/1.0 "),
    ],
)
def test_what_can_still_become_a_status_line_is_waited_for(start):
    assert may_be_head(start)


@pytest.mark.parametrize(
    "start",
    [b"<html>", b"HTMLHTML", b"ICYEICYE", b"\r\nhello", b"\x00HTTP 1.1", b"220 smtp", b"12345HTTP/1.1", b"x\nHTTP/1.1"],
)
def test_what_can_no_longer_become_one_is_content(start):
    assert not may_be_head(start)


def test_a_head_of_a_megabyte_takes_no_more_than_linear_time():
    folded = b"HTTP/1.1 200 OK\r\nA: 1\r\n" + b" x\r\n" * 250_000 + b"\r\n"
    started = time.perf_counter()
    parse_head(folded)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("junk", [b"\xef\xbb\xbf", b"x", b"\0\0\0\0", b" ab"])
def test_up_to_four_bytes_before_the_status_line_are_passed_over_as_browsers_do(junk):
    head = parse_head(junk + b"HTTP/1.1 404 Not Found\r\nA: b\r\n\r\n")
    assert (head.status, head.version, head.fields) == (404, (1, 1), ((b"A", b"b"),))
    assert Anomaly.LEADING_JUNK in head.anomalies
    assert Anomaly.ODD_STATUS_LINE not in head.anomalies


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"HTTP/1.1 2", None),
        (b"HTTP/1.1 20", None),
        (b"HTTP/1.1 200", 200),
        (b"HTTP/1.1 5 x", 5),
        (b"HTTP/1.1 0\r\n", 0),
    ],
)
def test_a_status_that_was_perhaps_cut_off_is_none(head, status):
    assert parse_head(head).status == status
