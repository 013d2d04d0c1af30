"""Which resource a URL is, as somebody asks for it: the identity of the request, not of its spelling.

A raw `ü` and `%C3%BC` are one request, hence one record and one resource. So a URL goes into its wire form
first and then through `conservative@1`. What is set apart from a spelling (fragment, userinfo) is still told.
"""

from __future__ import annotations

from dataclasses import replace

from schemas.urls.conservative import Normalized, normalize
from schemas.urls.error import UrlError
from schemas.urls.wire import wire_url

MAX_RECORDED_CHARS = 30_000
"""A longer target does not fit a record header that every WARC reader takes (32 KiB with all other fields)."""


def identity_of_request(requested: str) -> Normalized | UrlError:
    """Identity of the URL that is sent for a URL as asked, or why there can be no such request."""
    as_given = normalize(requested)
    if isinstance(as_given, UrlError):
        return as_given
    wired = wire_url(requested)
    if isinstance(wired, UrlError):
        return wired
    if len(wired) > MAX_RECORDED_CHARS:
        return UrlError("url.too-long", f"the URL is sent as {len(wired)} characters, a WARC record holds 30,000")
    if wired == requested:
        return as_given
    sent = normalize(wired)
    return sent if isinstance(sent, UrlError) else replace(as_given, url=sent.url)
