"""Puts an exchange together: from a scan of what came back, or from the reason why nothing could."""

from __future__ import annotations

import re

from schemas.records.outcome import Outcome
from schemas.urls.error import UrlError
from schemas.urls.split import split
from workers.capture.scan import Scan
from workers.capture.transport import FetchRequest
from workers.exchange import Exchange, Response

_OLD_VERSION = re.compile(rb"[\r\n\t ]*HTTP/(1\.0|0\.9)(?![0-9])", re.IGNORECASE)


def outcome_of(scan: Scan) -> Outcome:
    """What came back: whole, cut off, or of doubtful extent."""
    if scan.truncated is not None:
        return Outcome.TRUNCATED
    return Outcome.MALFORMED if scan.malformed else Outcome.CAPTURED


def refused_url(request: FetchRequest, error: UrlError, started_at: str) -> Exchange:
    """The exchange for a URL that cannot be fetched at all. Credentials in it go no further."""
    parts = split(request.url)._replace(userinfo=None, fragment=None, lead="", trail="")
    outcome = Outcome.GUARD_DENIED if error.code == "url.scheme-not-supported" else Outcome.DNS_FAILED
    return Exchange(
        url=parts.joined(),
        started_at=started_at,
        outcome=outcome,
        failure=f"the URL cannot be fetched: {error.message}",
        purpose=request.purpose,
    )


def http_protocol(response: Response) -> str:
    """The WARC-Protocol value of the version that the server answered in."""
    if not response.head:
        return "http/0.9"
    old = _OLD_VERSION.match(response.head)
    return f"http/{old.group(1).decode()}" if old else "http/1.1"
