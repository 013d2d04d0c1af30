"""What the archive reads out of a raw head, against what the two readers make of it."""

import hashlib
import io
import re
from collections.abc import Callable
from typing import BinaryIO, Protocol

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeadersParser

from workers.archive.http_head import (
    MAX_HEAD_BYTES,
    find_head_end,
    mark_transfer_encoding,
    mime,
    readers_disagree,
    status_token,
    transfer_codings,
    unmark_transfer_encoding,
)
from workers.archive.record import Block, build, sha256_label

OK = b"HTTP/1.1 200 OK\r\n"


class Verdict(Protocol):
    block: bool | None
    payload: bool | None


LINES = st.lists(
    st.sampled_from(
        [
            b"A: b",
            b"nocolon",
            b" fold",
            b"\tfold",
            b"",
            b" ",
            b"\t",
            b"\r",
            b"\x00",
            b"\xa0",
            b"\xc2\xa0",
            b"\xe2\x80\xa8",
            b"\x1c",
            b"\x0b\x0c",
            b"X: a\rb",
            b": empty name",
            b"Content-Type: text/html",
            b"Set-Cookie: \xb3\xd2\xda=1",
            b"Transfer-Encoding : x",
        ]
    ),
    max_size=6,
)
ENDS = st.sampled_from([b"\r\n", b"\n", b"\r\r\n"])
HEADS = st.builds(
    lambda first, lines, end, last: first + end + b"".join(line + end for line in lines) + last,
    st.sampled_from([b"HTTP/1.1 200 OK", b"HTTP/1.0 404 Art\xedculo", b"ICY 200", b"junk", b"", b" x"]),
    LINES,
    ENDS,
    st.sampled_from([b"\r\n", b"\n", b"", b" "]),
)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(head=HEADS, content=st.sampled_from([b"", b"body", b"\r\n\r\nbody", b"\nx\n"]))
@example(head=OK + b"A: " + b"x" * (MAX_HEAD_BYTES - len(OK) - 7) + b"\r\n\r\n", content=b"body")
@example(head=OK + b"A: " + b"x" * (MAX_HEAD_BYTES - len(OK) - 6) + b"\r\n\r\n", content=b"body")
def test_where_we_see_no_exception_both_readers_verify_the_payload_digest(
    head: bytes,
    content: bytes,
    fastwarc_verdicts: Callable[[BinaryIO], list[Verdict]],
    warcio_verdicts: Callable[[BinaryIO], list[tuple[str, bool | None]]],
) -> None:
    assume(readers_disagree(head, len(content)) is None)
    fields = [
        ("WARC-Target-URI", "http://example.org/"),
        ("WARC-Payload-Digest", sha256_label(hashlib.sha256(content).hexdigest())),
    ]
    record = build(
        "response",
        "urn:uuid:33333333-3333-4333-8333-333333333333",
        "2026-11-29T12:00:00Z",
        Block.of(head + content),
        content_type="application/http; msgtype=response",
        fields=fields,
    )
    data = record.data()
    assert data is not None
    assert [(v.block, v.payload) for v in fastwarc_verdicts(io.BytesIO(data))] == [(True, True)]
    assert warcio_verdicts(io.BytesIO(data)) == [("response", True)]


@pytest.mark.parametrize(
    ("head", "content", "reason"),
    [
        (OK + b"A: b\r\n\r\n", 4, None),
        (OK + b"\r\n", 4, None),
        (OK, 0, None),
        (OK + b"A: b", 0, None),
        (OK + b"A: b\r\n", 4, "unfinished-head"),
        (b"", 4, "http/0.9"),
        (b"HTTP/1.1 200 OK\nA: b\n\n", 4, "bare-line-feeds"),
        (OK + b"A: b\n\r\n", 4, "bare-line-feeds"),
        (b"\xef\xbb\xbf" + OK + b"\r\n", 4, "leading-junk"),
        (b" " + OK + b"\r\n", 4, "leading-junk"),
        (b"\r\n" + OK + b"\r\n", 4, "leading-blank-line"),
        (OK + b"A: b\r\n \r\nC: d\r\n\r\n", 4, "blank-line-in-head"),
        (OK + b"A: " + b"x" * 100_000 + b"\r\n\r\n", 4, "long-head"),
    ],
)
def test_heads_that_readers_do_not_read_alike_are_named(head: bytes, content: int, reason: str | None) -> None:
    assert readers_disagree(head, content) == reason


def test_each_transfer_encoding_line_is_marked_and_its_bytes_stay() -> None:
    head = (
        OK
        + b"transfer-ENCODING :  Chunked\r\nX: y\r\nTransfer-Encoding:\r\n chunked\r\nX-Transfer-Encoding: no\r\n\r\n"
    )
    marked = mark_transfer_encoding(head)
    assert marked.head == (
        OK + b"X-Archive-Orig-transfer-ENCODING :  Chunked\r\nX: y\r\nX-Archive-Orig-Transfer-Encoding:\r\n chunked\r\n"
        b"X-Transfer-Encoding: no\r\n\r\n"
    )
    assert marked.lines == (1, 3)
    assert unmark_transfer_encoding(marked.head, marked.lines) == head


def test_a_mark_that_the_server_sent_itself_is_left_alone() -> None:
    head = OK + b"X-Archive-Orig-Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
    marked = mark_transfer_encoding(head)
    assert marked.lines == (2,)
    assert unmark_transfer_encoding(marked.head, marked.lines) == head


@given(HEADS)
def test_marking_can_be_undone(head: bytes) -> None:
    marked = mark_transfer_encoding(head)
    assert unmark_transfer_encoding(marked.head, marked.lines) == head


def test_unmarking_refuses_lines_without_a_mark() -> None:
    assert unmark_transfer_encoding(OK + b"\r\n", (0,)) is None
    assert unmark_transfer_encoding(OK + b"\r\n", (99,)) is None


@pytest.mark.parametrize(
    ("lines", "codings"),
    [
        (b"", ()),
        (b"Transfer-Encoding: identity\r\n", ()),
        (b"Transfer-Encoding: Chunked\r\n", ("chunked",)),
        (b"Transfer-Encoding: gzip;q=1, chunked\r\nTransfer-Encoding: chunked\r\n", ("gzip", "chunked", "chunked")),
        (b"Transfer-Encoding:\r\n gzip,\r\n\tchunked\r\n", ("gzip", "chunked")),
    ],
)
def test_transfer_codings_are_read_in_order(lines: bytes, codings: tuple[str, ...]) -> None:
    assert transfer_codings(OK + lines + b"\r\n") == codings


@pytest.mark.parametrize(
    ("block", "end"),
    [
        (OK + b"A: b\r\n\r\nbody\r\n\r\n", len(OK) + 8),
        (b"HTTP/1.0 200 OK\nA: b\n\nbody", 22),
        (b"\r\n" + OK + b"\r\nbody", len(OK) + 4),
        (b"ICY 200 OK\r\n\r\nmp3", 14),
        (OK + b"A: b", len(OK) + 4),
        (b"<html>\r\n\r\n", 0),
        (b"", 0),
    ],
)
def test_end_of_a_stored_head_is_found(block: bytes, end: int) -> None:
    assert find_head_end(block) == end


@pytest.mark.parametrize(
    ("line", "status", "token"),
    [
        (b"HTTP/1.1 200 OK", 200, "200"),
        (b"HTTP/1.1 302 ", 302, "302"),
        (b"HTTP/1.1  200 OK", 200, "200"),
        (b"HTTP/1.1 999 Odd", 999, "999"),
        (b"HTTP/1.1 000 Odd", 0, "000"),
        (b"HTTP/1.1\t200 OK", 200, "200"),
        (b"HTTP/1.1", None, ""),
    ],
)
def test_status_is_the_true_one(line: bytes, status: int | None, token: str) -> None:
    assert status_token(line + b"\r\n\r\n", status) == token


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (b"", None),
        (b"Content-Type: text/html; charset=x\r\n", "text/html"),
        (b"content-type :text/plain\r\nContent-Type: image/png\r\n", "text/plain"),
        (b"Content-Type:\r\n", ""),
        (b"X-Content-Type: a/b\r\n folded: Content-Type: c/d\r\n", None),
    ],
)
def test_mime_is_the_first_content_type_without_parameters(lines: bytes, kind: str | None) -> None:
    assert mime(OK + lines + b"\r\n") == kind


TYPES = st.lists(
    st.sampled_from(
        [
            b"Content-Type: text/html; charset=utf-8",
            b"content-type:text/plain",
            b"Content-Type :  a/b ;c",
            b"Content-Type:",
            b"Content-Type: ; x",
            b"Content-Type: \xc2\xa0t/u\xc2\xa0v",
            b"Content-Type: l/\xe9",
            b"Content-Type\t: tab/tab",
            b"Content-Type\x0b: no/no",
            b"Content-Type",
            b" Content-Type: fold/fold",
            b"X-Content-Type: x/y",
            b"A: b",
        ]
    ),
    max_size=4,
)
FIRST = st.sampled_from(
    [b"HTTP/1.1 200 OK", b"HTTP/1.1 302 ", b"HTTP/1.0  404  x", b"ICY 200", b"HTTP/1.1", b"junk", b"HTTP/1.1 20\xe9 y"]
)


@settings(deadline=None)
@given(first=FIRST, lines=TYPES, end=st.sampled_from([b"\r\n", b"\n"]))
def test_status_and_mime_are_what_cdxj_indexer_takes_from_warcio(first: bytes, lines: list[bytes], end: bytes) -> None:
    head = first + end + b"".join(line + end for line in lines) + b"\r\n"
    peer = StatusAndHeadersParser([], verify=False).parse(io.BytesIO(head))
    value = peer.get_header("content-type")
    expected = re.split(r"[;\s]", value, maxsplit=1)[0].strip() if value else value
    assert (status_token(head, None), mime(head)) == (peer.get_statuscode(), expected)
