"""Redirects: loops, chains at the limit and beyond, addresses that lead nowhere. Every answer on the way is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from deploy.hostile.case import Case, sends
from workers.capture.limits import MAX_REDIRECTS


def to(location: bytes, body: bytes = b"") -> Callable[[str], Iterator[bytes]]:
    """One redirect."""
    return sends(b"HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: %d\r\n\r\n%s" % (location, len(body), body))


def chain(redirects: int, query: str) -> Iterator[bytes]:
    """That many redirects, each to the same path with the next number, then a page."""
    number = int(query or "0")
    if number >= redirects:
        return sends(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")(query)
    return to(b"?%d" % (number + 1))(query)


def once(location: bytes) -> Callable[[str], Iterator[bytes]]:
    """One redirect to the same path with this query, and a page there."""
    return lambda query: (sends(_PAGE) if query else to(b"?" + location))(query)


_PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

REDIRECTS = (
    Case(
        name="redirect to itself",
        answer=to(b"?"),
        outcome="redirect_limit",
        status=302,
        exchanges=MAX_REDIRECTS + 1,
    ),
    Case(
        name="redirect to itself with a body",
        answer=to(b"?", b"<a href='?'>here</a>"),
        outcome="redirect_limit",
        status=302,
        exchanges=MAX_REDIRECTS + 1,
    ),
    Case(
        name="as many redirects as are followed",
        answer=partial(chain, MAX_REDIRECTS),
        outcome="captured",
        content=b"hello",
        exchanges=MAX_REDIRECTS + 1,
    ),
    Case(
        name="one redirect more than are followed",
        answer=partial(chain, MAX_REDIRECTS + 1),
        outcome="redirect_limit",
        status=302,
        exchanges=MAX_REDIRECTS + 1,
    ),
    Case(
        name="parameters out of alphabetical order",
        answer=once(b"story_fbid=2&id=1&a=&A"),
        outcome="captured",
        content=b"hello",
        exchanges=2,
    ),
    Case(
        name="parameters that are encoded oddly",
        answer=once(b"q=%7e%zz|a+b%2F&&x=1;y"),
        outcome="captured",
        content=b"hello",
        exchanges=2,
    ),
    Case(
        name="redirect without a Location",
        answer=sends(b"HTTP/1.1 302 Found\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        status=302,
        content=b"hello",
    ),
    Case(name="redirect to an empty Location", answer=to(b""), outcome="captured", status=302),
    Case(name="redirect to what is no address", answer=to(b"http://[::1"), outcome="captured", status=302),
    Case(name="redirect to a script", answer=to(b"javascript:alert(1)"), outcome="captured", status=302),
    Case(
        name="redirect to an address beyond ASCII",
        answer=lambda query: to(b"?\xc3\xa9")("") if not query else sends(b"HTTP/1.1 204 Found\r\n\r\n")(""),
        status=204,
        framing="none",
        exchanges=2,
        outcome="captured",
    ),
    Case(
        name="redirect into a documentation network",
        answer=to(b"http://192.0.2.1/"),
        outcome="guard_denied",
        status=302,
    ),
    Case(
        name="redirect to a port of another protocol",
        answer=to(b"http://127.0.0.1:25/"),
        outcome="guard_denied",
        status=302,
    ),
)
