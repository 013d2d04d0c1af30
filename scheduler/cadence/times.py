"""Times of records as milliseconds since 1970, and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from schemas.ids import utc_string

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
LAST_MS: Final = 253_402_300_799_000
"""The last second of the year 9999: a time that is written has four digits of year."""


def milliseconds(utc: str) -> int:
    """An RFC 3339 time in UTC; finer digits are dropped."""
    whole, _, fraction = utc.removesuffix("Z").partition(".")
    return (datetime.fromisoformat(whole + "+00:00") - _EPOCH) // timedelta(milliseconds=1) + int(f"{fraction}000"[:3])


def written(ms: int) -> str:
    """The inverse, as records have it."""
    return utc_string(_EPOCH + timedelta(milliseconds=min(ms, LAST_MS)))


def day(utc: str) -> str:
    """`YYYY-MM-DD` of a time of a record: budgets are of a day in UTC."""
    return utc[:10]
