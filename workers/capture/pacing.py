"""When a host may be asked again (`scheduler/README.md, Outcomes`). Pure: seconds in, seconds out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from schemas.records.outcome import Outcome
from workers.capture.httpdate import parse_http_date

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


@dataclass(frozen=True, slots=True)
class Pace:
    """How gently hosts are asked. Seconds, but for `answer_times`."""

    answer_times: float = 2.0
    """The pause after a response, in times of what the answer took."""
    least: float = 1.0
    most: float = 30.0
    most_crawl_delay: float = 60.0
    most_retry_after: float = 24 * 3600.0
    least_back_off: float = 10.0
    """After the first 429 or 503; twice as long after each further one."""
    most_back_off: float = 3600.0


DEFAULT_PACE: Final = Pace()


def delay_after(
    answer_seconds: float,
    *,
    inside_allowed: bool = False,
    crawl_delay: float | None = None,
    pace: Pace = DEFAULT_PACE,
) -> float:
    """Seconds between a response and the next request to the same host.

    Twice the answer time within 1 to 30 s; nothing inside an allowed network. A `Crawl-delay` above
    zero takes the place of either, up to 60 s. (Figures of the default pace.)
    """
    if crawl_delay is not None and crawl_delay > 0:
        return min(crawl_delay, pace.most_crawl_delay)
    if inside_allowed:
        return 0.0
    return min(max(answer_seconds * pace.answer_times, pace.least), pace.most)


def retry_after(value: str | None, now: datetime, *, pace: Pace = DEFAULT_PACE) -> float | None:
    """Seconds that a `Retry-After` field asks for (RFC 9110, 10.2.3: seconds or a date), within 24 hours.

    None: absent or unreadable. A date in the past is 0.
    """
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        seconds = float(int(text)) if len(text) <= _MAX_SECONDS_DIGITS else pace.most_retry_after
        return min(seconds, pace.most_retry_after)
    moment = parse_http_date(text)
    if moment is None:
        return None
    return min(max((moment - now).total_seconds(), 0.0), pace.most_retry_after)


def should_retry(outcome: Outcome, status: int | None) -> bool:
    """Whether a later try may end better. A 429 or 503 is archived like any answer, and tried again."""
    return outcome in _RETRY_OUTCOMES or status in _RETRY_STATUSES


def is_busy(status: int | None) -> bool:
    """Whether the server asks for fewer requests, so that its whole host backs off."""
    return status in _BUSY_STATUSES


def strikes_after(strikes: int, status: int | None) -> int:
    """How often in a row a host has said that it is busy. A fault of its own (500, 502) or silence says neither yes
    nor no."""
    if is_busy(status):
        return strikes + 1
    return strikes if status is None or status >= 500 else 0


def back_off(strikes: int, *, pace: Pace = DEFAULT_PACE) -> float:
    """Seconds that a host is left alone after so many busy answers in a row, where it does not say how long itself.

    >>> [back_off(strikes) for strikes in (0, 1, 2, 3, 9, 10, 10**6)]
    [0.0, 10.0, 20.0, 40.0, 2560.0, 3600.0, 3600.0]
    """
    if strikes <= 0:
        return 0.0
    return min(pace.least_back_off * 2.0 ** min(strikes - 1, 64), pace.most_back_off)


def retry_delay(tries: int) -> float | None:
    """Seconds before the next try after `tries` of them; None when all are used up.

    >>> [retry_delay(tries) for tries in (1, 2, 3, 4, 5)]
    [60.0, 600.0, 3600.0, 21600.0, None]
    """
    if not 1 <= tries <= len(RETRY_SCHEDULE_SECONDS):
        return None
    return RETRY_SCHEDULE_SECONDS[tries - 1]
