"""What a request says: who asks, for what, and whether only if it has changed (RFC 9110, 12.5 and 13.1).

Whether to ask so is decided here too. A 304 is taken on the server's word, so that word is put to the
test now and then: after so many 304 in a row, and after so much time, a URL is fetched in full
(`deploy/decisions`, "A server's word is put to the test").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from workers.capture.validators import SENDABLE, Validators
from workers.ports import KnownVersion

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
CODINGS = "gzip, deflate, br, zstd"  # all that extraction can undo; the record keeps them as they came
ROBOTS_CODINGS = "gzip, deflate"

MAX_URL_CHARACTERS: Final = 8192
"""A 304 is stored as a revisit whose header holds the URL twice, and a WARC header has at most 32 KiB."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server's word is taken for a URL: so many 304 in a row, and so much time since the content came."""

    confirmations: int
    age: timedelta


STRONG_PATIENCE: Final = Patience(9, timedelta(days=30))
"""Each tenth capture is a full one: a server that lies costs ten visits, one that does not a tenth of the bytes."""
WEAK_PATIENCE: Final = Patience(4, timedelta(days=7))
"""For a weak ETag, which need not change with the bytes, and for Last-Modified alone, which counts in seconds."""

_NO_CACHE = ("Cache-Control", "no-cache")
_STRONG_ETAG = re.compile(r'"')

Headers = tuple[tuple[str, str], ...]


def condition(known: KnownVersion | None, url: str, now: datetime) -> Validators | None:
    """What to send along, or None where the answer is wanted in full: there is nothing that a 304 could refer
    to, the validators are not trusted, or it is time to see for ourselves."""
    if known is None or known.original is None or known.distrusted or len(url) > MAX_URL_CHARACTERS:
        return None
    strong = known.etag is not None and _STRONG_ETAG.match(known.etag)
    patience = STRONG_PATIENCE if strong else WEAK_PATIENCE
    age = now - datetime.fromisoformat(known.received_at)
    if known.confirmed >= patience.confirmations or age >= patience.age:
        return None
    return Validators(known.etag, known.last_modified) or None


def request_headers(
    user_agent: str, *, ask: Validators | None = None, codings: str = CODINGS, past_caches: bool = False
) -> Headers:
    """Fields of a request, `Host` apart. No cookies, no credentials, no referrer.

    `past_caches`: a cache on the way shall not answer by itself (RFC 9111, 5.2.1.4).
    """
    headers = [("User-Agent", user_agent), ("Accept", ACCEPT), ("Accept-Encoding", codings)]
    if past_caches:
        headers.append(_NO_CACHE)
    if ask and ask.etag and SENDABLE.fullmatch(ask.etag):
        headers.append(("If-None-Match", ask.etag))
    if ask and ask.last_modified and SENDABLE.fullmatch(ask.last_modified):
        headers.append(("If-Modified-Since", ask.last_modified))
    return tuple(headers)
