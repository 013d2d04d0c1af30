"""The request as it goes over the wire: composed here, sent as it is, recorded as it is (RFC 9112, 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from schemas.urls.error import UrlError
from schemas.urls.wire import wire_url
from workers.light import light

_FIELD_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FIELD_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


@light
class Target:
    """A URL taken apart for a request. `url` is what is fetched and what the records name."""

    url: str
    scheme: str
    host: str
    """ASCII, IPv6 in brackets."""
    port: int
    authority: str
    """Value of the Host field: the port only where it is not the scheme's default."""
    path: str
    """The request target: path and query, byte for byte, a trailing `?` included."""


@lru_cache(maxsize=8192)  # a batch of 2,000 URLs is looked through before it is fetched
def target_of(url: str) -> Target | UrlError:
    """Where a request for this URL goes, or why there can be none."""
    wired = wire_url(url)
    if isinstance(wired, UrlError):
        return wired
    # Composed by `wire_url`: scheme://authority/path, the authority without userinfo or default port.
    scheme, _, rest = wired.partition("://")
    authority, _, _ = rest.partition("/")
    host, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        host, port = authority, _DEFAULT_PORTS[scheme]
    return Target(wired, scheme, host, int(port), authority, rest[len(authority) :])


def host_of(url: str) -> str:
    """Whom a request for this URL troubles: host and port. Of what is no URL, its beginning."""
    target = target_of(url)
    return url[:200] if isinstance(target, UrlError) else target.authority


def request_head(target: Target, headers: Iterable[tuple[str, str]], method: str = "GET") -> bytes:
    """The bytes of a request without content. Fields that would break out of their line are left out."""
    start = f"{method} {target.path} HTTP/1.1\r\nHost: {target.authority}\r\n".encode("latin-1")
    return start + _field_lines(tuple(headers))


@lru_cache(maxsize=64)
def _field_lines(headers: tuple[tuple[str, str], ...]) -> bytes:
    """Most requests of a job send the same ones."""
    lines = [
        f"{name}: {value}\r\n"
        for name, value in headers
        if _FIELD_NAME.fullmatch(name) and _FIELD_VALUE.fullmatch(value)
    ]
    return ("".join(lines) + "\r\n").encode("latin-1")
