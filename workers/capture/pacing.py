"""When a host may be asked again (`README.md, Outcomes`). Pure: seconds in, seconds out."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from schemas.records.outcome import Outcome
from workers.capture.httpdate import parse_http_date

MIN_DELAY_SECONDS: Final = 1.0
MAX_DELAY_SECONDS: Final = 30.0
ANSWER_TIMES: Final = 2.0
MAX_CRAWL_DELAY_SECONDS: Final = 60.0
MAX_RETRY_AFTER_SECONDS: Final = 24 * 3600.0
RETRY_SCHEDULE_SECONDS: Final = (60.0, 600.0, 3600.0, 6 * 3600.0)

_MAX_SECONDS_DIGITS = 12
_RETRY_OUTCOMES = frozenset(
    {
        Outcome.DNS_FAILED,
        Outcome.CONNECT_FAILED,
        Outcome.TIMEOUT,
        Outcome.EMPTY_REPLY,
        Outcome.ROBOTS_UNREACHABLE,
    }
)
_RETRY_STATUSES = frozenset({429, 502, 503, 504})
_BUSY_STATUSES = frozenset({429, 503})


def delay_after(answer_seconds: float, *, inside_allowed: bool = False, crawl_delay: float | None = None) -> float:
    """Seconds between a response and the next request to the same host.

    Twice the answer time within 1 to 30 s; nothing inside an allowed network. A `Crawl-delay` above
    zero takes the place of either, up to 60 s.
    """
    if crawl_delay is not None and crawl_delay > 0:
        return min(crawl_delay, MAX_CRAWL_DELAY_SECONDS)
    if inside_allowed:
        return 0.0
    return min(max(answer_seconds * ANSWER_TIMES, MIN_DELAY_SECONDS), MAX_DELAY_SECONDS)


def retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds that a `Retry-After` field asks for (RFC 9110, 10.2.3: seconds or a date), within 24 hours.

    None: absent or unreadable. A date in the past is 0.
    """
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        seconds = float(int(text)) if len(text) <= _MAX_SECONDS_DIGITS else MAX_RETRY_AFTER_SECONDS
        return min(seconds, MAX_RETRY_AFTER_SECONDS)
    moment = parse_http_date(text)
    if moment is None:
        return None
    return min(max((moment - now).total_seconds(), 0.0), MAX_RETRY_AFTER_SECONDS)


def should_retry(outcome: Outcome, status: int | None) -> bool:
    """Whether a later try may end better. A 429 or 503 is archived like any answer, and tried again."""
    return outcome in _RETRY_OUTCOMES or status in _RETRY_STATUSES


def is_busy(status: int | None) -> bool:
    """Whether the server asks for fewer requests, so that its whole host backs off."""
    return status in _BUSY_STATUSES


def retry_delay(tries: int) -> float | None:
    """Seconds before the next try after `tries` of them; None when all are used up.

    >>> [retry_delay(tries) for tries in (1, 2, 3, 4, 5)]
    [60.0, 600.0, 3600.0, 21600.0, None]
    """
    if not 1 <= tries <= len(RETRY_SCHEDULE_SECONDS):
        return None
    return RETRY_SCHEDULE_SECONDS[tries - 1]
