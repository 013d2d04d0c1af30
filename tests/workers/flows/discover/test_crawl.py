"""Crawls of a real web, over real stores: how deep, how far, what not, and why not."""

from __future__ import annotations

import asyncio

import pytest

from scheduler.sweep import message_for
from schemas.records.discovered import LeftOutReason
from schemas.records.job import RobotsPolicy, Scope
from workers.errors import RetryableError
from workers.frontier import names

pytestmark = pytest.mark.real

CHAIN = {"/": ["/a", "/b"], "/a": ["/a/1", "/"], "/b": ["/a"], "/a/1": ["/a/1/x"], "/a/1/x": ["/far"], "/far": []}


def pages(site) -> list[str]:
    assert max(site.hits.values()) == 1, "nothing is fetched twice"
    return sorted(path for path in site.hits if path != "/robots.txt")


@pytest.mark.parametrize(
    ("depth", "captured"),
    [(0, ["/"]), (1, ["/", "/a", "/b"]), (2, ["/", "/a", "/a/1", "/b"]), (9, sorted(CHAIN))],
)
def test_a_crawl_goes_as_deep_as_it_is_told(plane, site, crawl_of, depth, captured):
    site.pages.update(CHAIN)

    async def scenario():
        async with plane() as running:
            crawl = await crawl_of(running, [site.url("/")], depth=depth, scope=Scope.HOST)
            await crawl.run()
            return await crawl.progress(), await crawl.lines()

    progress, lines = asyncio.run(scenario())
    assert pages(site) == captured
    assert progress.known == progress.done == len(captured)
    assert all(line.depth < depth for line in lines), "links beyond the depth are not even looked at"


@pytest.mark.parametrize(
    ("scope", "on_site", "on_neighbour", "on_stranger"),
    [
        (Scope.PREFIX, ["/docs/", "/docs/a"], [], []),
        (Scope.HOST, ["/docs/", "/docs/a", "/docs2", "/other"], [], []),
        (Scope.DOMAIN, ["/docs/", "/docs/a", "/docs2", "/other"], ["/n"], []),
    ],
)
def test_a_crawl_stays_in_its_scope(
    plane, site, neighbour, stranger, crawl_of, scope, on_site, on_neighbour, on_stranger
):
    site.pages["/docs/"] = ["a", "/docs2", "/other", neighbour.url("/n"), stranger.url("/s"), "mailto:a@b.test"]

    async def scenario():
        async with plane() as running:
            crawl = await crawl_of(running, [site.url("/docs/")], depth=3, scope=scope)
            await crawl.run()
            return await crawl.left_out()

    left_out = asyncio.run(scenario())
    visited = [[path for path in each.hits if path != "/robots.txt"] for each in (site, neighbour, stranger)]
    assert [sorted(paths) for paths in visited] == [on_site, on_neighbour, on_stranger]
    assert left_out == {LeftOutReason.OUTSIDE: 5 - len(on_site) + 1 - len(on_neighbour)}


def test_links_are_those_that_a_browser_would_open(plane, site, crawl_of, page):
    """The base element, areas, entities and relative paths count; error pages, canonical hints (R033) and what only
    looks like a link do not."""
    site.pages["/"] = (
        200,
        {},
        page(
            ["x?a=1&amp;b=2", '<map><area href="/map"></map>', "/gone", "<b>http://127.0.0.21/text</b>", "/moved"],
            head='<base href="/base/"><link rel="canonical" href="/canonical"><link rel="next" href="/next">',
        ),
    )
    site.pages["/moved"] = (302, {"Location": "/landing"}, b"")
    site.pages["/landing"] = ["/beyond"]

    async def scenario():
        async with plane() as running:
            crawl = await crawl_of(running, [site.url("/")], depth=2, scope=Scope.HOST)
            await crawl.run()
            return await crawl.lines()

    lines = asyncio.run(scenario())
    assert pages(site) == ["/", "/base/x?a=1&b=2", "/beyond", "/gone", "/landing", "/map", "/moved"]
    (moved,) = [line for line in lines if line.page.endswith("/moved")]
    assert moved.depth == 1, "a redirect is no link"
    assert [link.requested_url for link in moved.links] == [site.url("/beyond")]


def test_what_site_and_owner_do_not_want_is_left_out_and_told(plane, site, crawl_of, page):
    site.pages["/"] = [
        "/good", "/admin/x", '<a rel="nofollow" href="/marked">m</a>', "/asking", "/session;jsessionid=1",
        "/r/r/r/", "/events/2099-01/", "/q?" + "&amp;".join(f"p{n}=1" for n in range(20)), "/" + "l" * 2010,
        "/d" * 25,
    ]  # fmt: skip
    site.pages["/asking"] = (200, {"X-Robots-Tag": "nofollow"}, page(["/behind"]))

    async def scenario(robots: RobotsPolicy):
        async with plane() as running:
            crawl = await crawl_of(
                running, [site.url("/")], depth=2, scope=Scope.HOST, exclude=("/admin/",), robots=robots
            )
            await crawl.run()
            return await crawl.left_out()

    left_out = asyncio.run(scenario(RobotsPolicy.OBEY))
    assert pages(site) == ["/", "/asking", "/good"]
    assert left_out == {
        LeftOutReason.EXCLUDED: 1,
        LeftOutReason.NOFOLLOW: 1,
        LeftOutReason.PAGE_NOFOLLOW: 1,
        LeftOutReason.SESSION_ID: 1,
        LeftOutReason.REPEATED_PATH: 1,
        LeftOutReason.CALENDAR: 1,
        LeftOutReason.ENDLESS_QUERY: 1,
        LeftOutReason.LONG_URL: 1,
        LeftOutReason.DEEP_PATH: 1,
    }
    site.hits.clear()
    asyncio.run(scenario(RobotsPolicy.IGNORE))
    assert pages(site) == ["/", "/asking", "/behind", "/good", "/marked"]


def test_budgets_of_job_and_host_hold_to_the_page(plane, site, neighbour, crawl_of):
    site.pages["/"] = [f"/{number}" for number in range(10)] + [neighbour.url(f"/{number}") for number in range(10)]

    async def scenario():
        async with plane() as running:
            crawl = await crawl_of(
                running, [site.url("/")], depth=3, scope=Scope.DOMAIN, max_pages=12, max_pages_per_host=7
            )
            await crawl.run()
            return await crawl.progress(), await crawl.left_out()

    progress, left_out = asyncio.run(scenario())
    assert progress.known == 1 + 12
    assert len(pages(site)) == 1 + 7
    assert len(pages(neighbour)) == 5
    assert left_out == {LeftOutReason.HOST_BUDGET: 3, LeftOutReason.JOB_BUDGET: 5}


def test_a_page_is_as_deep_as_its_shortest_way_however_late_that_is_found(plane, site, stranger, crawl_of):
    """The long way to /x is gone to its end before the short one is found; the links of /x are followed then."""
    site.pages |= {"/": ["/long"], "/long": ["/x"], "/x": ["/y"], "/y": ["/z"], "/z": []}
    stranger.pages["/"] = [site.url("/x")]

    async def scenario():
        async with plane() as running:
            crawl = await crawl_of(running, [site.url("/"), stranger.url("/")], depth=2, scope=Scope.HOST)
            held = await running.release(urls=1)
            assert len(held) == 2
            by_host = {(await batch_of(running, message)): message for message in held}
            await running.capture(by_host.pop(site.address))
            await running.deliver()
            while await crawl.step():
                await running.deliver()
            before = pages(site)
            (late,) = by_host.values()
            await running.capture(late)
            await running.deliver()
            await crawl.run()
            return before, await crawl.lines()

    before, lines = asyncio.run(scenario())
    assert before == ["/", "/long", "/x"]
    assert pages(site) == ["/", "/long", "/x", "/y"]
    assert [line.depth for line in lines if line.page.endswith("/x")] == [1]
    (short,) = [line for line in lines if line.page.startswith(stranger.address)]
    assert [link.nearer for link in short.links] == [True]


async def batch_of(running, message) -> str:
    """The address whose only URL is in a batch."""
    (host,) = await running.archive.redis.zrange(names.batch_hosts(message.batch_id), 0, -1)
    return f"http://{host.decode()}"


def test_a_cancelled_or_unknown_crawl_takes_no_links(plane, site, crawl_of):
    """Its segments still get extracted, and nothing more is queued."""
    site.pages["/"] = ["/a"]

    async def scenario():
        async with plane() as running:
            crawl = await crawl_of(running, [site.url("/")], depth=2, scope=Scope.HOST)
            await crawl.step()
            await running.archive.redis.hset(names.job(crawl.job.id), "state", "cancelled")
            await running.deliver()
            entries = await running.archive.ledger.of_job(crawl.job.id)
            return await crawl.progress(), await crawl.lines(), {entry.stage for entry in entries}

    progress, lines, stages = asyncio.run(scenario())
    assert (progress.known, lines, stages) == (1, [], {"clustered"})


def test_links_wait_for_the_seeds(plane, site, crawl_of):
    """A link to a seed that is not queued yet would be taken for a page that is found."""
    site.pages["/"] = ["/a"]

    async def scenario():
        async with plane() as running:
            crawl = await crawl_of(running, [site.url("/")], depth=1, scope=Scope.HOST)
            await running.archive.redis.hset(names.job(crawl.job.id), "intake", "open")
            await crawl.step()
            with pytest.raises(RetryableError, match="seeds"):
                await running.deliver()
            (entry,) = await running.archive.ledger.of_job(crawl.job.id)
            assert (entry.stage, await crawl.lines()) == ("committed", [])
            await running.archive.frontier.close_intake(crawl.job.id)
            assert not (await crawl.progress()).captured_all
            await running.archive.announcer.announce(message_for(entry))
            await running.deliver()
            await crawl.run()

    asyncio.run(scenario())
    assert pages(site) == ["/", "/a"]


def test_a_job_without_depth_reads_no_job_and_writes_nothing(plane, site, crawl_of):
    site.pages["/"] = ["/a"]

    async def scenario():
        async with plane() as running:
            crawl = await crawl_of(running, [site.url("/")])
            await crawl.run()
            return await crawl.lines(), running.archive.discovery.orders

    lines, orders = asyncio.run(scenario())
    assert (lines, pages(site)) == ([], ["/"])
    assert not orders._held
