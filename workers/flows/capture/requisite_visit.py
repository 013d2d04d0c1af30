"""What one requisite gave, on its way to the recorder: like a visit, but of a page and not of a URL of the job."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.records.outcome import Outcome
from workers.capture.requisites.wanted import Wanted
from workers.exchange import Exchange
from workers.flows.capture.recall import Recall, confirmed_last
from workers.ports import Original


@dataclass(frozen=True, slots=True)
class RequisiteVisit:
    """Hops in order (none where it was not asked for), the robots.txt fetches made on the way, and how it ended."""

    wanted: Wanted
    page_record: str
    exchanges: tuple[Exchange, ...]
    robots: tuple[Exchange, ...]
    outcome: Outcome
    failure: str | None = None
    recalls: tuple[Recall, ...] = ()
    """What was known of each hop's URL; shorter than `exchanges` where the last one never took place."""
    remarks: tuple[str, ...] = ()

    @property
    def confirms(self) -> Original | None:
        """The response that the last answer stands for, where that is a believed 304."""
        return confirmed_last(self.exchanges, self.recalls)
