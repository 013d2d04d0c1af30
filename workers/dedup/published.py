"""Publication dates as pages tell them: to be believed only as far as they can be true."""

from __future__ import annotations

import re
from datetime import date, timedelta

_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?![0-9])")


def published_on(published_at: str | None, retrieved_at: str) -> date | None:
    """The day of publication. None where it is absent, unreadable, or later than the day after the capture
    (a time zone ahead of UTC may be one day on)."""
    told = _day(published_at) if published_at is not None else None
    seen = _day(retrieved_at)
    if told is None or (seen is not None and told > seen + timedelta(days=1)):
        return None
    return told


def _day(text: str) -> date | None:
    found = _DAY.match(text)
    if found is None:
        return None
    try:
        return date(int(found.group(1)), int(found.group(2)), int(found.group(3)))
    except ValueError:
        return None
