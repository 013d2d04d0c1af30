"""Which resource a URL of a report means.

Two spellings that make one request must find one page, so the identity is made from the request: the
URL goes into its wire form first (blanks and non-ASCII percent-encoded), then through `conservative@1`.
"""

from __future__ import annotations

from schemas.urls.conservative import normalize
from schemas.urls.error import UrlError
from schemas.urls.identity import NormalizedUrl
from schemas.urls.wire import wire_url


def resource_of(raw: str) -> NormalizedUrl | UrlError:
    """The identity of the resource that a request for `raw` asks for, or why there can be no such request."""
    sent = wire_url(raw)
    if isinstance(sent, UrlError):
        return sent
    normalized = normalize(sent)
    return normalized if isinstance(normalized, UrlError) else normalized.url
