"""Exchanges put together from scans and refusals."""

from __future__ import annotations

import pytest

from schemas.records.outcome import Outcome
from workers.capture.message import scan_wire
from workers.capture.request_head import target_of
from workers.capture.result import http_protocol, outcome_of, refused_url
from workers.capture.transport import FetchRequest
from workers.exchange import Spool


@pytest.mark.parametrize(
    ("wire", "outcome", "protocol"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", Outcome.CAPTURED, "http/1.1"),
        (b"HTTP/1.0 200 OK\r\n\r\nhi", Outcome.CAPTURED, "http/1.0"),
        (b"HTTP/2 200\r\n\r\nhi", Outcome.CAPTURED, "http/1.1"),
        (b"hi", Outcome.MALFORMED, "http/0.9"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", Outcome.TRUNCATED, "http/1.1"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nhi", Outcome.MALFORMED, "http/1.1"),
    ],
)
def test_a_scan_says_how_its_response_came(wire, outcome, protocol):
    spool = Spool(wire)
    scan = scan_wire(spool, closed=True)
    spool.close()
    assert (outcome_of(scan), http_protocol(scan.response)) == (outcome, protocol)
    scan.response.content.close()


def test_a_url_that_cannot_be_fetched_loses_its_credentials():
    request = FetchRequest(" ftp://user:secret@h/x#y ", headers=())
    got = refused_url(request, target_of(request.url), "2026-11-29T12:00:00Z")
    assert (got.url, got.outcome) == ("ftp://h/x", Outcome.GUARD_DENIED)
    assert "secret" not in repr(got)
