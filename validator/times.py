"""Times against the one clock there is, the time that the caller gives (`schemas/README.md, Trust`)."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.findings import FindingKind
from validator.found import Found


def sortable(utc: str) -> str:
    """An RFC 3339 time in UTC with nine digits of fraction, so that strings compare as times do."""
    whole, _, fraction = utc.removesuffix("Z").partition(".")
    return f"{whole}.{fraction:0<9}"


def check_times(times: Iterable[tuple[str, str]], now: str | None, found: Found, *, path: str | None = None) -> None:
    """Pairs of JSON Pointer and time; none may lie after `now`."""
    if now is None:
        return
    limit = sortable(now)
    for where, utc in times:
        found.looked_at("times")
        if sortable(utc) > limit:
            found.add(FindingKind.TIME_FUTURE, pointer=where, path=path, expected=f"at most {now}", actual=utc)
