"""What is sent is the URL that was asked for, byte for byte."""

from __future__ import annotations

import pytest

from schemas.urls.error import UrlError
from workers.capture.conditional import request_headers
from workers.capture.request_head import request_head, target_of
from workers.capture.validators import Validators


@pytest.mark.parametrize(
    ("url", "authority", "path", "port"),
    [
        ("http://example.com", "example.com", "/", 80),
        ("http://example.com/a?", "example.com", "/a?", 80),
        ("http://example.com?q", "example.com", "/?q", 80),
        ("http://example.com/a|b?c=%zz&&d[1]=%7E", "example.com", "/a|b?c=%zz&&d[1]=%7E", 80),
        ("http://example.com/a/../b//c", "example.com", "/a/../b//c", 80),
        ("http://user:pass@example.com/a#frag", "example.com", "/a", 80),
        ("https://example.com:443/", "example.com", "/", 443),
        ("https://example.com:8443/", "example.com:8443", "/", 8443),
        ("http://[2001:DB8::1]:8080/x", "[2001:db8::1]:8080", "/x", 8080),
        ("http://EXAMPLE.com/A b\\c/ä", "example.com", "/A%20b%5Cc/%C3%A4", 80),
        ("http://bücher.example/", "xn--bcher-kva.example", "/", 80),
        ("http://example.com/?story_fbid=2&id=1", "example.com", "/?story_fbid=2&id=1", 80),
    ],
)
def test_the_request_line_holds_the_url_as_given(url, authority, path, port):
    """Complaint 43 and X8: nothing reorders or rewrites a query."""
    target = target_of(url)
    assert (target.authority, target.path, target.port) == (authority, path, port)
    assert request_head(target, ()) == f"GET {path} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode()


@pytest.mark.parametrize("url", ["", "mailto:a@b", "http://", "http://exa mple/", "http://h:99999/", "\ud800", "/path"])
def test_what_cannot_be_fetched_is_an_error_with_a_reason(url):
    assert isinstance(target_of(url), UrlError)


def test_a_field_cannot_break_out_of_its_line():
    head = request_head(
        target_of("http://h/"), [("A", "1\r\nB: 2"), ("C\r\nD", "3"), ("", "4"), ("E", "\u0416"), ("F", "5")]
    )
    assert head == b"GET / HTTP/1.1\r\nHost: h\r\nF: 5\r\n\r\n"


def test_a_first_request_says_who_asks_and_what_can_be_read():
    assert request_headers("Citevault/1 (+https://example.com)") == (
        ("User-Agent", "Citevault/1 (+https://example.com)"),
        ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
        ("Accept-Encoding", "gzip, deflate, br, zstd"),
    )


def test_a_later_request_sends_the_validators_back_verbatim():
    """R082: the ETag keeps its quotes."""
    headers = request_headers("c", ask=Validators('W/"abcä"', "Sat, 28 Nov 2026 10:00:00 GMT"))
    assert headers[-2:] == (("If-None-Match", 'W/"abcä"'), ("If-Modified-Since", "Sat, 28 Nov 2026 10:00:00 GMT"))
    assert b'If-None-Match: W/"abc\xe4"\r\n' in request_head(target_of("http://h/"), headers)


@pytest.mark.parametrize("value", ["", "a\rb", '"a"\r\nX: y', "a\x00b", " "])
def test_a_validator_that_would_break_out_of_its_line_is_not_sent(value):
    """Whatever an index holds: what makes a header line is looked at again when it is made."""
    assert len(request_headers("c", ask=Validators(value, value))) == 3


def test_a_request_past_caches_says_so():
    assert request_headers("c", past_caches=True)[-1] == ("Cache-Control", "no-cache")
