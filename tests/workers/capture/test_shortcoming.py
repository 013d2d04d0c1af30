"""R042: an answer that is cut off says why, in a sentence that names the limit and what came."""

from __future__ import annotations

import pytest

from workers.capture.limits import FetchLimits
from workers.capture.message import ResponseScanner
from workers.capture.result import outcome_of, shortcoming
from workers.capture.scan import End

LIMITS = FetchLimits(max_body_bytes=10, max_head_bytes=100, idle_seconds=60, total_seconds=900)
OK = b"HTTP/1.1 200 OK\r\n"
LONG = OK + b"Content-Length: 100\r\n\r\nhello"


@pytest.mark.parametrize(
    ("wire", "end", "sentence"),
    [
        (OK + b"Content-Length: 5\r\n\r\nhello", End.CLOSED, None),
        (OK + b"\r\nhello", End.CLOSED, None),
        (LONG, End.CLOSED, "the server closed the connection after 5 of 100 bytes of the body"),
        (LONG, End.RESET, "the server reset the connection after 5 of 100 bytes of the body"),
        (LONG, End.SILENT, "nothing came for 60 s (CITEVAULT_IDLE_SECONDS); 5 of 100 bytes of the body had come"),
        (
            LONG,
            End.TIME,
            "the answer was not over within 900 s (CITEVAULT_TOTAL_SECONDS); 5 of 100 bytes of the body had come",
        ),
        (
            LONG,
            End.SLOW,
            "fewer than 30 bytes a second came for 60 s (CITEVAULT_MIN_BYTES_PER_SECOND); "
            "5 of 100 bytes of the body had come",
        ),
        (OK + b"X: y\r\n", End.CLOSED, "the server closed the connection after 23 bytes of a head without an end"),
        (
            OK + b"\r\n" + b"x" * 11,
            End.CLOSED,
            "the body is longer than 10 bytes (CITEVAULT_MAX_BODY_BYTES); the rest was not fetched",
        ),
        (
            OK + b"X: " + b"y" * 100,
            End.CLOSED,
            "head or trailer are longer than 100 bytes (CITEVAULT_MAX_HEADER_BYTES)",
        ),
        (
            OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            End.CLOSED,
            "the server closed the connection after 5 bytes of the body",
        ),
        (
            OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            End.CLOSED,
            "where the answer ends is in doubt: chunks-broken",
        ),
        (OK + b"Content-Length: x\r\n\r\nhi", End.CLOSED, "where the answer ends is in doubt: no length holds"),
    ],
)
def test_the_sentence_says_which_limit_and_how_much_came(wire: bytes, end: End, sentence: str | None) -> None:
    scanner = ResponseScanner(limits=LIMITS)
    scanner.feed(wire)
    scan = scanner.finish(end)
    assert shortcoming(scan, end, LIMITS) == sentence
    assert (outcome_of(scan).value == "captured") == (sentence is None)
    scan.response.content.close()
