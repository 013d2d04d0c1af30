"""What the URLs of a job answered, counted while its receipts are read: `captured` alone does not tell a page from an
error page, nor `revisit` what was unchanged from an error that came again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from schemas.records.outcome import Outcome, UrlOutcome

MOST_LISTED: Final = 1_000
_UNCHANGED: Final = frozenset({Outcome.REVISIT, Outcome.NOT_MODIFIED})


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """A URL that was answered, with an error."""

    requested_url: str
    status: int


@dataclass(slots=True)
class Answers:
    """Each URL counts once, by the first receipt that has an answer for it. By the status of the last hop: 2xx and 304
    are good, 4xx and 5xx are errors."""

    good: int = 0
    unchanged: int = 0
    """Of the good ones: the content was captured before, of this URL or of another one."""
    statuses: Counter[int] = field(default_factory=Counter)
    """Of those that are not good; 0 where there is none."""
    errors: list[ErrorAnswer] = field(default_factory=list)
    """The first thousand."""
    _of_segment: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: UrlOutcome, segment_id: str) -> None:
        """One that has a response."""
        self._of_segment[segment_id] += 1
        status = (outcome.final.http_status if outcome.final is not None else None) or 0
        if 200 <= status < 300 or status == 304:
            self.good += 1
            self.unchanged += outcome.outcome in _UNCHANGED
            return
        self.statuses[status] += 1
        if status >= 400 and len(self.errors) < MOST_LISTED:
            self.errors.append(ErrorAnswer(outcome.requested_url, status))

    @property
    def number(self) -> int:
        return self.good + self.statuses.total()

    def published(self, segments: Collection[str]) -> int:
        """How many of them are in the log, which has these segments."""
        return sum(self._of_segment[segment] for segment in segments)

    def sentence(self, published: Collection[str]) -> str:
        """For people; `published`: segments in the log."""
        if not self.number:
            return "answers: none yet"
        same = f" ({self.unchanged} the same as an earlier capture, and kept once)" if self.unchanged else ""
        told = [
            f"{self.good} good{same}",
            *self._told("with an error", 400, 1000),
            *self._told("of another kind", 0, 400),
        ]
        return f"answers: {', '.join(told)}; {self.published(published)} of {self.number} published"

    def as_json(self, published: Collection[str]) -> dict[str, JsonValue]:
        """The same for programs."""
        return {
            "good": self.good,
            "unchanged": self.unchanged,
            "errors": sum(count for status, count in self.statuses.items() if status >= 400),
            "statuses": {str(status): count for status, count in sorted(self.statuses.items())},
            "published": self.published(published),
            "error_urls": [{"url": each.requested_url, "status": each.status} for each in self.errors],
        }

    def _told(self, name: str, least: int, below: int) -> list[str]:
        found = {status: count for status, count in sorted(self.statuses.items()) if least <= status < below}
        each = ", ".join(f"{status or 'no status'}: {count}" for status, count in found.items())
        return [f"{sum(found.values())} {name} ({each})"] if found else []
