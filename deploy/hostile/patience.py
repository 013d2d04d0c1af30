"""Servers that never end, or never begin: what bounds them is a limit, and the limit is told.

The limits are those of `deploy.hostile.limits`, under which each case is over in some seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

from deploy.hostile.case import Answer, Case, sends

_OK = b"HTTP/1.1 200 OK\r\n"
_PAGE = _OK + b"Content-Type: text/html\r\n\r\n"
_CHUNKED = _OK + b"Transfer-Encoding: chunked\r\n\r\n"
_BLOCK = 64 * 1024


def for_ever(beginning: bytes, piece: bytes) -> Answer:
    """The beginning, then the same piece until the client hangs up."""

    def answer(_: str) -> Iterator[bytes]:
        yield beginning
        yield from repeat(piece)

    return answer


def byte_by_byte(beginning: bytes, rest: bytes) -> Answer:
    """The beginning, then single bytes, round and round."""

    def answer(_: str) -> Iterator[bytes]:
        if beginning:
            yield beginning
        while True:
            for octet in rest:
                yield bytes((octet,))

    return answer


PATIENCE = (
    Case(
        name="one byte a second",
        answer=byte_by_byte(_PAGE, b"<p>slow "),
        outcome="truncated",
        framing="close",
        truncated="time",
        pause=1.0,
        endless=True,
    ),
    Case(
        name="one byte a second from the first on",
        answer=byte_by_byte(b"", _PAGE),
        outcome="truncated",
        status=None,
        framing="none",
        truncated="time",
        notes=("odd-status-line", "unfinished-head"),
        pause=1.0,
        endless=True,
    ),
    Case(
        name="one chunk of one byte a second",
        answer=for_ever(_CHUNKED, b"1\r\nx\r\n"),
        outcome="truncated",
        framing="chunked",
        truncated="time",
        pause=1.0,
        endless=True,
    ),
    Case(
        name="steady stream without an end",
        answer=for_ever(_PAGE, b"<p>tick</p>" * 100),
        outcome="truncated",
        framing="close",
        truncated="time",
        pause=0.05,
        endless=True,
    ),
    Case(
        name="silence within the body",
        answer=sends(_OK + b"Content-Length: 100\r\n\r\nhello"),
        outcome="truncated",
        truncated="time",
        content=b"hello",
    ),
    Case(
        name="silence within the head",
        answer=sends(_OK + b"Content-Type: text/plain\r\n"),
        outcome="truncated",
        framing="none",
        truncated="time",
        notes=("unfinished-head",),
    ),
    Case(
        name="silence after a chunk",
        answer=sends(_CHUNKED + b"5\r\nhello\r\n"),
        outcome="truncated",
        framing="chunked",
        truncated="time",
        content=b"hello",
    ),
    Case(
        name="silence on a body without a length",
        answer=sends(_PAGE + b"hello"),
        outcome="truncated",
        framing="close",
        truncated="time",
        content=b"hello",
    ),
    Case(
        name="silence after two lengths that differ",
        answer=sends(_OK + b"Content-Length: 5\r\nContent-Length: 9\r\n\r\nhello"),
        outcome="malformed",
        framing="malformed",
        notes=("content-length-conflict", "content-length-repeated"),
        content=b"hello",
    ),
    Case(
        name="answer as if to HEAD, kept open",
        answer=sends(_OK + b"Content-Length: 5\r\nContent-Type: text/html\r\n\r\n"),
        outcome="truncated",
        truncated="time",
        content=b"",
    ),
    Case(name="no answer at all", answer=sends(), outcome="timeout", status=None, framing=None, exchanges=0),
    Case(
        name="closed without an answer",
        answer=sends(),
        outcome="empty_reply",
        status=None,
        framing=None,
        ends="close",
        exchanges=0,
    ),
    Case(
        name="reset without an answer",
        answer=sends(),
        outcome="empty_reply",
        status=None,
        framing=None,
        ends="reset",
        exchanges=0,
    ),
    Case(
        name="endless body",
        answer=for_ever(_PAGE, b"x" * _BLOCK),
        outcome="truncated",
        framing="close",
        truncated="length",
        endless=True,
    ),
    Case(
        name="endless chunks",
        answer=for_ever(_CHUNKED, b"%x\r\n%s\r\n" % (_BLOCK, b"x" * _BLOCK)),
        outcome="truncated",
        framing="chunked",
        truncated="length",
        endless=True,
    ),
    Case(
        name="endless line of a head",
        answer=for_ever(_OK + b"X-Endless: ", b"x" * _BLOCK),
        outcome="truncated",
        framing="none",
        truncated="length",
        notes=("unfinished-head",),
        endless=True,
    ),
    Case(
        name="endless head",
        answer=for_ever(_OK, b"X-Endless: line\r\n" * 1000),
        outcome="truncated",
        framing="none",
        truncated="length",
        notes=("unfinished-head",),
        endless=True,
    ),
    Case(
        name="endless 1xx heads",
        answer=for_ever(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 1000),
        outcome="truncated",
        framing="none",
        truncated="length",
        endless=True,
        status=103,
        notes=("unfinished-head",),
    ),
    Case(
        name="endless blank lines",
        answer=for_ever(b"", b"\r\n" * 10_000),
        outcome="truncated",
        status=None,
        framing="none",
        truncated="length",
        endless=True,
        notes=("leading-blank", "odd-status-line", "unfinished-head"),
    ),
    Case(
        name="endless chunk extension",
        answer=for_ever(_CHUNKED + b"5;x=", b"y" * _BLOCK),
        outcome="truncated",
        framing="malformed",
        truncated="length",
        notes=("chunks-broken",),
        endless=True,
    ),
    Case(
        name="endless trailer",
        answer=for_ever(_CHUNKED + b"5\r\nhello\r\n0\r\n", b"X-Endless: line\r\n" * 1000),
        outcome="truncated",
        framing="chunked",
        truncated="length",
        content=b"hello",
        endless=True,
    ),
    Case(
        name="endless bytes after the end",
        answer=for_ever(_OK + b"Content-Length: 5\r\nConnection: close\r\n\r\nhello", b"x" * _BLOCK),
        outcome="truncated",
        framing="malformed",
        truncated="length",
        notes=("surplus",),
        endless=True,
    ),
)
