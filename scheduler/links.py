"""What a crawl has found and what it has not followed: read from `discovered/`, not Redis, so it outlives that."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from schemas import keys
from schemas.records.discovered import LeftOutReason, PageLinks
from workers.flows.documents import read_lines_object
from workers.ports import ObjectStore

MOST_EXAMPLES: Final = 3
MOST_UNREAD: Final = 20
WHY: Final = MappingProxyType(
    {
        LeftOutReason.OUTSIDE: "out of the job's scope; archive it with a seed of its own, or a wider --scope",
        LeftOutReason.EXCLUDED: "excluded by a pattern of the job",
        LeftOutReason.NOT_A_URL: "no address that could be fetched",
        LeftOutReason.LONG_URL: "trap: longer than any page for people has; archive it by itself if it is one",
        LeftOutReason.DEEP_PATH: "trap: the path has more than 20 segments; archive it by itself if it is a page",
        LeftOutReason.REPEATED_PATH: "trap: the path repeats itself, as a wrong relative link makes it",
        LeftOutReason.SESSION_ID: "trap: the address is made anew for every visitor; look for one without session id",
        LeftOutReason.ENDLESS_QUERY: "trap: a query that grows with every click",
        LeftOutReason.CALENDAR: "trap: a calendar page far ahead or far back; archive it by itself if it matters",
        LeftOutReason.NOFOLLOW: 'the page marks it rel="nofollow"; --robots ignore follows it',
        LeftOutReason.PAGE_NOFOLLOW: "the page or its server asks robots not to follow; --robots ignore does",
        LeftOutReason.JOB_BUDGET: "the job has found as many pages as it may; raise --max-pages",
        LeftOutReason.HOST_BUDGET: "the job has found as many pages of this host as it may; raise --max-pages-per-host",
        LeftOutReason.QUERY_BUDGET: "1,000 variations of this query are followed already; archive it by itself",
    }
)
"""Each reason in a sentence, with what to do."""


@dataclass(slots=True)
class LinkReader:
    """Reads what pages of one job brought it. Its objects never change, so none is read twice."""

    store: ObjectStore
    job_id: str
    pages: int = 0
    """Pages whose links were taken."""
    found: int = 0
    """Pages that were found by links."""
    cut_pages: int = 0
    """Pages with more links than are read."""
    unread: dict[str, str] = field(default_factory=dict)
    """Sitemaps of which not all was read, and why; the first twenty."""
    left_out: Counter[LeftOutReason] = field(default_factory=Counter)
    """Links, each as often as pages have it."""
    examples: dict[LeftOutReason, list[str]] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)

    async def advance(self, *, most_pages: int | None = None) -> bool:
        """Read what is new, until that many pages were read. False: there was more."""
        found = [key async for key in self.store.list(keys.discovered_of(self.job_id)) if key not in self._read]
        for key in sorted(found):
            if most_pages is not None and self.pages >= most_pages:
                return False
            lines = await read_lines_object(self.store, key, PageLinks)
            if key not in self._read:  # somebody else read on while we waited for the store
                self._read.add(key)
                self._add(lines)
        return True

    def _add(self, lines: list[PageLinks]) -> None:
        for line in lines:
            self.pages += 1
            self.found += sum(not link.nearer for link in line.links)
            self.cut_pages += not line.complete and line.unread is None
            if line.unread is not None and len(self.unread) < MOST_UNREAD:
                self.unread[line.page] = line.unread
            for left in line.left_out:
                self.left_out[left.reason] += left.links
                shown = self.examples.setdefault(left.reason, [])
                shown += [url for url in left.examples if url not in shown][: MOST_EXAMPLES - len(shown)]
