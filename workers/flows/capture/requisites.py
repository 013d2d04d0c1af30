"""What belongs to a page, fetched right after it: same job, same file where that is still open, never as a page.

The page is written first, so nothing that happens here can cost it. Then one requisite after the other, of
whichever host may be asked: in the host's turn, within robots, guard and pacing, each at most once in a job. A
style sheet or a frame may name others. What is not had has an outcome and a reason in the receipt.
(`deploy/decisions`: why not all at once, and why nothing of it goes back to the frontier.)
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from schemas.records.outcome import Hop, Outcome
from schemas.records.requisite import RequisiteKind, RequisiteOutcome
from schemas.urls.error import UrlError
from workers.capture.limits import FetchLimits
from workers.capture.redirects import LeadsNowhere, Redirect, may_follow, next_hop
from workers.capture.request_head import target_of
from workers.capture.requisites.found import Found
from workers.capture.requisites.wanted import Needs, RequisiteLimits, Wanted
from workers.exchange import Exchange
from workers.flows.capture.confirmed import ConfirmedDocuments
from workers.flows.capture.recorder import Recorder
from workers.flows.capture.requisite_documents import NOTHING, Document, Searched, document_of, search, search_page
from workers.flows.capture.requisite_resume import LeftPage
from workers.flows.capture.requisite_visit import RequisiteVisit
from workers.flows.capture.turns import OutOfTime
from workers.flows.capture.visit import Hops, Visit, Visitor, fetched_url
from workers.frontier.urls import politeness_key
from workers.ports import Original, RequisiteIndex

_SILENT = frozenset({Outcome.GUARD_DENIED, Outcome.DNS_FAILED, Outcome.CONNECT_FAILED, Outcome.TLS_FAILED})
"""After these a host is not asked for requisites again in this batch: they would end alike, and take their time."""
EMBEDDED = "E"  # one letter a hop, as crawlers write the path from a seed: a requisite, and R for a redirect of it
REDIRECTED = "R"


@dataclass(frozen=True, slots=True)
class Naming:
    """A document that names requisites: the page itself (`parent` None), or one of its sheets and frames."""

    found_in: str
    searched: Searched
    parent: Wanted | None = None


@dataclass(slots=True)
class Requisites:
    """Writes the pages of one batch, each followed by what it needs."""

    visitor: Visitor
    recorder: Recorder
    index: RequisiteIndex
    job_id: str
    limits: RequisiteLimits
    batch_ends_at: float
    """By the clock's monotonic seconds."""
    confirmed: ConfirmedDocuments
    _claimed: set[str] = field(default_factory=set)
    """Addresses that some page of this batch has, or is about to ask for."""
    silent: dict[str, Exchange] = field(default_factory=dict)
    """Hosts that do not answer, with the exchange that showed it."""
    _timeouts: Counter[str] = field(default_factory=Counter)

    def has_time(self) -> bool:
        """Whether another page should be begun: one that is handed back now finds time for its requisites later."""
        return self.batch_ends_at - self.visitor.clock.monotonic() > self.limits.reserve_seconds

    async def write(self, visit: Visit) -> None:
        """Write a page, then fetch and write what it needs."""
        self._claimed.update(exchange.url for exchange in visit.exchanges if exchange.response is not None)
        document = await self.document(visit.exchanges[-1], visit.confirms) if visit.exchanges else None
        searched = None if document is None else await asyncio.to_thread(search_page, document, frames=True)
        if document is None or searched is None or searched.findings == NOTHING:
            await self.recorder.write(visit)
            return
        visit = _with_outlinks(visit, searched)
        if not searched.findings.found:
            await self.recorder.write(visit)
            return
        hops = await self.recorder.write(visit, pending=True)
        await self._fetch([Naming(document.url, searched)], visit.queued.host, page_record_of(hops))
        await self.recorder.complete(visit.queued.normalized_url)

    async def document(
        self, last: Exchange, confirms: Original | None, kind: RequisiteKind = RequisiteKind.FRAME
    ) -> Document | None:
        """What an answer holds, or what it says is still there."""
        return document_of(last, kind) if confirms is None else await self.confirmed.read(confirms)

    async def go_on(self, page: LeftPage, documents: Sequence[tuple[Document, RequisiteOutcome | None]]) -> None:
        """Fetch what an earlier worker of the batch had not come to. `documents`: as they lie in the archive."""
        namings = []
        for document, requisite in documents:
            parent = None if requisite is None else _wanted_again(requisite)
            kind = RequisiteKind.FRAME if parent is None else parent.found.kind
            searched = await asyncio.to_thread(search, document, kind, charset=None, frames=parent is None)
            namings.append(Naming(document.url, searched, parent))
        await self._fetch(namings, politeness_key(page.outcome.normalized_url), page_record_of(page.outcome.hops))
        await self.recorder.complete(page.outcome.normalized_url)

    def skip(self, urls: Iterable[str]) -> None:
        """These have an outcome by an earlier worker of the batch."""
        self._claimed.update(urls)

    async def _fetch(self, namings: Sequence[Naming], own_host: str, page_record: str | None) -> None:
        if page_record is None:  # the page's address fits no record: nothing could say whose requisites they are
            return
        ends_at = min(self.visitor.clock.monotonic() + self.limits.seconds, self.batch_ends_at)
        await _Round(self, own_host, page_record, ends_at).run(namings)

    async def claim(self, found: Iterable[Found]) -> list[Found]:
        """Those that nobody of the job has captured or is asking for; from now on they are this page's to ask for."""
        new = [each for each in found if each.url not in self._claimed]
        captured = await self.index.captured(self.job_id, [each.url for each in new]) if new else frozenset()
        mine = [each for each in new if each.url not in captured and each.url not in self._claimed]
        self._claimed.update(each.url for each in mine)
        await self.visitor.memory.look_up(fetched_url(each.url) for each in mine)
        return mine

    def heard(self, host: str, exchange: Exchange) -> None:
        """Learn from an exchange which hosts do not answer. One answer that takes too long says nothing of the next."""
        if exchange.outcome is Outcome.TIMEOUT:
            self._timeouts[host] += 1
        if exchange.outcome in _SILENT or self._timeouts[host] >= self.limits.tries_at_host:
            self.silent.setdefault(host, exchange)

    def unclaim(self, url: str) -> None:
        """It was not had: another page that needs it may try, since only what is captured suppresses a fetch."""
        self._claimed.discard(url)


@dataclass(slots=True)
class _Round:
    """One page's requisites, from the first to the last."""

    all: Requisites
    own_host: str
    """The host that the batch has for the page; any other is asked by permit."""
    page_record: str
    ends_at: float
    turned_away: Counter[str] = field(default_factory=Counter)
    """How often a host that others were asking had no turn to give."""
    resting: dict[str, float] = field(default_factory=dict)
    """When such a host is worth another try, by the clock's monotonic seconds."""

    async def run(self, namings: Sequence[Naming]) -> None:
        needs = Needs(self.all.limits)
        for naming in namings:
            await self._add(needs, naming)
        while (wanted := needs.take(self._pause)) is not None:
            left = self.ends_at - self.all.visitor.clock.monotonic()
            pause = self._pause(wanted.host)
            refusal = needs.refusal(left)
            if refusal is None and (pause >= left or self.turned_away[wanted.host] >= self.all.limits.tries_at_host):
                refusal = _not_in_time(wanted.host)
            if refusal is not None:
                await self._leave(wanted, refusal)
                continue
            await asyncio.sleep(pause)
            await self._one(needs, wanted)

    def _pause(self, host: str) -> float:
        """How long until a host is worth a try."""
        rest = self.resting.get(host, 0.0) - self.all.visitor.clock.monotonic()
        return max(0.0, rest, self.all.visitor.turns.seconds_until_ready(host))

    async def _one(self, needs: Needs, wanted: Wanted) -> None:
        hops = Hops()
        try:
            outcome, failure = await self._follow(needs, wanted, hops)
        except OutOfTime as late:
            self.turned_away[late.host] += 1
            self.resting[late.host] = self.all.visitor.clock.monotonic() + self.all.limits.rest_seconds
            if not hops.exchanges and not hops.robots:  # nothing took place: another of the page's hosts, then again
                needs.add(wanted)
                return
            outcome, failure = Outcome.BUDGET_SPENT, _not_in_time(late.host)
        needs.spend(sum(hop.response.content.size for hop in hops.exchanges if hop.response is not None))
        visit = RequisiteVisit(
            wanted,
            self.page_record,
            tuple(hops.exchanges),
            tuple(hops.robots),
            outcome,
            failure,
            recalls=tuple(hops.recalls),
            remarks=tuple(hops.remarks),
        )
        inner = await self._inner(visit)
        await self.all.recorder.write(visit if inner is None else _with_outlinks(visit, inner))
        if not outcome.has_response:
            self.all.unclaim(wanted.found.url)
        if inner is not None:
            await self._add(needs, Naming(visit.exchanges[-1].url, inner, wanted))

    async def _follow(self, needs: Needs, wanted: Wanted, hops: Hops) -> tuple[Outcome, str | None]:
        """Hop after hop, as for a page. `hops` holds what took place, also after OutOfTime."""
        visitor = self.all.visitor
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
            self.all.heard(_host(url), exchange)
            hop = next_hop(url, exchange)
            if not isinstance(hop, Redirect):
                return exchange.outcome, hop.reason if isinstance(hop, LeadsNowhere) else exchange.failure
            if not may_follow(hops.redirects, visitor.settings.max_redirects):
                reason = f"more than {visitor.settings.max_redirects} redirects; the last one leads to {hop.url[:200]}"
                return Outcome.REDIRECT_LIMIT, reason
            hops.redirects += 1
            url, path = hop.url, path + REDIRECTED

    def _fetch_limits(self, needs: Needs) -> FetchLimits:
        """Of one exchange: no more than the page has left."""
        usual = self.all.visitor.settings.limits
        left = max(1.0, self.ends_at - self.all.visitor.clock.monotonic())
        return replace(
            usual,
            max_body_bytes=min(usual.max_body_bytes, needs.bytes_left),
            total_seconds=min(usual.total_seconds, left),
        )

    def _known_silent(self, url: str) -> Exchange | None:
        """An exchange that does not take place, since the host did not answer a moment ago."""
        before = self.all.silent.get(_host(url))
        if before is None:
            return None
        reason = f"not asked: {before.failure or before.outcome.value} (for {before.url[:200]})"
        return self.all.visitor.no_exchange(url, before.outcome, reason)

    async def _inner(self, visit: RequisiteVisit) -> Searched | None:
        """What a sheet or a frame names in its turn."""
        wanted = visit.wanted
        if wanted.found.kind not in (RequisiteKind.STYLE, RequisiteKind.FRAME) or not visit.exchanges:
            return None
        document = await self.all.document(visit.exchanges[-1], visit.confirms, wanted.found.kind)
        if document is None:
            return None
        return await asyncio.to_thread(search, document, wanted.found.kind, charset=wanted.charset)

    async def _add(self, needs: Needs, naming: Naming) -> None:
        parent = naming.parent
        within_sheet = parent is not None and parent.found.kind is RequisiteKind.STYLE
        depth = 0 if parent is None else parent.sheet_depth + within_sheet
        for found in await self.all.claim(naming.searched.findings.found):
            wanted = Wanted(found, _host(found.url), naming.found_in, depth, charset=naming.searched.charset)
            if depth > self.all.limits.sheet_depth and found.kind is RequisiteKind.STYLE:
                reason = f"style sheets import each other more than {self.all.limits.sheet_depth} levels deep"
                await self._leave(wanted, reason)
            else:
                needs.add(wanted)

    async def _leave(self, wanted: Wanted, why: str) -> None:
        """Say that a requisite was not asked for."""
        await self.all.recorder.write(RequisiteVisit(wanted, self.page_record, (), (), Outcome.BUDGET_SPENT, why))
        self.all.unclaim(wanted.found.url)


def _not_in_time(host: str) -> str:
    return f"{host} could not be asked in the time that this page's requisites have"


def _as_requisite(exchange: Exchange, *, via: str, path: str) -> Exchange:
    return replace(exchange, purpose="requisite", via=via, hops_from_seed=path)


def page_record_of(hops: tuple[Hop, ...]) -> str | None:
    """The record that stands for a page: that of its last answer; None where none could be written."""
    record = hops[-1].record("response", "revisit") if hops else None
    return None if record is None else record.record_id


V = TypeVar("V", Visit, RequisiteVisit)


def _with_outlinks(visit: V, searched: Searched) -> V:
    """The metadata record of a page, a sheet or a frame names what it needs, the way crawlers write it down."""
    last: Exchange = visit.exchanges[-1]
    findings = searched.findings
    links = tuple(f"{found.url} {EMBEDDED} {found.place}" for found in findings.found)
    notes = last.notes if findings.complete else (*last.notes, "only a part of it was searched for requisites")
    return replace(visit, exchanges=(*visit.exchanges[:-1], replace(last, outlinks=links, notes=notes)))


def _wanted_again(requisite: RequisiteOutcome) -> Wanted:
    """A requisite that has been had, as a document that names others. How deep it lay is not known any more."""
    found = Found(requisite.url, requisite.kind, requisite.found_at)
    return Wanted(found, _host(requisite.url), requisite.found_in)


def _host(url: str) -> str:
    target = target_of(url)
    return url[:200] if isinstance(target, UrlError) else target.authority
