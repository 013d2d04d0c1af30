"""What jobs have found by links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from workers.light import light
from workers.ports.frontier import QueuedUrl

LinkStanding = Literal["new", "nearer", "known", "job_budget", "host_budget", "query_budget"]
"""What a link is to its job: to be queued; queued before, but found by a longer way; queued before; or beyond what may
be found in all, on one host, or of one form of a query."""


@light
class FoundUrl:
    """A link to follow, as it would be queued. `form`: what it shares with its variations, if it has any."""

    url: QueuedUrl
    form: str | None = None


@light
class LinkBudgets:
    """How many pages a job may find by links: in all, on one host, and of one form of a query."""

    pages: int
    pages_per_host: int
    pages_per_form: int


class FoundUrls(Protocol):
    """What a job has found by links, with the least depth of each. Every call is one atomic script, or several of them
    for many links, that checks the epoch first."""

    async def offer(self, job_id: str, links: Sequence[FoundUrl], budgets: LinkBudgets) -> list[LinkStanding]:
        """What the job would make of each link. For new ones there is room in the budgets from now on; they are new
        again whenever they are offered, until they are queued."""

    async def note(self, job_id: str, links: Sequence[FoundUrl]) -> frozenset[str]:
        """Note links that are written down, before they are queued; again is harmless. Those (normalized) that the job
        had queued before."""

    async def depths(self, job_id: str, urls: Sequence[str], *, visit: int) -> Mapping[str, int]:
        """The least depth at which each of these was found; what no link led to is absent."""
