"""The URL as it is fetched: byte for byte what was given, less what no request may carry.

A server may tell `/a?` from `/a`, `%7E` from `~`, and `/a/../b` from `/b`, so nothing of that is
touched (contracts, "URLs in records"). The result is ASCII and free of blanks, so it is also the
target URI of the records.
"""

from __future__ import annotations

from schemas.urls.error import UrlError
from schemas.urls.location import read_http_url
from schemas.urls.percent import encode_for_wire


def wire_url(raw: str) -> str | UrlError:
    """The URL to request for a URL as given.

    Userinfo and fragment are left out, the host is ASCII, a default port and surrounding whitespace go,
    an empty path becomes `/`, TAB, LF and CR are removed. A raw space, a backslash and non-ASCII are
    percent-encoded (UTF-8). Everything else is kept, also an empty query, `|`, `%zz` and `..`.
    """
    location = read_http_url(raw)
    if isinstance(location, UrlError):
        return location
    query = "" if location.query is None else "?" + location.query
    return location.origin + encode_for_wire(location.path + query)
