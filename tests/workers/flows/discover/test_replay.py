"""What is written down under `discovered/` is queued again, and says whether a segment's links were all taken."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from schemas import keys
from schemas.records.discovered import FoundLink, PageLinks
from schemas.records.job import Scope
from workers.flows.discover import replay_links

pytestmark = pytest.mark.real


def line(page: str, depth: int, *links: str, nearer: bool = False) -> PageLinks:
    return PageLinks(
        schema="citevault/page-links@1",
        page=page,
        visit=1,
        depth=depth,
        snapshot_id="snap-1",
        suffix_list="psl@1",
        links=tuple(FoundLink(requested_url=url, normalized_url=url, nearer=nearer) for url in links),
    )


@pytest.mark.parametrize(
    ("parts", "ended"),
    [
        ({"s-0000": False}, {"s"}),
        ({"s-0000": True}, set()),
        ({"s-0000": True, "s-0001": False}, {"s"}),
        ({"s-0000": True, "s-0001": True}, set()),
        ({"s-0001": False}, set()),
        ({"s-0000": False, "t-0000": True}, {"s"}),
    ],
)
def test_a_segment_has_ended_with_a_part_that_brings_no_page_nearer(plane, site, crawl_of, parts, ended):
    async def scenario():
        async with plane() as running:
            crawl = await crawl_of(running, [site.url("/")], depth=3, scope=Scope.HOST)

            async def stored() -> AsyncIterator[tuple[str, list[PageLinks]]]:
                for name, nearer in sorted(parts.items()):
                    segment, _, part = name.rpartition("-")
                    found = [line(site.url("/"), 0, site.url("/a"), nearer=nearer)]
                    yield keys.discovered(crawl.job.id, segment, int(part)), found

            archive = running.archive
            replay = await replay_links(crawl.job.id, stored(), frontier=archive.frontier, found=archive.found)
            return replay, await crawl.progress()

    replay, progress = asyncio.run(scenario())
    assert replay.ended == ended
    assert (replay.queued, progress.known) == (1, 2)


def test_a_page_comes_back_at_its_least_depth(plane, site, crawl_of):
    async def scenario():
        async with plane() as running:
            crawl = await crawl_of(running, [site.url("/")], depth=3, scope=Scope.HOST)

            async def stored() -> AsyncIterator[tuple[str, list[PageLinks]]]:
                yield keys.discovered(crawl.job.id, "s", 0), [line(site.url("/b"), 2, site.url("/a"))]
                yield keys.discovered(crawl.job.id, "t", 0), [line(site.url("/"), 0, site.url("/a"), nearer=True)]
                yield keys.discovered(crawl.job.id, "u", 0), [line(site.url("/c"), 1, site.url("/a"))]

            archive = running.archive
            await replay_links(crawl.job.id, stored(), frontier=archive.frontier, found=archive.found)
            return await archive.found.depths(crawl.job.id, [site.url("/a")], visit=1)

    assert asyncio.run(scenario()) == {site.url("/a"): 1}
