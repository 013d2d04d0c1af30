"""Durations as a person types them: `90m`, `12h`, `7d`, `2w`."""

from __future__ import annotations

import re
from typing import Final

import click

from schemas.records.schedule import LEAST_SECONDS, MOST_SECONDS

_GIVEN: Final = re.compile(r"([0-9]{1,6})\s*([mhdw])")
UNITS: Final = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}


def seconds_of(given: str, option: str) -> int:
    """The seconds of a distance between visits. UsageError, which names the option, where it is none or too short."""
    found = _GIVEN.fullmatch(given.strip().lower())
    seconds = int(found[1]) * UNITS[found[2]] if found else 0
    if not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        raise click.UsageError(
            f"{option} {given[:20]!r}: write a number and a unit, such as 12h, 7d or 2w; from 1h to 5y"
        )
    return seconds


def shown_duration(seconds: int) -> str:
    """In the largest unit that divides it, `7d`, from an hour on; below in minutes, `5m`; else in hours."""
    for unit in ("d", "h", "m"):
        if seconds % UNITS[unit] == 0 and (unit != "m" or seconds < UNITS["h"]):
            return f"{seconds // UNITS[unit]}{unit}"
    return f"{seconds / UNITS['h']:.1f}h"
