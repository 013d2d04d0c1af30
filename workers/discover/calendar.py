"""Calendar pages: every month links to the next one, for ever.

Dates in addresses are common and mostly honest (`/2019/05/…`), so only those are refused that no archive of news or
events has: more than a year after the page was retrieved, and, where the address speaks of a calendar, more than ten
years before it. So the walk ends in both directions, and the months in between are followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from schemas.urls.location import HttpLocation

MONTHS_AHEAD: Final = 12
MONTHS_BACK: Final = 120
YEARS_KNOWN: Final = 200
"""A number further off than this is no year."""
MAX_QUERY_CHARACTERS: Final = 4000

_CALENDAR = re.compile(r"calend|kalend|agenda|events?(?:/|$|[-_])|termine|tribe|ical|mois|monat", re.IGNORECASE)
_IN_PATH = re.compile(r"/([0-9]{4})(?:/|-)([0-9]{1,2})(?=$|[/-])")
_WRITTEN_OUT = re.compile(r"([0-9]{4})-([0-9]{1,2})(?![0-9])")
_COMPACT = re.compile(r"([0-9]{4})([0-9]{2})(?:[0-9]{2})?")
_YEAR = re.compile(r"([0-9]{4})")
_YEAR_NAMES: Final = frozenset({"year", "yr", "jahr", "annee"})
_DATE_NAMES: Final = frozenset({"date", "day", "month", "m", "cal", "calendar", "datum", "monat", "tag"})


def is_endless_calendar(location: HttpLocation, today: date) -> bool:
    """Whether an address lies so far in time. `today`: when the page that links to it was retrieved."""
    speaks_of_one = _CALENDAR.search(f"{location.path}?{location.query or ''}") is not None
    for year, month in _months(location):
        if abs(year - today.year) > YEARS_KNOWN:
            continue
        ahead = (year - today.year) * 12 + month - today.month
        if ahead > MONTHS_AHEAD or (speaks_of_one and ahead < -MONTHS_BACK):
            return True
    return False


def _months(location: HttpLocation) -> Iterator[tuple[int, int]]:
    """Years with months that the address names; of a year alone its first month. A bare number is a year only where its
    name says so, since most are offsets (`start=2050`)."""
    for found in _IN_PATH.finditer(location.path):
        yield from _month(found[1], found[2])
    for pair in re.split("[&;]", (location.query or "")[:MAX_QUERY_CHARACTERS]):
        name, _, value = pair.partition("=")
        if written := _WRITTEN_OUT.match(value):
            yield from _month(written[1], written[2])
        elif name.lower() in _YEAR_NAMES and (year := _YEAR.fullmatch(value)):
            yield int(year[1]), 1
        elif name.lower() in _DATE_NAMES and (compact := _COMPACT.fullmatch(value)):
            yield from _month(compact[1], compact[2])


def _month(year: str, month: str) -> Iterator[tuple[int, int]]:
    if 1 <= int(month) <= 12:
        yield int(year), int(month)
