"""Pages whose links are to be taken, and what becomes of each link before budgets: pure, but for one look-up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from schemas.records.discovered import LeftOutLinks, LeftOutReason
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request
from workers.discover.judge import Followed, PageSays, asks_not_to_follow, judge, judge_listed
from workers.flows.discover.listed import Listed
from workers.flows.discover.orders import CrawlOrder
from workers.ports import Catalog

MOST_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class LinkedPage:
    """A captured page of a job, with its depth by what is known now."""

    normalized_url: str
    """As the job asked for it; its links are resolved against where that led."""
    depth: int
    line: SnapshotLine
    listed: Listed | None = None
    """What it lists, of a sitemap."""

    @property
    def complete(self) -> bool:
        """Whether all of its links were read."""
        return self.line.outlinks_complete if self.listed is None else not self.listed.unread


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """What a page's links are to its job."""

    page: LinkedPage
    followed: tuple[Followed, ...]
    """Each resource once."""
    left_out: Mapping[LeftOutReason, Sequence[str]]


def pages_of(
    receipt: Receipt,
    lines: Sequence[SnapshotLine],
    depths: Mapping[str, int],
    most: int,
    sitemaps: Mapping[str, Listed] | None = None,
) -> list[LinkedPage]:
    """Pages of a segment that are fewer than `most` links from a seed, and its sitemaps. `depths`: the least that pages
    were found at."""
    listed = sitemaps or {}
    by_record = {line.snapshot.records.response: line for line in lines}
    pages = []
    for outcome in receipt.outcomes:
        place = outcome.final.record("response", "revisit") if outcome.final is not None else None
        line = by_record.get(place.record_id) if place is not None else None
        depth = min(outcome.depth, depths.get(outcome.normalized_url, outcome.depth))
        if line is None:
            continue
        lists = listed.get(outcome.normalized_url)
        linked = depth < most and gives_links(line)
        if lists is not None and (lists.is_sitemap or not linked):
            pages.append(LinkedPage(outcome.normalized_url, depth, line, lists))
        elif linked:
            pages.append(LinkedPage(outcome.normalized_url, depth, line))
    return pages


def gives_links(line: SnapshotLine) -> bool:
    """Error pages link to what leads away from the error, and their relative links to places that never were."""
    status = line.snapshot.http_status
    return bool(line.outlinks) and status is not None and (200 <= status < 300 or status == 304)


def judged(page: LinkedPage, order: CrawlOrder, robot: str) -> JudgedPage:
    """Ask every link of a page what becomes of it."""
    snapshot = page.line.snapshot
    says = PageSays(
        date.fromisoformat(snapshot.retrieved_at[:10]), asks_not_to_follow(snapshot.robots_directives, robot)
    )
    marked = frozenset(page.line.nofollow_outlinks)
    followed: dict[str, Followed] = {}
    left_out: dict[LeftOutReason, list[str]] = {}
    for url in page.line.outlinks if page.listed is None else page.listed.urls:
        if page.listed is None:
            verdict = judge(url, says, order.rules, nofollow=url in marked)
        else:
            verdict = judge_listed(url, says, order.rules)
        if isinstance(verdict, Followed):
            followed.setdefault(verdict.normalized_url, verdict)
        else:
            left_out.setdefault(verdict, []).append(url)
    return JudgedPage(page, tuple(followed.values()), left_out)


def told(left_out: Mapping[LeftOutReason, Sequence[str]]) -> tuple[LeftOutLinks, ...]:
    """The reasons of a page in a fixed order, each with its number and the first few links."""
    return tuple(
        LeftOutLinks(reason=reason, links=len(urls), examples=tuple(urls[:MOST_EXAMPLES]))
        for reason, urls in sorted(left_out.items())
    )


async def captured_pages(
    catalog: Catalog, job_id: str, urls: Iterable[str], depths: Mapping[str, int], order: CrawlOrder
) -> list[LinkedPage]:
    """Those of these URLs that the job has captured and read, with fewer links than its depth between them and a
    seed."""
    pages = []
    for url in sorted(urls):
        depth = depths.get(url)
        if depth is None or depth >= order.depth:
            continue
        line = await _line_of(catalog, job_id, url, order.visit)
        if line is not None and gives_links(line):
            pages.append(LinkedPage(url, depth, line))
    return pages


async def _line_of(catalog: Catalog, job_id: str, url: str, visit: int) -> SnapshotLine | None:
    for snapshot_id in await catalog.snapshots_of(url):
        line = await catalog.snapshot(snapshot_id)
        if line is None or line.snapshot.job_id != job_id or line.snapshot.visit != visit:
            continue
        asked = identity_of_request(line.snapshot.requested_url)
        if not isinstance(asked, UrlError) and asked.url == url:
            return line
    return None
