"""What a site's robots.txt says: fetched once per origin, its exchanges archived like any others (RFC 9309)."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from schemas.records.outcome import Outcome
from schemas.urls.error import UrlError
from workers.capture.limits import MAX_ROBOTS_REDIRECTS
from workers.capture.redirects import Redirect, next_hop
from workers.capture.robots import robots_url
from workers.capture.robots_answer import RobotsDecision, Rules, Unreachable, robots_decision
from workers.exchange import Exchange
from workers.ports import Clock

FRESH_SECONDS = 3600.0  # RFC 9309, 2.4: a cached copy should not be used for more than 24 hours
RETRY_SECONDS = 60.0
MAX_ORIGINS = 2_000

FetchRobots = Callable[[str], Awaitable[Exchange]]


@dataclass(frozen=True, slots=True)
class SiteRules:
    """The decision for one origin, and the exchange that it rests on."""

    decision: RobotsDecision
    last: Exchange | None

    @property
    def depends_on_the_job(self) -> bool:
        """Whether another job's options (opened networks, unverified certificates) could have got another answer."""
        return self.last is not None and self.last.outcome in (Outcome.GUARD_DENIED, Outcome.TLS_FAILED)

    @property
    def crawl_delay(self) -> float | None:
        return self.decision.rules.crawl_delay if isinstance(self.decision, Rules) else None


class RobotsCache:
    """Rules of the origins that a worker process has met lately."""

    def __init__(self, token: str, clock: Clock) -> None:
        self._token = token
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, SiteRules]] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}

    async def rules(self, url: str, fetch: FetchRobots) -> SiteRules:
        """The rules that hold for a URL; `fetch` is asked only where no fresh copy is at hand."""
        where = robots_url(url)
        if isinstance(where, UrlError):
            return SiteRules(Unreachable(where.message), None)
        lock = self._locks.setdefault(where, asyncio.Lock())
        async with lock:
            fresh = self._fresh(where)
            if fresh is None:
                fresh = await self._fetch(where, fetch)
                if not fresh.depends_on_the_job:
                    self._remember(where, fresh)
        self._locks.pop(where, None)
        return fresh

    async def _fetch(self, where: str, fetch: FetchRobots) -> SiteRules:
        exchange = await fetch(where)
        for _ in range(MAX_ROBOTS_REDIRECTS):
            hop = next_hop(where, exchange)
            if not isinstance(hop, Redirect):
                break
            where = hop.url
            exchange = await fetch(where)
        return SiteRules(robots_decision(exchange, self._token), exchange)

    def _fresh(self, where: str) -> SiteRules | None:
        entry = self._known.get(where)
        if entry is None or entry[0] < self._clock.monotonic():
            return None
        self._known.move_to_end(where)
        return entry[1]

    def _remember(self, where: str, rules: SiteRules) -> None:
        good_for = RETRY_SECONDS if isinstance(rules.decision, Unreachable) else FRESH_SECONDS
        self._known[where] = (self._clock.monotonic() + good_for, rules)
        self._known.move_to_end(where)
        while len(self._known) > MAX_ORIGINS:
            self._known.popitem(last=False)
