"""What a site's robots.txt says: fetched once a day per scheme, host and port, its exchanges archived like any
others (RFC 9309).

Each process remembers the sites that it has met, all workers share what they learned, and a page costs
no look-up but the first one of its site in a process.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import datetime
from weakref import WeakValueDictionary

from schemas.records.outcome import Outcome
from schemas.urls.error import UrlError
from workers.capture.limits import MAX_ROBOTS_REDIRECTS
from workers.capture.redirects import Redirect, next_hop
from workers.capture.robots import robots_url
from workers.capture.robots_answer import RobotsDecision, Rules, Unreachable, robots_decision
from workers.capture.robots_copy import FRESH, STALE, SiteCopy, after, is_due, newer, pack, standing, unpack
from workers.exchange import Exchange
from workers.light import light
from workers.ports import Clock, RobotsCopies

MAX_SITES = 2_000
LATELY_SECONDS = 1.0
"""For which rules hold without a look at the clock's date: a hundred pages' worth for a quick site, and nothing beside
the day for which a copy is good."""
SHARED_SECONDS = (STALE + FRESH).total_seconds()
_OF_THE_JOB = frozenset({Outcome.GUARD_DENIED, Outcome.TLS_FAILED})
"""Failures that another job's options (networks that it opens, certificates that it does not verify) would not meet."""

FetchRobots = Callable[[str], Awaitable[Exchange]]


@light
class SiteRules:
    """What holds for one site."""

    decision: RobotsDecision
    last: Exchange | None = None
    """The last exchange of the fetch, where one was made for this call."""
    failure: Outcome | None = None
    """Why the site itself gave no answer, where it gave none; a host that it redirects to says nothing of its pages."""
    of_the_job: bool = False
    """Another job might get an answer, since it opens other networks or verifies no certificates."""
    copy_of: datetime | None = None
    """For rules of a site that cannot be reached now: when they came."""

    @property
    def crawl_delay(self) -> float | None:
        return self.decision.rules.crawl_delay if isinstance(self.decision, Rules) else None


class RobotsCache:
    """Rules of the sites that a worker process has met lately, in front of those that all workers have met."""

    def __init__(self, token: str, clock: Clock, copies: RobotsCopies) -> None:
        self._token = token
        self._clock = clock
        self._copies = copies
        self._known: OrderedDict[str, SiteCopy] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._lately: dict[str, tuple[SiteRules, float]] = {}
        """What held for sites that were asked about just now, and until when (monotonic) nobody looks again."""

    def at_hand(self, url: str, *, verified: bool = True) -> SiteRules | None:
        """The rules that hold for a URL where a fresh copy is at hand, as for nearly every page; None: ask for them."""
        where = robots_url(url)
        if isinstance(where, UrlError):
            return None
        site = where if verified else f"unverified {where}"
        said, until = self._lately.get(site, (None, 0.0))
        moment = self._clock.monotonic()
        if moment < until:
            return said
        known, now = self._known.get(site), self._clock.now()
        if known is None or is_due(known, now):
            return None
        self._known.move_to_end(site)
        rules = _rules_of(known, None, now)
        self._lately[site] = rules, moment + LATELY_SECONDS
        return rules

    async def rules(self, url: str, fetch: FetchRobots, *, verified: bool = True) -> SiteRules:
        """The rules that hold for a URL; `fetch` is asked only where no fresh copy is at hand. What came over
        connections that were not `verified` is for such connections alone, and stays in this process."""
        where = robots_url(url)
        if isinstance(where, UrlError):
            return SiteRules(Unreachable(where.message))
        site = where if verified else f"unverified {where}"
        lock = self._locks.setdefault(site, asyncio.Lock())
        async with lock:
            copy, exchange = await self._current(site, where, fetch, shared=verified)
        return copy if isinstance(copy, SiteRules) else _rules_of(copy, exchange, self._clock.now())

    async def _current(
        self, site: str, where: str, fetch: FetchRobots, *, shared: bool
    ) -> tuple[SiteCopy | SiteRules, Exchange | None]:
        """A copy that is not due, and the exchange that it took to get it. Rules instead of a copy are those of one job
        only."""
        copy = self._known.get(site)
        if copy is not None and not is_due(copy, self._clock.now()):
            self._known.move_to_end(site)
            return copy, None
        if shared:
            found = await self._copies.get(site)
            copy = newer(copy, None if found is None else unpack(found, self._token))
            if copy is not None and not is_due(copy, self._clock.now()):
                self._remember(site, copy)
                return copy, None
        exchange = await self._fetch(where, fetch)
        decision = robots_decision(exchange, self._token)
        failure = exchange.outcome if exchange.response is None and robots_url(exchange.url) == where else None
        if exchange.outcome in _OF_THE_JOB:
            return SiteRules(decision, exchange, failure, of_the_job=True), exchange
        copy = after(copy, decision, self._clock.now(), failure=failure)
        self._remember(site, copy)
        packed = pack(copy, self._token) if shared else None
        if packed is not None:
            await self._copies.put(site, packed, seconds=SHARED_SECONDS)
        return copy, exchange

    async def _fetch(self, where: str, fetch: FetchRobots) -> Exchange:
        """The last exchange, after five redirects at most, to whatever host (2.3.1.2); a circle is left at once."""
        seen = {where}
        exchange = await fetch(where)
        for _ in range(MAX_ROBOTS_REDIRECTS):
            hop = next_hop(where, exchange)
            if not isinstance(hop, Redirect) or hop.url in seen:
                break
            where = hop.url
            seen.add(where)
            exchange = await fetch(where)
        return exchange

    def _remember(self, site: str, copy: SiteCopy) -> None:
        self._known[site] = copy
        self._known.move_to_end(site)
        self._lately.pop(site, None)
        while len(self._known) > MAX_SITES:
            forgotten, _ = self._known.popitem(last=False)
            self._lately.pop(forgotten, None)


def _rules_of(copy: SiteCopy, exchange: Exchange | None, now: datetime) -> SiteRules:
    decision = standing(copy, now)
    serves = copy.failures > 0 and not isinstance(decision, Unreachable)
    return SiteRules(decision, exchange, copy.failure, copy_of=copy.decided_at if serves else None)
