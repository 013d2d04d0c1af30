"""Dates as pages write them, brought to ISO 8601 where that is certain, and dropped where it is not.

A declared date that lies after the day of retrieval is a mistake or a plan, not a publication, so it
is passed over; one day of grace covers time zones.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from email.utils import parsedate_to_datetime

_ISO = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?\s*(?:Z|[+-]\d{2}:?\d{2})?)?", re.ASCII
)
_PLAIN = re.compile(r"(\d{4})[/.]?(\d{2})[/.]?(\d{2})", re.ASCII)
_LONGEST = 64


def iso_date(value: str, latest: date) -> str | None:
    """An ISO 8601 date or date-time, UTC written as `Z`, or None for anything doubtful or later than `latest`."""
    text = value.strip()
    if not text or len(text) > _LONGEST:
        return None
    moment = _from_iso(text)
    if moment is None:
        moment = _from_digits(text) or _from_mail_date(text)
    if moment is None or moment.year < 1000:
        return None
    day = moment.date() if isinstance(moment, datetime) else moment
    if day > latest + timedelta(days=1):
        return None
    return moment.isoformat().replace("+00:00", "Z")


def _from_iso(text: str) -> date | datetime | None:
    if not _ISO.fullmatch(text):
        return None
    try:
        if len(text) == len("2026-11-29"):
            return date.fromisoformat(text)
        return datetime.fromisoformat(text[:11] + text[11:].replace(" ", "").replace(",", "."))
    except ValueError:
        return None


def _from_digits(text: str) -> date | None:
    match = _PLAIN.fullmatch(text)
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None


def _from_mail_date(text: str) -> datetime | None:
    """`Sun, 06 Nov 1994 08:49:37 GMT` and its like; only with a four-digit year."""
    if not re.search(r"\b\d{4}\b", text, re.ASCII) or not re.search(r"[A-Za-z]{3}", text):
        return None
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
