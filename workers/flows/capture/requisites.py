"""What belongs to a page, fetched right after it: same job, same file where that is still open, never as a page.

The page is written first, so nothing that happens here can cost it. Then one requisite after the other, of
whichever host may be asked: in the host's turn, within robots, guard and pacing, each at most once in a job. A
style sheet or a frame may name others. What is not had has an outcome and a reason in the receipt.
(`deploy/decisions`: why not all at once, and why nothing of it goes back to the frontier.)
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.records.outcome import Hop
from schemas.records.requisite import RequisiteKind, RequisiteOutcome
from workers.capture.request_head import host_of
from workers.capture.requisites.found import Found
from workers.capture.requisites.wanted import RequisiteLimits, Wanted
from workers.flows.capture.confirmed import ConfirmedDocuments
from workers.flows.capture.recorder import Recorder
from workers.flows.capture.requisite_claims import Claims
from workers.flows.capture.requisite_documents import NOTHING, Document, search, search_page
from workers.flows.capture.requisite_resume import LeftPage
from workers.flows.capture.requisite_round import Naming, Round, document_behind, with_outlinks
from workers.flows.capture.visit import Visit, Visitor
from workers.frontier.urls import politeness_key


@dataclass(slots=True)
class Requisites:
    """Writes the pages of one batch, each followed by what it needs."""

    visitor: Visitor
    recorder: Recorder
    claims: Claims
    limits: RequisiteLimits
    confirmed: ConfirmedDocuments

    def has_time(self) -> bool:
        """Whether another page should be begun: one that is handed back now finds time for its requisites later."""
        return self.visitor.turns.ends_at - self.visitor.clock.monotonic() > self.limits.reserve_seconds

    async def write(self, visit: Visit) -> None:
        """Write a page, then fetch and write what it needs."""
        self.claims.note(exchange.url for exchange in visit.exchanges if exchange.response is not None)
        document = await self._document(visit)
        searched = None if document is None else await asyncio.to_thread(search_page, document, frames=True)
        if document is None or searched is None or searched.findings == NOTHING:
            await self.recorder.write(visit)
            return
        visit = with_outlinks(visit, searched)
        if not searched.findings.found:
            await self.recorder.write(visit)
            return
        hops = await self.recorder.write(visit, pending=True)
        if await self._fetch([Naming(document.url, searched)], visit.queued.host, page_record_of(hops)):
            await self.recorder.complete(visit.queued.normalized_url)

    async def _document(self, visit: Visit) -> Document | None:
        if not visit.exchanges:
            return None
        return await document_behind(self.confirmed, visit.exchanges[-1], visit.confirms)

    async def go_on(self, page: LeftPage, documents: Sequence[tuple[Document, RequisiteOutcome | None]]) -> None:
        """Fetch what an earlier worker of the batch had not come to. `documents`: as they lie in the archive."""
        namings = []
        for document, requisite in documents:
            parent = None if requisite is None else _wanted_again(requisite)
            kind = RequisiteKind.FRAME if parent is None else parent.found.kind
            searched = await asyncio.to_thread(search, document, kind, charset=None, frames=parent is None)
            namings.append(Naming(document.url, searched, parent))
        own_host = politeness_key(page.outcome.normalized_url)
        if await self._fetch(namings, own_host, page_record_of(page.outcome.hops)):
            await self.recorder.complete(page.outcome.normalized_url)

    def skip(self, urls: Iterable[str]) -> None:
        """These have an outcome by an earlier worker of the batch."""
        self.claims.note(urls)

    async def _fetch(self, namings: Sequence[Naming], own_host: str, page_record: str | None) -> bool:
        """False: the worker stops, and another goes on with the page."""
        if page_record is None:  # the page's address fits no record: nothing could say whose requisites they are
            return True
        ends_at = min(self.visitor.clock.monotonic() + self.limits.seconds, self.visitor.turns.ends_at)
        shared = (self.visitor, self.recorder, self.claims, self.confirmed, self.limits)
        return await Round(*shared, own_host, page_record, ends_at).run(namings)


def page_record_of(hops: tuple[Hop, ...]) -> str | None:
    """The record that stands for a page: that of its last answer; None where none could be written."""
    record = hops[-1].record("response", "revisit") if hops else None
    return None if record is None else record.record_id


def _wanted_again(requisite: RequisiteOutcome) -> Wanted:
    """A requisite that has been had, as a document that names others. How deep it lay is not known any more."""
    found = Found(requisite.url, requisite.kind, requisite.found_at)
    return Wanted(found, host_of(requisite.url), requisite.found_in)
