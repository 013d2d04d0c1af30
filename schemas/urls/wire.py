"""The URL as it is fetched: byte for byte what was given, less what no request may carry.

A server may tell `/a?` from `/a`, `%7E` from `~`, and `/a/../b` from `/b`, so nothing of that is
touched (contracts, "URLs in records"). The result is ASCII and free of blanks, so it is also the
target URI of the records.
"""

from __future__ import annotations

import re
from typing import Final

from schemas.urls.error import UrlError
from schemas.urls.location import read_http_url
from schemas.urls.parse import unreadable
from schemas.urls.percent import encode_for_wire

_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_BYTE: Final = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_AS_IT_IS = re.compile(
    rf"https?://(?!(?:[^/]*\.)?xn--)(?:(?:{_LABEL}\.){{0,4}}[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])?|{_BYTE}(?:\.{_BYTE}){{3}})"
    r"(?::(?:(?!0|80/|443/)[0-9]{1,4}|[1-5][0-9]{4}))?/[!-\[\]-~]*"
)
"""A usual URL that is fit for the wire: at most five short lower-case labels or a dotted quad, a port that is nobody's
default, and no character that would be encoded. A match without `#` is returned after one look."""


def wire_url(raw: str) -> str | UrlError:
    """The URL to request for a URL as given.

    Userinfo and fragment are left out, the host is ASCII, a default port and surrounding whitespace go,
    an empty path becomes `/`, TAB, LF and CR are removed. A raw space, a backslash and non-ASCII are
    percent-encoded (UTF-8). Everything else is kept, also an empty query, `|`, `%zz` and `..`. Where that makes it
    longer than a URL may be, it is refused.
    """
    if "#" not in raw and _AS_IT_IS.fullmatch(raw):
        return raw
    return _read_for_the_wire(raw)


def _read_for_the_wire(raw: str) -> str | UrlError:
    """The same for any string, part by part."""
    location = read_http_url(raw)
    if isinstance(location, UrlError):
        return location
    query = "" if location.query is None else "?" + location.query
    wired = location.origin + encode_for_wire(location.path + query)
    return unreadable(wired) or wired  # what is encoded grows, and no record holds more than a URL may have
