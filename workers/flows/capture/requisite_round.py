"""One page's requisites, one after the other, of whichever host may be asked first.

In the host's turn or by permit, within robots, guard and pacing, as far as the page's limits go. A style
sheet or a frame names others, which then wait with the rest. Whatever takes place is written at once.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from schemas.records.outcome import Outcome
from schemas.records.requisite import RequisiteKind
from workers.capture.limits import FetchLimits
from workers.capture.request_head import host_of
from workers.capture.requisites.wanted import Needs, RequisiteLimits, Wanted
from workers.exchange import Exchange
from workers.flows.capture.confirmed import ConfirmedDocuments
from workers.flows.capture.recorder import Recorder
from workers.flows.capture.requisite_claims import Claims
from workers.flows.capture.requisite_documents import Document, Searched, document_of, search
from workers.flows.capture.requisite_visit import RequisiteVisit
from workers.flows.capture.turns import OutOfTime
from workers.flows.capture.visit import Ending, Hops, Visit, Visitor, fetched_url
from workers.ports import Original

EMBEDDED = "E"  # one letter a hop, as crawlers write the path from a seed: a requisite, and R for a redirect of it
REDIRECTED = "R"


@dataclass(frozen=True, slots=True)
class Naming:
    """A document that names requisites: the page itself (`parent` None), or one of its sheets and frames."""

    found_in: str
    searched: Searched
    parent: Wanted | None = None


@dataclass(slots=True)
class Round:
    """One page's requisites, from the first to the last."""

    visitor: Visitor
    recorder: Recorder
    claims: Claims
    confirmed: ConfirmedDocuments
    limits: RequisiteLimits
    own_host: str
    """The host that the batch has for the page; any other is asked by permit."""
    page_record: str
    ends_at: float
    turned_away: Counter[str] = field(default_factory=Counter)
    """How often a host that others were asking had no turn to give."""
    resting: dict[str, float] = field(default_factory=dict)
    """When such a host is worth another try, by the clock's monotonic seconds."""
    robots: dict[str, list[Exchange]] = field(default_factory=dict)
    """robots.txt fetched for a requisite that waits for another try."""

    async def run(self, namings: Sequence[Naming]) -> bool:
        """Fetch and write them all; False: the worker is to stop, and what is left has no outcome yet."""
        needs = Needs(self.limits)
        closing = self.visitor.turns.closing
        for naming in namings:
            await self._add(needs, naming)
        while (wanted := needs.take(self._pause)) is not None:
            if closing.is_set():
                return False
            left = self.ends_at - self.visitor.clock.monotonic()
            pause = self._pause(wanted.host)
            refusal = needs.refusal(left)
            if refusal is None and (pause >= left or self.turned_away[wanted.host] >= self.limits.tries_at_host):
                refusal = _not_in_time(wanted.host)
            if refusal is not None:
                await self._leave(wanted, refusal)
                continue
            await self.visitor.turns.pause(pause)
            await self._one(needs, wanted)
        return True

    def _pause(self, host: str) -> float:
        """How long until a host is worth a try."""
        rest = self.resting.get(host, 0.0) - self.visitor.clock.monotonic()
        return max(0.0, rest, self.visitor.turns.seconds_until_ready(host))

    async def _one(self, needs: Needs, wanted: Wanted) -> None:
        hops = Hops(robots=self.robots.pop(wanted.found.url, []))
        try:
            ending = await self._follow(needs, wanted, hops)
        except OutOfTime as late:
            self.turned_away[late.host] += 1
            self.resting[late.host] = self.visitor.clock.monotonic() + self.limits.rest_seconds
            if not hops.exchanges or self.visitor.turns.closing.is_set():  # another of the page's hosts, then again
                self.robots[wanted.found.url] = hops.robots
                needs.add(wanted)
                return
            ending = Ending(Outcome.BUDGET_SPENT, _not_in_time(late.host))
        needs.spend(sum(hop.response.content.size for hop in hops.exchanges if hop.response is not None))
        visit = RequisiteVisit(
            wanted,
            self.page_record,
            tuple(hops.exchanges),
            tuple(hops.robots),
            ending.outcome,
            ending.failure,
            recalls=tuple(hops.recalls),
            remarks=tuple(hops.remarks),
        )
        inner = await self._inner(visit)
        await self.recorder.write(visit if inner is None else with_outlinks(visit, inner))
        if not ending.outcome.has_response:
            self.claims.give_up(wanted.found.url)
        if inner is not None:
            await self._add(needs, Naming(visit.exchanges[-1].url, inner, wanted))

    async def _follow(self, needs: Needs, wanted: Wanted, hops: Hops) -> Ending:
        """Hop after hop, as for a page. `hops` holds what took place, also after OutOfTime."""
        visitor = self.visitor
        url = wanted.found.url
        path = EMBEDDED
        while True:
            hops.dress = partial(_as_requisite, via=wanted.found_in, path=path)
            refused = self._known_silent(url) or await visitor.refused(url, self.own_host, hops.robots)
            if refused is None:
                limits = self._fetch_limits(needs)
                exchange = await visitor.answer(url, self.own_host, hops, purpose="requisite", limits=limits)
            else:
                exchange = hops.dress(refused)
                hops.exchanges.append(exchange)
            self.claims.heard(host_of(url), exchange)
            following = hops.follow(url, exchange, visitor.settings.max_redirects)
            if isinstance(following, Ending):
                return following
            url, path = following, path + REDIRECTED

    def _fetch_limits(self, needs: Needs) -> FetchLimits:
        """Of one exchange: no more than the page has left."""
        usual = self.visitor.settings.limits
        left = max(1.0, self.ends_at - self.visitor.clock.monotonic())
        return replace(
            usual,
            max_body_bytes=min(usual.max_body_bytes, needs.bytes_left),
            total_seconds=min(usual.total_seconds, left),
        )

    def _known_silent(self, url: str) -> Exchange | None:
        """An exchange that does not take place, since the host did not answer a moment ago."""
        before = self.claims.silence_of(host_of(url))
        if before is None:
            return None
        reason = f"not asked: {before.failure or before.outcome.value} (for {before.url[:200]})"
        return self.visitor.no_exchange(url, before.outcome, reason)

    async def _inner(self, visit: RequisiteVisit) -> Searched | None:
        """What a sheet or a frame names in its turn."""
        wanted = visit.wanted
        if wanted.found.kind not in (RequisiteKind.STYLE, RequisiteKind.FRAME) or not visit.exchanges:
            return None
        document = await document_behind(self.confirmed, visit.exchanges[-1], visit.confirms, wanted.found.kind)
        if document is None:
            return None
        return await asyncio.to_thread(search, document, wanted.found.kind, charset=wanted.charset)

    async def _add(self, needs: Needs, naming: Naming) -> None:
        parent = naming.parent
        within_sheet = parent is not None and parent.found.kind is RequisiteKind.STYLE
        depth = 0 if parent is None else parent.sheet_depth + within_sheet
        mine = await self.claims.claim(naming.searched.findings.found)
        await self.visitor.memory.look_up(fetched_url(found.url) for found in mine)
        for found in mine:
            wanted = Wanted(found, host_of(found.url), naming.found_in, depth, charset=naming.searched.charset)
            if depth > self.limits.sheet_depth and found.kind is RequisiteKind.STYLE:
                reason = f"style sheets import each other more than {self.limits.sheet_depth} levels deep"
                await self._leave(wanted, reason)
            else:
                needs.add(wanted)

    async def _leave(self, wanted: Wanted, why: str) -> None:
        """Say that a requisite was not asked for."""
        robots = tuple(self.robots.pop(wanted.found.url, ()))
        await self.recorder.write(RequisiteVisit(wanted, self.page_record, (), robots, Outcome.BUDGET_SPENT, why))
        self.claims.give_up(wanted.found.url)


def _not_in_time(host: str) -> str:
    return f"{host} could not be asked in the time that this page's requisites have"


def _as_requisite(exchange: Exchange, *, via: str, path: str) -> Exchange:
    return replace(exchange, purpose="requisite", via=via, hops_from_seed=path)


async def document_behind(
    confirmed: ConfirmedDocuments, last: Exchange, confirms: Original | None, kind: RequisiteKind = RequisiteKind.FRAME
) -> Document | None:
    """What an answer holds, or what it says is still there."""
    return document_of(last, kind) if confirms is None else await confirmed.read(confirms)


V = TypeVar("V", Visit, RequisiteVisit)


def with_outlinks(visit: V, searched: Searched) -> V:
    """The metadata record of a page, a sheet or a frame names what it needs, the way crawlers write it down."""
    last: Exchange = visit.exchanges[-1]
    findings = searched.findings
    links = tuple(f"{found.url} {EMBEDDED} {found.place}" for found in findings.found)
    notes = last.notes if findings.complete else (*last.notes, "only a part of it was searched for requisites")
    return replace(visit, exchanges=(*visit.exchanges[:-1], replace(last, outlinks=links, notes=notes)))
