"""When something was sent, as the records say it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache


def utc_stamp(nanoseconds: int) -> str:
    """Nanoseconds since 1970 as `YYYY-MM-DDTHH:MM:SS.ffffffZ`, cut to the microsecond."""
    seconds, microseconds = divmod(nanoseconds // 1000, 1_000_000)
    return f"{_second(seconds)}.{microseconds:06d}Z"


@lru_cache(maxsize=4)
def _second(seconds: int) -> str:
    """All but the fraction, which a thousand pages share."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
