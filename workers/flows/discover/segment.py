"""The links of one extracted segment: judged, written down, queued, in this order; all before the segment counts as
extracted, so that its job cannot end in between.

A page that comes nearer to the seeds by what was just written may have links that were out of reach before. These are
taken in a further part. So a job of depth N has every page that N links lead to, in whatever order pages arrive.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from schemas.records.discovered import FoundLink, LeftOutReason, PageLinks
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from workers import metrics
from workers.discover.domains import list_id
from workers.errors import RetryableError
from workers.flows.discover.orders import CrawlOrder, CrawlOrders
from workers.flows.discover.pages import JudgedPage, LinkedPage, captured_pages, judged, pages_of, told
from workers.flows.discover.ports import DiscoverPorts
from workers.flows.discover.stored import links_of, nearer, queue_links, stored_part, write_part
from workers.frontier.urls import politeness_key
from workers.ports import FoundUrl, LinkStanding, QueuedUrl

LOG = logging.getLogger(__name__)
_BUDGETS: dict[LinkStanding, LeftOutReason] = {
    "job_budget": LeftOutReason.JOB_BUDGET,
    "host_budget": LeftOutReason.HOST_BUDGET,
    "query_budget": LeftOutReason.QUERY_BUDGET,
}


@dataclass(frozen=True, slots=True)
class Discovery:
    """Takes links, for the extract flow."""

    ports: DiscoverPorts
    orders: CrawlOrders

    async def take_links(self, receipt: Receipt, lines: Sequence[SnapshotLine]) -> None:
        """Take the links of a segment whose snapshots the catalog knows. Idempotent: what is written down is queued
        again, and only what is not is judged.

        RetryableError while the job's seeds are still being queued: which of the links are seeds would not be known.
        """
        if not receipt.follow_depth or not await self._goes_on(receipt.job_id):
            return
        order = await self.orders.of(receipt.job_id)
        urls = [outcome.normalized_url for outcome in receipt.outcomes]
        depths = await self._depths(receipt.job_id, urls, order)
        sitemaps = await self.ports.sitemaps(receipt, lines, depths) if order.sitemaps else {}
        pages = pages_of(receipt, lines, depths, order.depth, sitemaps)
        asked = True
        for part in count():
            written = await self._part(receipt, part, pages, order, asked=asked)
            if written is None:
                return
            pages = await self._queue(receipt.job_id, written, order)
            asked = bool(nearer(written))
            if not asked and not pages:
                return

    async def _goes_on(self, job_id: str) -> bool:
        """Whether the job takes more URLs; one that was cancelled does not."""
        progress = await self.ports.frontier.progress(job_id)
        if progress is None or progress.intake_open:
            raise RetryableError(
                "the seeds of a job are still being queued, so its links cannot be taken yet",
                where=job_id,
                next_step="nothing: the sweep sends the segment again",
            )
        return progress.state != "cancelled"

    async def _depths(self, job_id: str, urls: Sequence[str], order: CrawlOrder) -> dict[str, int]:
        return dict(await self.ports.found.depths(job_id, urls, visit=order.visit))

    async def _part(
        self, receipt: Receipt, part: int, pages: Sequence[LinkedPage], order: CrawlOrder, *, asked: bool
    ) -> list[PageLinks] | None:
        """A part as it lies in the store, written now where it was not there. None: there is nothing to write, and
        nobody `asked` for the part by what the one before says."""
        store = self.ports.store
        written = await stored_part(store, receipt.job_id, receipt.segment_id, part)
        if written is not None:
            return written
        lines = await self._judge(receipt.job_id, pages, order)
        if not asked and not any(line.links for line in lines):
            return None
        for left in (each for line in lines for each in line.left_out):
            metrics.LINKS.labels(left.reason.value).inc(left.links)
        return await write_part(store, receipt.job_id, receipt.segment_id, part, lines)

    async def _judge(self, job_id: str, pages: Sequence[LinkedPage], order: CrawlOrder) -> list[PageLinks]:
        """What pages bring their job, the nearest first, each link where it is met first."""
        lines: list[PageLinks] = []
        written: set[str] = set()
        for page in sorted(pages, key=lambda each: (each.depth, each.normalized_url)):
            verdicts = await asyncio.to_thread(judged, page, order, self.ports.robot)  # a sitemap has up to 50,000
            offered = [_as_found(verdicts, number, order) for number in range(len(verdicts.followed))]
            standings = await self.ports.found.offer(job_id, offered, order.budgets)
            line = _line(verdicts, offered, standings, written, order)
            written.update(link.normalized_url for link in line.links)
            lines.append(line)
        return lines

    async def _queue(self, job_id: str, lines: Sequence[PageLinks], order: CrawlOrder) -> list[LinkedPage]:
        """Queue a part; the captured pages whose links may now be in reach."""
        before, new = await queue_links(job_id, links_of(lines), frontier=self.ports.frontier, found=self.ports.found)
        LOG.info("links taken job=%s pages=%d queued=%d", job_id, len(lines), new)
        metrics.LINKS.labels("followed").inc(new)
        again = sorted(before)
        depths = await self._depths(job_id, again, order)
        return await captured_pages(self.ports.catalog, job_id, again, depths, order)


def _as_found(verdicts: JudgedPage, number: int, order: CrawlOrder) -> FoundUrl:
    link = verdicts.followed[number]
    host = politeness_key(link.normalized_url)
    url = QueuedUrl(link.requested_url, link.normalized_url, host, visit=order.visit, depth=verdicts.page.depth + 1)
    return FoundUrl(url, link.form)


def _line(
    verdicts: JudgedPage,
    offered: Sequence[FoundUrl],
    standings: Sequence[LinkStanding],
    written: set[str],
    order: CrawlOrder,
) -> PageLinks:
    """One page's line. `written`: what pages before it in the part have brought."""
    links: list[FoundLink] = []
    left_out = {reason: list(urls) for reason, urls in verdicts.left_out.items()}
    known = 0
    for found, standing in zip(offered, standings, strict=True):
        if standing in _BUDGETS:
            left_out.setdefault(_BUDGETS[standing], []).append(found.url.requested_url)
        elif standing == "known" or found.url.normalized_url in written:
            known += 1
        else:
            links.append(
                FoundLink(
                    requested_url=found.url.requested_url,
                    normalized_url=found.url.normalized_url,
                    nearer=standing == "nearer",
                )
            )
    page = verdicts.page
    return PageLinks(
        schema="citevault/page-links@1",
        page=page.normalized_url,
        visit=order.visit,
        depth=page.depth,
        snapshot_id=page.line.snapshot.id,
        suffix_list=list_id(),
        links=tuple(links),
        known=known,
        left_out=told(left_out),
        complete=page.complete,
        unread=None if page.listed is None else page.listed.unread[:1000] or None,
    )
