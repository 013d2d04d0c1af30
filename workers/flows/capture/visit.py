"""One URL of a batch: robots, then hop after hop until an answer that leads nowhere else.

Every hop is an exchange with records of its own. What stops a visit before an answer (robots, the
guard, a name that does not resolve) is an outcome with a reason, and leaves an exchange without a
response, so that the archive says why something is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from schemas.ids import utc_string
from schemas.records.job import JobOptions, RobotsPolicy
from schemas.records.outcome import Outcome
from schemas.urls.error import UrlError
from workers.capture.belief import disbelief, hidden_change
from workers.capture.conditional import CODINGS, ROBOTS_CODINGS, Headers, condition, request_headers
from workers.capture.limits import FetchLimits, robots_limits
from workers.capture.redirects import LeadsNowhere, Redirect, may_follow, next_hop
from workers.capture.request_head import host_of, target_of
from workers.capture.robots import robots_url
from workers.capture.robots_answer import Unreachable, robots_refusal
from workers.capture.transport import FetchRequest, Purpose, Transport
from workers.capture.validators import Validators
from workers.exchange import Exchange
from workers.flows.capture.recall import Memory, Recall, confirmed_last
from workers.flows.capture.robots import RobotsCache, SiteRules
from workers.flows.capture.settings import CaptureSettings
from workers.flows.capture.turns import OutOfTime, Turns
from workers.light import light
from workers.ports import Clock, Original, QueuedUrl

_SAME_FOR_THE_PAGE = frozenset(
    {Outcome.GUARD_DENIED, Outcome.DNS_FAILED, Outcome.CONNECT_FAILED, Outcome.TLS_FAILED, Outcome.TIMEOUT}
)
"""Failures of the robots.txt fetch that say more about the page than `robots_unreachable` does."""


@light
class Visit:
    """What one URL gave: its hops in order, the robots.txt fetches made on the way, and how it ended."""

    queued: QueuedUrl
    exchanges: tuple[Exchange, ...]
    robots: tuple[Exchange, ...]
    outcome: Outcome
    failure: str | None = None
    recalls: tuple[Recall, ...] = ()
    """What was known of each hop's URL; shorter than `exchanges` where the last one never took place."""
    remarks: tuple[str, ...] = ()
    """What a person should know of a server that answered wrongly."""

    @property
    def confirms(self) -> Original | None:
        """The response that the last answer stands for, where that is a believed 304."""
        return confirmed_last(self.exchanges, self.recalls)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What one URL had given when a host could not be asked in time."""

    queued: QueuedUrl
    exchanges: tuple[Exchange, ...]
    robots: tuple[Exchange, ...]
    host: str
    """Which host that was."""
    resumes_at: str | None
    """Where the visit goes on; None: where it began."""
    recalls: tuple[Recall, ...] = ()

    @property
    def reason(self) -> str:
        """Why it ended, as a sentence."""
        return f"{self.host} could not be asked in time"


@light
class Ending:
    """How a way from hop to hop ended."""

    outcome: Outcome
    failure: str | None


@dataclass(slots=True)
class Hops:
    """What a visit, or one requisite of a page, has gathered so far."""

    exchanges: list[Exchange] = field(default_factory=list)
    recalls: list[Recall] = field(default_factory=list)
    robots: list[Exchange] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    redirects: int = 0
    dress: Callable[[Exchange], Exchange] = lambda exchange: exchange
    """What every exchange gets with it, such as what it was fetched for."""

    def add(self, exchange: Exchange, recall: Recall, remark: str | None = None) -> Exchange:
        """Keep a hop; a remark stands beside its records and in the receipt."""
        exchange = self.dress(exchange)
        if remark is not None:
            exchange = replace(exchange, notes=(*exchange.notes, remark))
            self.remarks.append(f"{exchange.url[:200]}: {remark}")
        self.exchanges.append(exchange)
        self.recalls.append(recall)
        return exchange

    def follow(self, url: str, exchange: Exchange, most: int) -> str | Ending:
        """Where an answer leads, or that it is the last one. `most`: redirects that are followed."""
        hop = next_hop(url, exchange)
        if not isinstance(hop, Redirect):
            return Ending(exchange.outcome, hop.reason if isinstance(hop, LeadsNowhere) else exchange.failure)
        if not may_follow(self.redirects, most):
            reason = f"more than {most} redirects; the last one leads to {hop.url[:200]}"
            return Ending(Outcome.REDIRECT_LIMIT, reason)
        self.redirects += 1
        return hop.url

    def visit(self, queued: QueuedUrl, outcome: Outcome, failure: str | None) -> Visit:
        return Visit(
            queued,
            tuple(self.exchanges),
            tuple(self.robots),
            outcome,
            failure,
            recalls=tuple(self.recalls),
            remarks=tuple(self.remarks),
        )

    def unfinished(self, queued: QueuedUrl, host: str, url: str) -> Unfinished:
        """What there is, where `host` could not be asked in time for `url`."""
        return Unfinished(
            queued,
            tuple(self.exchanges),
            tuple(self.robots),
            host,
            url if self.exchanges else None,
            recalls=tuple(self.recalls),
        )


@dataclass(frozen=True, slots=True)
class Visitor:
    """Visits URLs of one job."""

    transport: Transport
    memory: Memory
    robots: RobotsCache
    turns: Turns
    clock: Clock
    settings: CaptureSettings
    options: JobOptions
    usual_headers: Headers = field(init=False)
    """Of a page that is asked for without conditions."""
    closed: dict[str, SiteRules] = field(default_factory=dict)
    """Sites whose robots.txt this job in particular cannot have: it is not tried again for each of their pages."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "usual_headers", request_headers(self.settings.user_agent))

    async def visit(self, queued: QueuedUrl) -> Visit | Unfinished:
        """Capture one URL, from where an earlier batch left it; as far as its hosts can be asked in time."""
        hops = Hops(redirects=len(queued.via))
        url = queued.resumes_at or queued.requested_url
        while True:
            try:
                refused = await self.refused(url, queued.host, hops.robots)
                if refused is not None:
                    hops.exchanges.append(refused)
                    return hops.visit(queued, refused.outcome, refused.failure)
                exchange = await self.answer(url, queued.host, hops)
            except OutOfTime as late:
                return hops.unfinished(queued, late.host, url)
            following = hops.follow(url, exchange, self.settings.max_redirects)
            if isinstance(following, Ending):
                return hops.visit(queued, following.outcome, following.failure)
            url = following

    async def answer(
        self, url: str, own_host: str, hops: Hops, *, purpose: Purpose = "page", limits: FetchLimits | None = None
    ) -> Exchange:
        """Fetch a hop: on the conditions that its URL's newest capture allows, and once more in full where the answer
        to them is not believed. Both exchanges are hops, with records of their own. Raises OutOfTime."""
        where = fetched_url(url)
        known = await self.memory.of(where)
        fresh = known is None or self.options.fresh
        ask = None if fresh else condition(known, where, self.clock.now())
        exchange = await self._fetch(url, own_host, purpose, ask=ask, limits=limits)
        reason = disbelief(exchange, known if ask else None)
        if reason is not None:
            hops.add(
                exchange, Recall(known, distrusted=ask is not None), f"not believed, asked again in full: {reason}"
            )
            exchange = await self._fetch(url, own_host, purpose, past_caches=True, limits=limits)
        elif known is None:
            return hops.add(exchange, Recall())
        change = hidden_change(exchange, known)
        believed = ask is not None and reason is None
        recall = Recall(known, asked=believed, distrusted=change is not None or (ask is not None and not believed))
        return hops.add(exchange, recall, change or (disbelief(exchange, None) if reason is not None else None))

    async def refused(self, url: str, own_host: str, robots: list[Exchange]) -> Exchange | None:
        """An exchange that never took place, where robots.txt forbids the URL or cannot be had; None: go on. What is
        fetched for that is added to `robots`."""
        if self.options.robots is RobotsPolicy.IGNORE:
            return None
        verified = not self.options.insecure_tls
        rules = None if self.closed else self.robots.at_hand(url, verified=verified)
        if rules is None:
            rules = await self._rules(url, own_host, robots, verified=verified)
        self.turns.crawl_delay(host_of(url), rules.crawl_delay)
        outcome = robots_refusal(rules.decision, url)
        if outcome is None:
            return None
        return self.no_exchange(url, *_explain(rules, outcome))

    async def _rules(self, url: str, own_host: str, robots: list[Exchange], *, verified: bool) -> SiteRules:
        """The rules for a URL, fetched where need be."""

        async def fetch(where: str) -> Exchange:
            exchange = await self._fetch(where, own_host, "robots", limits=robots_limits(self.settings.limits))
            robots.append(exchange)
            return exchange

        rules = self.closed.get(str(robots_url(url))) if self.closed else None
        if rules is None:
            rules = await self.robots.rules(url, fetch, verified=verified)
        if rules.of_the_job:
            self.closed[str(robots_url(url))] = rules
        if rules.copy_of is not None and rules.last is not None:
            note = f"robots.txt cannot be had; the copy of {utc_string(rules.copy_of)} is obeyed meanwhile"
            robots[-1] = replace(robots[-1], notes=(*robots[-1].notes, note))
        return rules

    async def _fetch(
        self,
        url: str,
        own_host: str,
        purpose: Purpose,
        *,
        ask: Validators | None = None,
        past_caches: bool = False,
        limits: FetchLimits | None = None,
    ) -> Exchange:
        """One exchange, when its host's turn has come. `own_host` is the one that the batch has for this URL; any other
        is asked by permit, with some patience. Raises OutOfTime."""
        host = host_of(url)
        headers = self.usual_headers
        if ask is not None or past_caches or purpose == "robots":
            codings = ROBOTS_CODINGS if purpose == "robots" else CODINGS
            headers = request_headers(self.settings.user_agent, ask=ask, codings=codings, past_caches=past_caches)
        request = FetchRequest(
            url=url,
            headers=headers,
            purpose=purpose,
            allowed_networks=self.settings.allowed_networks,
            public=bool(self.settings.contact),
            verify_tls=not self.options.insecure_tls,
            limits=limits or self.settings.limits,
        )
        own = host == own_host
        patience = None if own else self.settings.permit_patience_seconds
        async with self.turns.turn(host, own=own, patience_seconds=patience, url=request.url):
            exchange = await self.transport.fetch(request)
            await self.turns.answered(host, exchange)
        return exchange

    def no_exchange(self, url: str, outcome: Outcome, failure: str) -> Exchange:
        """An exchange that does not take place, and why."""
        return Exchange(url=fetched_url(url), started_at=utc_string(self.clock.now()), outcome=outcome, failure=failure)


def _explain(rules: SiteRules, outcome: Outcome) -> tuple[Outcome, str]:
    """The outcome for the page, and a sentence with its reason."""
    if isinstance(rules.decision, Unreachable):
        if rules.failure in _SAME_FOR_THE_PAGE:
            return rules.failure, rules.decision.reason.removeprefix("robots.txt: ")
        return outcome, rules.decision.reason
    return outcome, "robots.txt does not allow this URL"


def fetched_url(url: str) -> str:
    """The URL as it goes over the wire, and stands in records; as given where it cannot be fetched."""
    target = target_of(url)
    return url if isinstance(target, UrlError) else target.url
