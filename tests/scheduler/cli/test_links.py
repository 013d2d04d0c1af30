"""`status` of a crawl: what was found, and why links were not followed."""

from __future__ import annotations

import asyncio

import pytest

from scheduler.links import WHY
from schemas import keys
from schemas.records.discovered import FoundLink, LeftOutLinks, LeftOutReason, PageLinks
from workers.adapters.stores import open_store
from workers.flows.documents import pack_lines

pytestmark = pytest.mark.real
URL = "http://127.0.0.1:9/page"


def page_links(number: int, *, complete: bool = True, unread: str | None = None) -> PageLinks:
    url = f"{URL}/{number}"
    return PageLinks(
        schema="citevault/page-links@1",
        page=url,
        visit=1,
        depth=0,
        snapshot_id=f"snap-{number}",
        suffix_list="psl@1",
        links=(
            FoundLink(requested_url=f"{url}/a", normalized_url=f"{url}/a"),
            FoundLink(requested_url=f"{url}/b", normalized_url=f"{url}/b", nearer=True),
        ),
        known=3,
        left_out=(
            LeftOutLinks(reason=LeftOutReason.OUTSIDE, links=2, examples=("https://other.test/\x1b[2J",)),
            LeftOutLinks(reason=LeftOutReason.HOST_BUDGET, links=1, examples=(f"{url}/c",)),
        ),
        complete=complete,
        unread=unread,
    )


@pytest.fixture
def crawl(fresh, empty) -> str:
    """A stored crawl of which two segments have been read."""
    return stored_crawl(fresh("archive", URL, "--depth", "1").out.strip(), empty)


def stored_crawl(job_id: str, empty, *, with_sitemap: bool = False) -> str:

    async def put() -> None:
        store = open_store(empty)
        try:
            for number in range(2):
                lines = pack_lines([page_links(number, complete=number == 0)])
                await store.put(keys.discovered(job_id, f"s-{number}", 0), lines)
            if with_sitemap:
                lines = pack_lines([page_links(2, complete=False, unread="line 7: not well-formed XML")])
                await store.put(keys.discovered(job_id, "s-2", 0), lines)
        finally:
            store.close()

    asyncio.run(put())
    return job_id


def test_a_program_learns_what_was_found_and_what_was_left_out(fresh, crawl):
    links = fresh("status", crawl, "--json").json["links"]
    assert (links["pages"], links["found"], links["cut_pages"]) == (2, 2, 1)
    told = {each["reason"]: (each["outcome"], each["links"], len(each["examples"])) for each in links["left_out"]}
    assert told == {"outside": ("out_of_scope", 4, 1), "host-budget": ("budget_spent", 2, 2)}
    assert all(each["why"] for each in links["left_out"])


def test_a_person_learns_it_in_sentences_and_no_link_moves_the_cursor(fresh, crawl):
    said = fresh("status", crawl).out
    assert "2 pages found on 2 pages (depth 1, scope prefix, 6 links not followed)" in said
    assert "2 links, budget_spent (host-budget): " in said
    assert "--max-pages-per-host" in said
    assert "pages with more than 2,000 links, of which the rest is not followed: 1" in said
    assert "\x1b" not in said


def test_a_sitemap_that_was_not_read_to_its_end_is_named(fresh, empty):
    job_id = stored_crawl(fresh("archive", "--sitemap", f"{URL}/2").out.strip(), empty, with_sitemap=True)
    links = fresh("status", job_id, "--json").json["links"]
    assert (links["cut_pages"], links["unread_sitemaps"]) == (
        1,
        [{"url": f"{URL}/2", "why": "line 7: not well-formed XML"}],
    )
    said = fresh("status", job_id).out
    assert "scope domain, sitemaps are read" in said
    assert f"not all of the sitemap {URL}/2 was read: line 7: not well-formed XML" in said


def test_a_sitemap_that_is_not_there_is_told_with_what_to_do(fresh, empty, filled, working):
    missing = filled.web.url("authority", "/no-such/sitemap.xml")
    with working(empty):
        job_id = fresh("archive", "--wait", "extracted", "--sitemap", missing).out.strip()
    said = fresh("status", job_id).out
    assert f"  sitemap {missing}: answered 404, nothing was read\n" in said
    assert "next, for sitemaps: see which one the site's robots.txt names" in said
    (unread,) = fresh("status", job_id, "--json").json["links"]["unread_sitemaps"]
    assert unread == {"url": missing, "why": "answered 404, nothing was read"}


def test_a_job_of_which_nothing_was_a_sitemap_says_so(fresh, empty, filled, working):
    with working(empty):
        job_id = fresh(
            "archive", "--wait", "extracted", "--sitemap", filled.web.url("authority", "/nowhere")
        ).out.strip()
    said = fresh("status", job_id).out
    assert "no sitemap was read: nothing that the job asked for answered with one" in said
    assert "next, for sitemaps: " in said


def test_a_job_that_follows_nothing_says_nothing_of_links(fresh):
    job_id = fresh("archive", URL).out.strip()
    assert "links" not in fresh("status", job_id, "--json").json
    assert "links:" not in fresh("status", job_id).out


def test_every_reason_has_a_sentence():
    assert set(WHY) == set(LeftOutReason)
