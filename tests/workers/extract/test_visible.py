"""The second extractor: everything that a page shows, without a tree, whatever is nested in what."""

from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deploy.bombs import pages
from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.extract.limits import SandboxLimits
from workers.extract.options import VISIBLE_EXTRACTOR, html_extractor_id
from workers.extract.sandbox import Sandbox
from workers.extract.visible import read_visible

HTML = ExtractionRequest(content_type="text/html; charset=utf-8", retrieved_on="2026-11-29")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>One <b>bold</b>\n word.<p>Two", "One bold word.\nTwo"),
        ("a<br>b<hr>c", "a\nb\nc"),
        ("<table><tr><td>1<td>2<tr><th>3</table>", "1 | 2\n3"),
        ("<p>x<script>if (a < b) '</p>'</script>y<style>p{}</style>z", "xyz"),
        ("x<!-- <p>no</p> -->y<!-->z", "xyz"),
        ("<p>x<![CDATA[y]]>", "xy]]>"),
        ("R&amp;D &lt;b&gt; &eacute;&#8211;", "R&D <b> é–"),
        ('<p title="a > b">x</p>', "x"),
        ("3 < 4 and 5 > 4", "3 < 4 and 5 > 4"),
        ("<title>T</title><p>x", "x"),
        ("x<!-- no end <p>y", "x"),
        ("<noscript>Enable JavaScript</noscript><p>x", "x"),
        ("", ""),
    ],
)
def test_a_page_is_read_as_it_shows(source: str, text: str) -> None:
    assert read_visible(source).text == text


def test_what_a_page_says_of_itself_is_read_from_its_tags() -> None:
    found = read_visible(
        '<html lang="de"><title> Das &amp; Tor </title><base href="/b/"><link rel="Canonical" href="/tor">'
        "<meta name=robots content=noarchive><a href='/x?a=1&amp;b=2'>x</a><a href=/x>y</a><a href=/x>z</a>"
    )
    assert (found.title, found.language, found.base, found.canonical) == ("Das & Tor", "de", "/b/", "/tor")
    assert (found.links, found.metas) == (("/x?a=1&b=2", "/x"), (("robots", "noarchive"),))


@given(st.text(alphabet="<>!-/\"'=ab pti&;\n", max_size=200))
def test_no_markup_makes_it_raise(source: str) -> None:
    read_visible(source)


@pytest.mark.parametrize(
    "page",
    [pages.nested(5_000_000), pages.comments(500_000), pages.quotes(200_000), pages.tables(200_000)],
    ids=["nested", "comments", "quotes", "tables"],
)
def test_its_time_grows_with_the_length_of_the_page_alone(page: bytes) -> None:
    started = time.process_time()
    read_visible(page.decode())
    assert time.process_time() - started < 10


def test_a_page_too_deep_for_a_tree_is_read_by_it_under_its_id(sandbox: Sandbox) -> None:
    found = asyncio.run(sandbox.extract(pages.nested_text(5000), HTML))
    assert isinstance(found, Extracted)
    assert (found.extractor, found.title, found.language) == (VISIBLE_EXTRACTOR, "Gates", "en")
    assert found.text.startswith("The barrier consists of fourteen gates")


def test_a_page_that_kills_the_first_extractor_is_read_by_it() -> None:
    box = Sandbox(SandboxLimits(cpu_milliseconds=1000))
    try:
        found = asyncio.run(box.extract(pages.attributes(150_000), HTML))
        after = asyncio.run(box.extract(b"<p>" + pages.SENTENCE * 5, HTML))
    finally:
        box.close()
    assert isinstance(found, Extracted)
    assert (found.extractor, "fourteen gates" in found.text) == (VISIBLE_EXTRACTOR, True)
    assert isinstance(after, Extracted)
    assert after.extractor == html_extractor_id()


def test_what_is_no_html_is_not_read_by_it(sandbox: Sandbox) -> None:
    request = ExtractionRequest(content_type="application/pdf", retrieved_on="2026-11-29")
    assert isinstance(asyncio.run(sandbox.extract(b"%PDF-1.7 nothing", request)), NotExtracted)
