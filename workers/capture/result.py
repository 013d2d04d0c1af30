"""Puts an exchange together: from a scan of what came back, or from the reason why nothing could."""

from __future__ import annotations

import re

from schemas.records.outcome import Outcome
from schemas.urls.error import UrlError
from schemas.urls.split import split
from workers.capture.anomaly import IN_DOUBT, Anomaly
from workers.capture.limits import FetchLimits
from workers.capture.scan import End, Scan
from workers.capture.transport import FetchRequest
from workers.exchange import Exchange, Response

_OLD_VERSION = re.compile(rb"[\r\n\t ]*HTTP/(1\.0|0\.9)(?![0-9])", re.IGNORECASE)


def outcome_of(scan: Scan) -> Outcome:
    """What came back: whole, cut off, or of doubtful extent."""
    if scan.truncated is not None:
        return Outcome.TRUNCATED
    return Outcome.MALFORMED if scan.malformed else Outcome.CAPTURED


def shortcoming(scan: Scan, end: End, limits: FetchLimits) -> str | None:
    """Why an answer is not whole or its extent is in doubt, in a sentence for a person; None where all is well."""
    match scan.truncated:
        case "length":
            return _too_long(scan, limits)
        case "disconnect":
            how = "reset" if end is End.RESET else "closed"
            return f"the server {how} the connection after {_came(scan)}"
        case "time":
            return f"{_no_patience(end, limits)}; {_came(scan)} had come"
        case None:
            return _doubts(scan) if scan.malformed else None


def _doubts(scan: Scan) -> str:
    doubts = ", ".join(anomaly.value for anomaly in scan.anomalies if anomaly in IN_DOUBT)
    return f"where the answer ends is in doubt: {doubts or 'no length holds'}"


def _too_long(scan: Scan, limits: FetchLimits) -> str:
    if scan.response.content.size < limits.max_body_bytes:
        return f"head or trailer are longer than {limits.max_head_bytes} bytes (CITEVAULT_MAX_HEADER_BYTES)"
    return f"the body is longer than {limits.max_body_bytes} bytes (CITEVAULT_MAX_BODY_BYTES); the rest was not fetched"


def _no_patience(end: End, limits: FetchLimits) -> str:
    match end:
        case End.SLOW:
            return (
                f"fewer than {limits.min_bytes_per_second} bytes a second came for {limits.idle_seconds:g} s "
                "(CITEVAULT_MIN_BYTES_PER_SECOND)"
            )
        case End.TIME:
            return f"the answer was not over within {limits.total_seconds:g} s (CITEVAULT_TOTAL_SECONDS)"
        case _:
            return f"nothing came for {limits.idle_seconds:g} s (CITEVAULT_IDLE_SECONDS)"


def _came(scan: Scan) -> str:
    """How much of the answer came, and of how much where the head says so."""
    response = scan.response
    if Anomaly.UNFINISHED_HEAD in scan.anomalies:
        return f"{len(response.head)} bytes of a head without an end"
    if response.framing != "length":
        return f"{response.content.size} bytes of the body"
    return f"{response.content.size} of {response.header('Content-Length')} bytes of the body"


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
    if response.head.startswith(b"HTTP/1.1"):
        return "http/1.1"
    if not response.head:
        return "http/0.9"
    old = _OLD_VERSION.match(response.head)
    return f"http/{old.group(1).decode()}" if old else "http/1.1"
