"""What pages show, prepared: bars as widths, times as people read them, and sections that may be missing."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import urlsplit

from scheduler.web.answers import JobSummary
from scheduler.web.room import in_time
from schemas.judging import HIDING
from schemas.records.outcome import Outcome
from workers.errors import CitevaultError

T = TypeVar("T")

BAR_UNITS = 1000
KINDS: Mapping[Outcome, str] = {
    Outcome.CAPTURED: "good",
    Outcome.REVISIT: "same",
    Outcome.NOT_MODIFIED: "same",
    Outcome.TRUNCATED: "partly",
    Outcome.MALFORMED: "partly",
    Outcome.REDIRECT_LIMIT: "partly",
    Outcome.ROBOTS_DENIED: "refused",
    Outcome.ROBOTS_UNREACHABLE: "refused",
    Outcome.GUARD_DENIED: "refused",
    Outcome.OUT_OF_SCOPE: "refused",
    Outcome.BUDGET_SPENT: "refused",
    Outcome.CANCELLED: "refused",
    Outcome.PARKED: "failed",
}
"""Colour of an outcome; those not named are failures of the network."""


@dataclass(frozen=True, slots=True)
class Section(Generic[T]):
    """A part of a page: what it shows, or why it cannot."""

    value: T | None
    error: CitevaultError | None = None


async def section(name: str, looked_up: Awaitable[T], seconds: float) -> Section[T]:
    """What was found, or the error in words, after so many seconds at most."""
    try:
        return Section(await in_time(name, looked_up, seconds))
    except CitevaultError as error:
        return Section(None, error)


@dataclass(frozen=True, slots=True)
class BarPart:
    """A piece of a bar, in thousandths of its length."""

    kind: str
    label: str
    count: int
    start: int
    width: int


def kind_of(outcome: Outcome) -> str:
    """Which colour stands for an outcome."""
    return KINDS.get(outcome, "failed")


def job_bar(job: JobSummary) -> list[BarPart]:
    """Outcomes of a job as pieces of a bar; what has none yet is the empty rest."""
    parts = [
        (kind_of(outcome), outcome.value.replace("_", " "), count)
        for outcome, count in sorted(job.outcomes.items(), key=lambda item: list(Outcome).index(item[0]))
    ]
    return bar(parts, job.known)


def bar(parts: Sequence[tuple[str, str, int]], total: int) -> list[BarPart]:
    """Pieces in order. Each that counts anything is seen; rounding shifts ends, never adds up beyond the whole."""
    whole = max(total, sum(count for _, _, count in parts), 1)
    ends = [round(BAR_UNITS * done / whole) for done in itertools.accumulate(count for _, _, count in parts)]
    starts = [0, *ends][:-1]
    return [
        BarPart(kind, label, count, start, max(end - start, 4 if count else 0))
        for (kind, label, count), start, end in zip(parts, starts, ends, strict=True)
    ]


def seen(text: str) -> str:
    """A text of somebody's without what would not be seen, or would turn round what follows it."""
    return HIDING.sub("\N{REPLACEMENT CHARACTER}", text)


def moment(utc: str) -> str:
    """`2026-08-22T03:15:00.5Z` as `2026-08-22 03:15:00`."""
    return utc[:19].replace("T", " ")


def web_link(url: str) -> str | None:
    """A URL that may become a link: http and https only."""
    try:
        return url if urlsplit(url).scheme.lower() in ("http", "https") else None
    except ValueError:
        return None


def grouped(number: int) -> str:
    """`1234567` as `1 234 567`, with narrow spaces."""
    return f"{number:,}".replace(",", "\u202f")


def size(count: int) -> str:
    """Bytes for people."""
    value = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            return f"{count} bytes" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1024
    raise AssertionError("unreachable")
