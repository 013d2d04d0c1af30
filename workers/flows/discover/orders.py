"""What a job asks of links, read from its objects once a process: options, and the places of all its seeds."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from schemas.records.job import RobotsPolicy, Scope, StoredJob
from schemas.urls.error import UrlError
from schemas.urls.location import read_http_url
from workers.catalog.jobs import load_job, seeds_of
from workers.discover.exclude import BadPattern, Exclusion, read_exclusion
from workers.discover.judge import LinkRules
from workers.discover.scope import CrawlScope, Place, place_of
from workers.errors import PermanentError
from workers.ports import LinkBudgets, ObjectStore

HELD: Final = 16
PAGES_OF_A_FORM: Final = 1000
"""URLs that differ in the values or the order of several parameters only: shops make millions of them."""


@dataclass(frozen=True, slots=True)
class CrawlOrder:
    """How a job follows links."""

    rules: LinkRules
    depth: int
    visit: int
    budgets: LinkBudgets
    sitemaps: bool = False
    """Whether what sitemaps among its pages list is followed."""


@dataclass(slots=True)
class CrawlOrders:
    """Orders of the jobs that a process meets. Jobs never change, so what was read once stays right."""

    store: ObjectStore
    _held: OrderedDict[str, CrawlOrder] = field(default_factory=OrderedDict)

    async def of(self, job_id: str) -> CrawlOrder:
        """The order of a job. ObjectMissingError, CorruptError where its objects cannot be had."""
        if job_id not in self._held:
            self._held[job_id] = await self._read(job_id)
            while len(self._held) > HELD:
                self._held.popitem(last=False)
        self._held.move_to_end(job_id)
        return self._held[job_id]

    async def _read(self, job_id: str) -> CrawlOrder:
        job = await load_job(self.store, job_id)
        options = job.options
        return CrawlOrder(
            rules=LinkRules(
                await _scope(self.store, job),
                exclusions(options.exclude),
                obeys_nofollow=options.robots is RobotsPolicy.OBEY,
            ),
            depth=options.depth,
            visit=job.visit,
            budgets=LinkBudgets(options.max_pages, options.max_pages_per_host, PAGES_OF_A_FORM),
            sitemaps=options.sitemaps,
        )


def exclusions(patterns: tuple[str, ...]) -> tuple[Exclusion, ...]:
    """Patterns of a job. PermanentError where one cannot be used: following what somebody excluded would be worse."""
    read = []
    for pattern in patterns:
        exclusion = read_exclusion(pattern)
        if isinstance(exclusion, BadPattern):
            raise PermanentError(
                exclusion.message, where=f"exclude {pattern[:80]!r}", next_step="hand the job in with another pattern"
            )
        read.append(exclusion)
    return tuple(read)


async def _scope(store: ObjectStore, job: StoredJob) -> CrawlScope:
    kind = job.options.scope
    places: set[Place] = set()
    if kind is not Scope.PAGE:
        async for seed in seeds_of(store, job):
            location = read_http_url(seed.normalized_url)
            if not isinstance(location, UrlError):
                places.add(place_of(kind, location))
    return CrawlScope.over(kind, places)
