"""A job with sitemaps archives them like pages, and what they list, of a real web over real stores."""

from __future__ import annotations

import asyncio
import gzip

import pytest

from scheduler.sweep import message_for
from schemas.records.discovered import LeftOutReason
from schemas.records.job import RobotsPolicy, Scope
from workers.discover import sitemap
from workers.errors import RetryableError
from workers.flows.discover.sitemaps import TOO_FAR

pytestmark = pytest.mark.real

XML = {"Content-Type": "application/xml"}
PACKED = {"Content-Type": "application/gzip"}
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*urls: str) -> bytes:
    entries = "".join(f"<url><loc>{url.replace('&', '&amp;')}</loc></url>\n" for url in urls)
    return f'<?xml version="1.0"?>\n<urlset {NAMESPACE}>{entries}</urlset>'.encode()


def index(*urls: str) -> bytes:
    members = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f"<sitemapindex {NAMESPACE}>{members}</sitemapindex>".encode()


def pages(site) -> list[str]:
    assert max(site.hits.values()) == 1, "nothing is fetched twice"
    return sorted(path for path in site.hits if path != "/robots.txt")


@pytest.fixture
def ran(plane, crawl_of):
    """Run a job on these URLs to its end: its progress, lines of links, what was left out, and its snapshots."""

    def run(*urls: str, **options):
        async def scenario():
            async with plane() as running:
                crawl = await crawl_of(running, list(urls), **{"sitemaps": True, "scope": Scope.DOMAIN, **options})
                await crawl.run()
                snapshots = await running.archive.catalog.snapshots_of_job(crawl.job.id)
                return await crawl.progress(), await crawl.lines(), await crawl.left_out(), snapshots

        return asyncio.run(scenario())

    return run


def test_a_sitemap_is_archived_with_the_pages_that_it_lists(ran, site, stranger):
    """Links of these pages are followed only where a depth is given; other sites are out of scope."""
    listed = [site.url("/a"), site.url("/q?x=1&y=2"), site.url("/d" * 25), stranger.url("/s")]
    site.pages |= {"/sitemap.xml": (200, XML, urlset(*listed)), "/a": ["/behind"], "/q?x=1&y=2": [], "/d" * 25: []}
    progress, (line,), left_out, snapshots = ran(site.url("/sitemap.xml"))
    assert pages(site) == sorted(["/a", "/q?x=1&y=2", "/d" * 25, "/sitemap.xml"])
    assert (progress.known, progress.done, len(snapshots)) == (4, 4, 4)
    assert left_out == {LeftOutReason.OUTSIDE: 1}
    assert (line.page, line.depth, line.complete, line.unread) == (site.url("/sitemap.xml"), 0, True, None)


def test_an_index_brings_its_sitemaps_packed_or_not_and_each_once(ran, site):
    site.pages |= {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, b"Sitemap: /index.xml"),
        "/index.xml": (200, XML, index("one.xml", site.url("/two.xml.gz"), "/index.xml")),
        "/one.xml": (200, {"Content-Type": "text/html"}, urlset("./1")),
        "/two.xml.gz": (200, PACKED, gzip.compress(urlset(site.url("/2"), site.url("/1")))),
        "/1": [],
        "/2": [],
    }  # fmt: skip
    progress, lines, left_out, _ = ran(site.url("/robots.txt"))
    assert sorted(path for path in site.hits if path != "/robots.txt") == [
        "/1", "/2", "/index.xml", "/one.xml", "/two.xml.gz",
    ]  # fmt: skip
    assert (progress.known, progress.done, left_out) == (6, 6, {})
    assert {line.page.rpartition("/")[2]: line.depth for line in lines} == {
        "robots.txt": 0, "index.xml": 1, "one.xml": 2, "two.xml.gz": 2,
    }  # fmt: skip


def test_pages_of_a_sitemap_are_one_link_away_where_links_are_followed_too(ran, site):
    site.pages |= {"/sitemap.xml": (200, XML, urlset(site.url("/a"))), "/a": ["/b"], "/b": ["/c"]}
    ran(site.url("/sitemap.xml"), depth=2)
    assert pages(site) == ["/a", "/b", "/sitemap.xml"]


def test_indexes_within_indexes_end(ran, site):
    for number in range(9):
        site.pages[f"/{number}.xml"] = (200, XML, index(site.url(f"/{number + 1}.xml")))
    _, lines, _, _ = ran(site.url("/0.xml"))
    assert pages(site) == [f"/{number}.xml" for number in range(5)], "the last is archived, and not read"
    (told,) = [line for line in lines if line.unread is not None]
    assert (told.page, told.unread, told.complete) == (site.url("/4.xml"), TOO_FAR, False)


def test_robots_hold_for_the_sitemap_and_for_what_it_lists(ran, site):
    site.pages["/robots.txt"] = (200, {}, b"User-agent: *\nDisallow: /private/")
    site.pages["/private/sitemap.xml"] = (200, XML, urlset(site.url("/a")))
    site.pages["/sitemap.xml"] = (200, XML, urlset(site.url("/private/b"), site.url("/c")))
    site.pages["/c"] = []
    progress, *_ = ran(site.url("/private/sitemap.xml"), site.url("/sitemap.xml"))
    assert pages(site) == ["/c", "/sitemap.xml"]
    assert progress.outcomes == {"robots_denied": 2, "captured": 2}


def test_the_guard_holds_for_what_a_sitemap_lists(ran, site):
    """An entry names an address that is not opened: it is in scope by its domain, and is not asked."""
    site.pages["/sitemap.xml"] = (200, XML, urlset("http://10.1.2.3/inside", site.url("/a")))
    site.pages["/a"] = []
    progress, *_ = ran(site.url("/sitemap.xml"), "http://10.1.2.3/seed")
    assert progress.outcomes == {"guard_denied": 2, "captured": 2}


@pytest.mark.parametrize(
    ("body", "taken", "why"),
    [
        (b"<!DOCTYPE x [<!ENTITY a 'b'>]><urlset/>", [], "sitemap.doctype"),
        (urlset("{site}/a").removesuffix(b"</urlset>"), ["/a"], "sitemap.not-xml"),
        (urlset(*(f"{{site}}/{number}" for number in range(5))), ["/0", "/1", "/2"], "sitemap.too-many-entries"),
        (gzip.compress(urlset("mailto:nobody"))[:-9], [], "broken or ends early"),
    ],
    ids=["a document type", "torn", "too many", "gzip that ends early"],
)
def test_a_sitemap_that_is_not_read_to_its_end_says_why(ran, site, monkeypatch, body, taken, why):
    monkeypatch.setattr(sitemap, "MAX_ENTRIES", 3)
    site.pages["/sitemap.xml"] = (200, XML, body.replace(b"{site}", site.address.encode()))
    _, (line,), _, _ = ran(site.url("/sitemap.xml"))
    assert pages(site) == [*taken, "/sitemap.xml"]
    assert not line.complete
    assert why in line.unread


def test_budgets_hold_for_what_sitemaps_list(ran, site):
    site.pages["/sitemap.xml"] = (200, XML, urlset(*(site.url(f"/{number}") for number in range(9))))
    _, _, left_out, _ = ran(site.url("/sitemap.xml"), max_pages=4)
    assert left_out == {LeftOutReason.JOB_BUDGET: 5}


@pytest.mark.parametrize(
    "answer",
    [
        (404, XML, urlset("http://127.0.0.21/a")),
        (200, XML, b"<rss><channel/></rss>"),
        (200, {"Content-Type": "image/png"}, urlset("http://127.0.0.21/a")),
    ],
    ids=["an error page", "a feed", "a picture by its type"],
)
def test_what_is_no_sitemap_lists_nothing(ran, site, answer):
    site.pages["/thing"] = answer
    progress, lines, *_ = ran(site.url("/thing"))
    assert (progress.known, lines) == (1, [])


@pytest.mark.parametrize(
    ("path", "answer", "why"),
    [
        ("/sitemap.xml", (404, {"Content-Type": "text/html"}, b"<p>Not here"), "answered 404, nothing was read"),
        ("/sitemap.xml", (404, {}, b""), "answered 404, nothing was read"),
        ("/sitemap_index", (410, {"Content-Type": "text/html"}, b"<p>Gone"), "answered 410, nothing was read"),
        ("/sitemap.xml", (200, XML, b"<rss><channel/></rss>"), "answered with something that is no sitemap, "),
        ("/sitemap", (200, {"Content-Type": "text/html"}, b"<p>Welcome"), "answered with something that is no sitemap"),
    ],
    ids=["missing", "missing without a word", "gone", "a feed", "a page"],
)
def test_a_sitemap_that_is_not_there_is_told(ran, site, path, answer, why):
    site.pages[path] = answer
    progress, (line,), *_ = ran(site.url(path))
    assert (progress.known, line.page, line.links, line.complete) == (1, site.url(path), (), False)
    assert line.unread is not None
    assert line.unread.startswith(why)


def test_what_is_named_like_a_sitemap_and_is_a_page_has_its_links_followed(ran, site):
    site.pages |= {"/sitemap": ["/a"], "/a": []}
    progress, (line,), *_ = ran(site.url("/sitemap"), depth=1)
    assert (progress.known, line.complete, line.unread) == (2, True, None)


def test_a_job_that_asks_for_none_reads_none(ran, site):
    site.pages["/sitemap.xml"] = (200, XML, urlset(site.url("/a")))
    progress, lines, *_ = ran(site.url("/sitemap.xml"), sitemaps=False, depth=2, robots=RobotsPolicy.OBEY)
    assert (progress.known, lines) == (1, [])


def test_a_worker_that_dies_before_the_links_are_queued_is_followed_by_one_that_reads_the_sitemap_again(
    plane, crawl_of, site, monkeypatch
):
    site.pages |= {"/sitemap.xml": (200, XML, urlset(site.url("/a"))), "/a": []}

    async def scenario():
        async with plane() as running:
            crawl = await crawl_of(running, [site.url("/sitemap.xml")], sitemaps=True, scope=Scope.HOST)
            frontier = running.archive.frontier

            async def dies(*_: object) -> int:
                raise RetryableError("the frontier is away", where="Redis")

            with monkeypatch.context() as away:
                away.setattr(type(frontier), "admit", dies)
                await crawl.step()
                with pytest.raises(RetryableError):
                    await running.deliver()
            assert not (await crawl.progress()).captured_all
            (entry,) = await running.archive.ledger.of_job(crawl.job.id)
            await running.archive.announcer.announce(message_for(entry))
            await running.deliver()
            await crawl.run()
            return await crawl.progress()

    progress = asyncio.run(scenario())
    assert (progress.known, progress.done) == (2, 2)
    assert pages(site) == ["/a", "/sitemap.xml"]
