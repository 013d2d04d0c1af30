"""One URL of a batch: robots, then hop after hop until an answer that leads nowhere else.

Every hop is an exchange with records of its own. What stops a visit before an answer (robots, the
guard, a name that does not resolve) is an outcome with a reason, and leaves an exchange without a
response, so that the archive says why something is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.ids import utc_string
from schemas.records.job import JobOptions, RobotsPolicy
from schemas.records.outcome import Outcome
from schemas.urls.error import UrlError
from workers.capture.conditional import ROBOTS_CODINGS, request_headers
from workers.capture.redirects import LeadsNowhere, Redirect, may_follow, next_hop
from workers.capture.request_head import target_of
from workers.capture.robots_answer import Unreachable, robots_refusal
from workers.capture.transport import FetchRequest, Purpose, Transport
from workers.exchange import Exchange
from workers.flows.capture.robots import RobotsCache, SiteRules
from workers.flows.capture.settings import CaptureSettings
from workers.flows.capture.turns import Turns
from workers.ports import Clock, QueuedUrl

_SAME_FOR_THE_PAGE = frozenset(
    {Outcome.GUARD_DENIED, Outcome.DNS_FAILED, Outcome.CONNECT_FAILED, Outcome.TLS_FAILED, Outcome.TIMEOUT}
)
"""Failures of the robots.txt fetch that say more about the page than `robots_unreachable` does."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What one URL gave: its hops in order, the robots.txt fetches made on the way, and how it ended."""

    queued: QueuedUrl
    exchanges: tuple[Exchange, ...]
    robots: tuple[Exchange, ...]
    outcome: Outcome
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Visitor:
    """Visits URLs of one job."""

    transport: Transport
    robots: RobotsCache
    turns: Turns
    clock: Clock
    settings: CaptureSettings
    options: JobOptions

    async def visit(self, queued: QueuedUrl) -> Visit:
        """Capture one URL. Raises OutOfTime, with nothing half done, where a turn lies beyond the batch."""
        hops: list[Exchange] = []
        robots: list[Exchange] = []
        url = queued.requested_url
        while True:
            refused = await self._refused(url, robots)
            if refused is not None:
                return Visit(queued, (*hops, refused), tuple(robots), refused.outcome, refused.failure)
            exchange = await self._fetch(url, "page")
            hops.append(exchange)
            hop = next_hop(url, exchange)
            if not isinstance(hop, Redirect):
                reason = hop.reason if isinstance(hop, LeadsNowhere) else exchange.failure
                return Visit(queued, tuple(hops), tuple(robots), exchange.outcome, reason)
            if not may_follow(len(hops) - 1, self.settings.max_redirects):
                reason = f"more than {self.settings.max_redirects} redirects; the last one leads to {hop.url[:200]}"
                return Visit(queued, tuple(hops), tuple(robots), Outcome.REDIRECT_LIMIT, reason)
            url = hop.url

    async def _refused(self, url: str, robots: list[Exchange]) -> Exchange | None:
        """An exchange that never took place, where robots.txt forbids the URL or cannot be had."""
        if self.options.robots is RobotsPolicy.IGNORE:
            return None

        async def fetch(where: str) -> Exchange:
            exchange = await self._fetch(where, "robots")
            robots.append(exchange)
            return exchange

        rules = await self.robots.rules(url, fetch)
        self.turns.crawl_delay(_host(url), rules.crawl_delay)
        outcome = robots_refusal(rules.decision, url)
        if outcome is None:
            return None
        return self._no_exchange(url, *_explain(rules, outcome))

    async def _fetch(self, url: str, purpose: Purpose) -> Exchange:
        host = _host(url)
        codings = ROBOTS_CODINGS if purpose == "robots" else None
        agent = self.settings.user_agent
        headers = request_headers(agent) if codings is None else request_headers(agent, codings=codings)
        request = FetchRequest(
            url=url,
            headers=headers,
            purpose=purpose,
            allowed_networks=self.settings.allowed_networks,
            public=bool(self.settings.contact),
            verify_tls=not self.options.insecure_tls,
            limits=self.settings.limits,
        )
        async with self.turns.turn(host):
            exchange = await self.transport.fetch(request)
            self.turns.answered(host, exchange)
        return exchange

    def _no_exchange(self, url: str, outcome: Outcome, failure: str) -> Exchange:
        return Exchange(url=_fetched(url), started_at=utc_string(self.clock.now()), outcome=outcome, failure=failure)


def _explain(rules: SiteRules, outcome: Outcome) -> tuple[Outcome, str]:
    """The outcome for the page, and a sentence with its reason."""
    if isinstance(rules.decision, Unreachable):
        last = rules.last
        if last is not None and last.response is None and last.outcome in _SAME_FOR_THE_PAGE:
            return last.outcome, last.failure or rules.decision.reason
        return outcome, rules.decision.reason
    return outcome, "robots.txt does not allow this URL"


def _host(url: str) -> str:
    """Politeness key: host and port."""
    target = target_of(url)
    return url[:200] if isinstance(target, UrlError) else target.authority


def _fetched(url: str) -> str:
    target = target_of(url)
    return url if isinstance(target, UrlError) else target.url
