"""What a visit found, by rules in a fixed order, from what the archive holds of it.

A page that has gone seldom says so with a 404: it answers 200 with an apology (`soft_404`, which the reader's rules
tell: X18), or leads to the home page. That last is believed only where the text there is not the one that was seen
before: a site that moved its only page to its root has not lost it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from scheduler.cadence.home import leads_home
from schemas.records.outcome import Outcome
from schemas.records.schedule import Version, VisitVerdict
from schemas.records.snapshot import ReaderStatus

SAME_PAGE_PPM: Final = 500_000
"""Two texts that share half of their word runs are the same page, wherever it stands now."""
_GONE: Final = frozenset({404, 410})
_REFUSED: Final = frozenset({401, 402, 403, 407, 429, 451})
_NOT_ASKED: Final = frozenset(
    {
        Outcome.ROBOTS_DENIED,
        Outcome.GUARD_DENIED,
        Outcome.OUT_OF_SCOPE,
        Outcome.BUDGET_SPENT,
        Outcome.CANCELLED,
        Outcome.PARKED,
    }
)
_COMPARABLE: Final = frozenset({ReaderStatus.OK, ReaderStatus.UNSUPPORTED_TYPE})


@dataclass(frozen=True, slots=True)
class Answer:
    """One visit as receipts and snapshots tell it. What is not known is None."""

    requested_url: str
    outcome: Outcome | None
    final_url: str | None = None
    http_status: int | None = None
    reader_status: ReaderStatus | None = None
    content_sha256: str | None = None
    text_sha256: str | None = None
    overlap_ppm: int | None = None
    """Share of common word runs with the version seen before."""


def judge(answer: Answer, seen: Version | None) -> VisitVerdict:
    """The verdict; the first rule that applies decides."""
    if answer.outcome is None or answer.outcome in _NOT_ASKED:
        return VisitVerdict.NOT_MADE
    if not answer.outcome.has_response:
        return VisitVerdict.NO_ANSWER
    return _by_status(answer) or _by_place(answer) or _by_reader(answer) or _compared(answer, seen)


def _by_status(answer: Answer) -> VisitVerdict | None:
    if answer.http_status in _GONE:
        return VisitVerdict.GONE
    if answer.http_status in _REFUSED or answer.reader_status in (ReaderStatus.BLOCKED, ReaderStatus.PAYWALL):
        return VisitVerdict.BLOCKED
    return VisitVerdict.UNREADABLE if answer.reader_status is ReaderStatus.HTTP_ERROR else None


def _by_place(answer: Answer) -> VisitVerdict | None:
    same_page = answer.overlap_ppm is not None and answer.overlap_ppm >= SAME_PAGE_PPM
    if answer.final_url is not None and leads_home(answer.requested_url, answer.final_url) and not same_page:
        return VisitVerdict.REDIRECTED_HOME
    return None


def _by_reader(answer: Answer) -> VisitVerdict | None:
    if answer.reader_status is ReaderStatus.SOFT_404:
        return VisitVerdict.SOFT_404
    return None if answer.reader_status in _COMPARABLE else VisitVerdict.UNREADABLE


def _compared(answer: Answer, seen: Version | None) -> VisitVerdict:
    """By text where both have one: bytes that differ in a token or an advertisement are no change of what is said."""
    if seen is None:
        return VisitVerdict.FIRST
    if answer.content_sha256 == seen.content_sha256:
        return VisitVerdict.UNCHANGED
    same_text = answer.text_sha256 is not None and answer.text_sha256 == seen.text_sha256
    return VisitVerdict.UNCHANGED if same_text else VisitVerdict.CHANGED
