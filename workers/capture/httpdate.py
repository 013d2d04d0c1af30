"""Reads the dates that servers really send (RFC 9110, 5.6.7, by the lenient algorithm of RFC 6265, 5.1.1)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

_TOKENS = re.compile(r"[^\x09\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?![0-9])")
_DAY = re.compile(r"([0-9]{1,2})(?![0-9])")
_YEAR = re.compile(r"([0-9]{2,4})(?![0-9])")
_FIXDATE = re.compile(r"[A-Z][a-z]{2}, ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBERS = {name.capitalize(): number for number, name in enumerate(_MONTHS, 1)}
_MAX_CHARS = 256


@lru_cache(maxsize=256)  # the answers of one second share their Date
def parse_http_date(text: str) -> datetime | None:
    """A moment in UTC, or None. Two-digit years from 70 are 19xx; zones other than GMT are ignored, as the RFC says."""
    usual = _FIXDATE.fullmatch(text)
    month = _NUMBERS.get(usual[2]) if usual is not None else None
    if usual is not None and month is not None and usual[3] > "1600":
        # Two dates a page: the form that nearly all servers send is worth a short way.
        day, year, hour, minute, second = map(int, usual.group(1, 3, 4, 5, 6))
        try:
            return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        except ValueError:
            return None
    return _parse_leniently(text)


def _parse_leniently(text: str) -> datetime | None:
    if len(text) > _MAX_CHARS:
        return None
    time: tuple[int, int, int] | None = None
    day = month = year = None
    for token in _TOKENS.findall(text):
        if time is None and (found := _TIME.match(token)):
            time = (int(found[1]), int(found[2]), int(found[3]))
        elif day is None and (found := _DAY.match(token)):
            day = int(found[1])
        elif month is None and token[:3].lower() in _MONTHS:
            month = _MONTHS.index(token[:3].lower()) + 1
        elif year is None and (found := _YEAR.match(token)):
            year = int(found[1])
    if time is None or day is None or month is None or year is None:
        return None
    if year < 100:
        year += 1900 if year >= 70 else 2000
    if year < 1601:
        return None
    try:
        return datetime(year, month, day, *time, tzinfo=UTC)
    except ValueError:
        return None
