"""Request fields: who asks, for what, and whether only if it has changed (RFC 9110, 12.5 and 13.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workers.exchange import Response

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
CODINGS = "gzip, deflate, br, zstd"  # all that extraction can undo; the record keeps them as they came
ROBOTS_CODINGS = "gzip, deflate"

_SENDABLE = re.compile(r"[\x21-\x7e\x80-\xff]([\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?")
_MAX_VALIDATOR = 4096

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Validators:
    """What an earlier capture of the same URL said of its representation, verbatim (R082)."""

    etag: str | None = None
    last_modified: str | None = None


def validators_of(response: Response) -> Validators:
    """Validators worth sending back. A field that cannot be sent in one line is none."""
    return Validators(_sendable(response.header("ETag")), _sendable(response.header("Last-Modified")))


def request_headers(user_agent: str, *, previous: Validators | None = None, codings: str = CODINGS) -> Headers:
    """Fields of a request, `Host` apart. No cookies, no credentials, no referrer."""
    headers = [("User-Agent", user_agent), ("Accept", ACCEPT), ("Accept-Encoding", codings)]
    if previous and previous.etag and _sendable(previous.etag):
        headers.append(("If-None-Match", previous.etag))
    if previous and previous.last_modified and _sendable(previous.last_modified):
        headers.append(("If-Modified-Since", previous.last_modified))
    return tuple(headers)


def _sendable(value: str | None) -> str | None:
    if value is None or len(value) > _MAX_VALIDATOR or not _SENDABLE.fullmatch(value):
        return None
    return value
