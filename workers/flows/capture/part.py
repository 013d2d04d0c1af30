"""One part of a batch as it grows: what its receipt will say, beside its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.records.outcome import Hop, UnfinishedVisit, UrlOutcome
from schemas.records.requisite import RequisiteOutcome
from workers.archive.journal import Standing, Told
from workers.flows.capture.tally import Tally


@dataclass(slots=True)
class Part:
    """A segment with what its receipt says of it."""

    segment: str
    attempt: str
    opened_at: str
    outcomes: list[UrlOutcome] = field(default_factory=list)
    json: list[bytes] = field(default_factory=list)
    """The same, as the receipt will have them."""
    unfinished: list[UnfinishedVisit] = field(default_factory=list)
    robots: list[Hop] = field(default_factory=list)
    requisites: list[RequisiteOutcome] = field(default_factory=list)
    pending: dict[str, None] = field(default_factory=dict)
    """Normalized URLs among `outcomes` whose requisites are still being fetched."""
    completed: list[UrlOutcome] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    def add(
        self, told: Told | None, robots: Sequence[Hop], standing: Standing = "ended", json: bytes | None = None
    ) -> None:
        """One visit: done, unfinished, of a requisite, or with nothing but robots.txt. `json`: of what is told,
        where it is at hand."""
        self.robots += robots
        match told:
            case RequisiteOutcome():
                self.requisites.append(told)
            case UnfinishedVisit():
                self.unfinished.append(told)
            case UrlOutcome() if standing == "completed":
                self._complete(told)
            case UrlOutcome():
                self.outcomes.append(told)
                self.json.append(json or told.model_dump_json().encode())
                if standing == "pending":
                    self.pending[told.normalized_url] = None

    def _complete(self, page: UrlOutcome) -> None:
        if page.normalized_url in self.pending:
            del self.pending[page.normalized_url]
        else:  # an earlier part has it as pending
            self.completed.append(page)
