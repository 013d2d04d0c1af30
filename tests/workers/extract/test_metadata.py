"""What pages declare: names, dates with their source, canonical, language."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trafilatura import load_html

from workers.extract.json_ld import LinkedData, read_linked_data
from workers.extract.metadata import PageMetadata, read_metadata

LATEST = date(2026, 11, 29)


def metadata_of(head: str, body: str = "<p>Text of the page.</p>", attributes: str = "") -> PageMetadata:
    tree = load_html(f"<!DOCTYPE html><html {attributes}><head>{head}</head><body>{body}</body></html>")
    return read_metadata(tree, LATEST)


def linked(content: str) -> str:
    return f'<script type="application/ld+json">{content}</script>'


ARTICLE = linked(
    '{"@context":"https://schema.org","@graph":[{"@type":"Person","@id":"#a","name":"Ada Example"},'
    '{"@type":"Organization","@id":"#o","name":"The Paper"},{"@type":"WebPage","name":"wrapper"},'
    '{"@type":["NewsArticle"],"headline":"A headline","author":[{"@id":"#a"},{"name":"Bo Sample"}],'
    '"publisher":{"@id":"#o"},"datePublished":"2026-08-01T10:00:00Z","dateModified":"2026-08-02",'
    '"isAccessibleForFree":"False","inLanguage":"en-GB"}]}'
)


def test_json_ld_of_an_article_is_read_through_its_graph() -> None:
    found = metadata_of(ARTICLE)
    assert (found.title, found.author, found.publisher) == ("A headline", "Ada Example; Bo Sample", "The Paper")
    assert (found.published_at, found.published_source) == ("2026-08-01T10:00:00Z", "json-ld:datePublished")
    assert (found.modified_at, found.language, found.accessible_for_free) == ("2026-08-02", "en-GB", False)


@pytest.mark.parametrize(
    ("head", "body", "published", "source"),
    [
        ('<meta property="article:published_time" content="2026-08-01T10:00:00+02:00">', "",
         "2026-08-01T10:00:00+02:00", "meta:article:published_time"),
        ('<meta name="DC.date" content="2026-08-01">', "", "2026-08-01", "meta:dc.date"),
        ('<meta name="citation_publication_date" content="2026/08/01">', "", "2026-08-01",
         "meta:citation_publication_date"),
        ("", '<b itemprop="datePublished" content="2026-08-01">1 Aug</b>', "2026-08-01", "itemprop:datePublished"),
        ("", '<time pubdate datetime="2026-08-01">1 Aug</time>', "2026-08-01", "time:pubdate"),
        ("", '<p class="date">Published on 1 August 2026</p>', "2026-08-01", "htmldate"),
        ('<meta property="article:published_time" content="2031-01-01">', "", None, None),
        ("", "<p>No date at all.</p>", None, None),
    ],
)  # fmt: skip
def test_a_publication_date_comes_with_its_source(
    head: str, body: str, published: str | None, source: str | None
) -> None:
    found = metadata_of(head, body)
    assert (found.published_at, found.published_source) == (published, source)


def test_names_come_from_meta_elements_and_links_are_no_names() -> None:
    found = metadata_of(
        '<meta name="citation_author" content="A. One"><meta name="citation_author" content="B. Two">'
        '<meta property="article:author" content="https://facebook.example/a">'
        '<meta property="og:title" content="T &amp; U">'
        '<meta property="og:site_name" content="Site"><title>T - Site</title>'
    )
    assert (found.title, found.author, found.publisher) == ("T & U", "A. One; B. Two", "Site")


def test_a_byline_is_read_where_nothing_is_declared() -> None:
    assert metadata_of("", '<a rel="author" href="/ada">Ada Example</a>').author == "Ada Example"
    assert metadata_of("", '<div itemprop="author"><b itemprop="name">Ada</b> x</div>').author == "Ada"


def test_the_only_heading_is_the_title_before_the_title_element() -> None:
    assert metadata_of("<title>Site - page</title>", "<h1>The\n heading</h1>").title == "The heading"
    assert metadata_of("<title>Site - page</title>", "<h1>One</h1><h1>Two</h1>").title == "Site - page"


@pytest.mark.parametrize(
    ("attributes", "head", "language"),
    [
        ('lang="de-CH"', '<meta property="og:locale" content="en_US">', "de-CH"),
        ("", '<meta property="og:locale" content="en_US">', "en-US"),
        ("", '<meta http-equiv="Content-Language" content="fr, en">', "fr"),
        ('lang="not a language!"', "", None),
    ],
)
def test_the_language_is_what_the_page_declares(attributes: str, head: str, language: str | None) -> None:
    assert metadata_of(head, attributes=attributes).language == language


def test_r033_the_first_canonical_link_is_declared_and_nothing_more() -> None:
    found = metadata_of(
        '<link rel="alternate Canonical" href=" /a "><link rel=canonical href="/b"><base href="/base/">'
    )
    assert (found.canonical, found.base) == ("/a", "/base/")


@pytest.mark.parametrize(
    "script",
    ["", "{", "[[[[[[", '{"@type": 5}', "[" * 100_000, '{"@type":"Article","author":{"@id":"#x"},"headline":null}',
     '{"@type":"NewsArticle","headline":"' + "x" * 2_000_000 + '"}'],
)  # fmt: skip
def test_broken_json_ld_is_passed_over(script: str) -> None:
    assert read_linked_data([script]) == LinkedData()


def test_json_ld_in_comments_and_with_raw_line_ends_is_read() -> None:
    assert read_linked_data(['<!-- {"@type":"Article","headline":"a\nb"} -->']).headline == "a\nb"


NAMES = st.sampled_from(["@type", "@graph", "@id", "author", "publisher", "name", "headline"])
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)


@given(st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner)))
def test_any_json_is_read_without_an_exception(value: object) -> None:
    read_linked_data([json.dumps(value), json.dumps({"@type": "Article", "author": value, "publisher": value})])
