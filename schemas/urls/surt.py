"""`UrlKey`: the sort-friendly key under which archives index a URL (SURT, the key of a CDXJ line).

The key is lossy on purpose: it folds letter case, `www.`, scheme, parameter order, repeated slashes,
session ids and percent-encoding. So it finds candidates, and a look-up then compares the exact
`NormalizedUrl`. It equals what archives' indexers write today, quirks included, since an index is
only of use if others can read it; the tests pin it to that peer.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from schemas.urls.identity import UrlKey
from schemas.urls.percent import escape_once, unescape_fully
from schemas.urls.surt_host import host_key
from schemas.urls.surt_session import without_path_session, without_query_session

_HAS_SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:")
_STACKED_SCHEMES = re.compile(rb"(?:https?://)+(?=https?://)")
_WRAPPING: Final = b"\t\n\r"
_DEFAULT_PORTS: Final = {b"http": b"80", b"https": b"443"}
_USUAL_PORTS: Final = {"http": "80", "https": "443"}
_MAX_PORT: Final = 65_535
_BYTE: Final = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_USUAL = re.compile(
    rf"(https?)://(?:www[0-9]*\.)?((?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*|(?!0){_BYTE}(?:\.{_BYTE}){{3}})"
    r"(?::([1-9][0-9]{0,3}|[1-5][0-9]{4}))?((?:/[A-Za-z0-9_-][A-Za-z0-9_.~-]*)*)/?(?:\?([A-Za-z0-9_=&.-]+))?"
)
"""Scheme, host without `www.`, port, path without its last slash, query of a URL in which nothing is escaped."""
_MAY_HOLD_A_SESSION: Final = ("sid=", "sessi", "cftoken")
"""What the names of all session parameters contain, in lower case."""


def url_key(url: str) -> UrlKey:
    """The SURT key of a URL: `https://www.Example.org/B?d&c` gives `org,example)/b?c&d`.

    Every string has a key. For http and https it is ASCII and equal to what CDXJ indexers write;
    fragment and userinfo are no part of it. A port that is not a number from 0 to 65535 stays as text,
    where indexers fail.
    """
    usual = _USUAL.fullmatch(url)
    if usual is None:
        return _any_key(url)
    scheme, host, port, path, query = usual.groups()
    if query and any(part in query.lower() for part in _MAY_HOLD_A_SESSION):
        return _any_key(url)
    at = f":{port}" if port and port != _USUAL_PORTS[scheme] else ""
    key = f"{_reversed(host)}{at}){path.lower() or '/'}"
    return UrlKey(f"{key}?{_usual_query(query)}" if query else key)


@lru_cache(maxsize=1024)
def _reversed(host: str) -> str:
    return ",".join(host.split(".")[::-1])


def _usual_query(query: str) -> str:
    """Where there is nothing to decode, to fold or to leave out: what `_any_key` gives, at a fifth of the time."""
    return "&".join("=".join(pair) for pair in sorted(piece.split("=", 1) for piece in query.lower().split("&")))


def _any_key(url: str) -> UrlKey:
    if url.startswith("filedesc"):
        return UrlKey(url)
    data = url.encode("utf-8", "surrogatepass").strip().translate(None, _WRAPPING)
    if not data:
        return UrlKey("-")
    if _HAS_SCHEME.match(data) is None:
        data = b"http://" + data
    elif stacked := _STACKED_SCHEMES.match(data):
        data = data[stacked.end() :]

    scheme, _, rest = data.partition(b":")
    rest = rest.partition(b"#")[0]
    rest, _, query = rest.partition(b"?")
    host, port, path = _split_hierarchy(rest)
    if not host and path and scheme.startswith(b"http"):
        host, _, path = path.lstrip(b"/").partition(b"/")
        path = b"/" + path
    if port == _DEFAULT_PORTS.get(scheme.lower(), b""):
        port = b""

    path = unescape_fully(path)
    key = host_key(host)
    if key:
        key += (b":" + port if port else b"") + b")"
        path = _folded(path)
    else:
        key = scheme + b":"
    path = without_path_session(escape_once(path).lower())
    if path.endswith(b"/") and len(path) > 1:
        path = path[:-1]
    query = _ordered(without_query_session(escape_once(unescape_fully(query)).lower()))
    if query:
        path = (path or b"/") + b"?" + query
    return UrlKey((key + path).decode("ascii"))


def _split_hierarchy(rest: bytes) -> tuple[bytes, bytes, bytes]:
    """Host, port and path of what stands between the scheme's colon and the query."""
    if not rest.startswith(b"//"):
        return b"", b"", rest
    authority, slash, path = rest[2:].partition(b"/")
    named = authority.rstrip(b":").rpartition(b"@")[2]
    _, bracket, literal = named.partition(b"[")
    if bracket:
        host, _, after = literal.partition(b"]")
        port = after.partition(b":")[2]
    else:
        host, _, port = named.partition(b":")
    digits = port.lstrip(b"0")
    if port.isdigit() and len(digits) <= len(str(_MAX_PORT)) and int(digits or b"0") <= _MAX_PORT:
        port = digits  # port 0 counts as none
    return host, escape_once(port), slash + path


def _folded(path: bytes) -> bytes:
    """Resolve dot segments and drop empty ones, but for the last. A leading `..` with nothing to remove stays."""
    kept: list[bytes] = []
    for segment in path.split(b"/")[1:]:
        if segment == b"..":
            if kept:
                kept.pop()
            else:
                kept.append(segment)
        elif segment != b".":
            kept.append(segment)
    return b"/" + b"".join(segment + b"/" for segment in kept[:-1] if segment) + b"".join(kept[-1:])


def _ordered(query: bytes) -> bytes:
    """Parameters by name, then value; one without `=` before one with an empty value."""
    return b"&".join(b"=".join(pair) for pair in sorted(piece.split(b"=", 1) for piece in query.split(b"&")))
