"""RSS and Atom to text, sloppy ones too; other XML is told apart, and entities are not resolved."""

from __future__ import annotations

from datetime import date

import pytest

from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.extract.feed import FeedContent, NoFeed, extract_feed
from workers.extract.options import PLAIN_EXTRACTOR, feed_extractor_id, html_extractor_id
from workers.extract.pipeline import extract_payload

LATEST = date(2026, 11, 29)
RSS = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>Bridges &amp; Barriers</title><link>https://example.org/</link><description>All of them</description>
<language>en-gb</language><lastBuildDate>Sat, 28 Nov 2026 09:00:00 GMT</lastBuildDate>
<item><title>Gates</title><link>https://example.org/gates</link><description>short</description>
<content:encoded><![CDATA[<p>It has <b>fourteen</b> gates&nbsp;&ndash; no more.</p><script>no()</script>
<p>Each is wide.</p>]]></content:encoded></item>
<item><title>Costs</title><description>&lt;p&gt;Three million.&lt;/p&gt;</description></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de">
<title>Brücken</title><updated>2026-11-28T09:00:00Z</updated>
<author><name>Ada Example</name></author><link rel="alternate" href="https://example.org/"/>
<entry><title type="html">Das &lt;em&gt;Tor&lt;/em&gt;</title><link href="/tor"/>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">
<p>Es hat 14 Tore.</p><p>Jedes ist breit.</p></div></content>
</entry><entry><title>Kosten</title><summary>Drei Millionen.</summary></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel><title>Old</title></channel>
<item><title>One</title><description>It has gates.</description></item></rdf:RDF>"""


def read(source: str) -> FeedContent:
    found = extract_feed(source, latest=LATEST)
    assert isinstance(found, FeedContent), found
    return found


def test_rss_gives_titles_and_the_fullest_content_of_each_item() -> None:
    found = read(RSS)
    assert found.text == (
        "Bridges & Barriers\nAll of them\nGates\n"
        "It has fourteen gates\xa0– no more.\nEach is wide.\nCosts\nThree million.\n"
    )
    assert [(h.text, found.text[h.start :][: len(h.text)]) for h in found.headings] == [("Gates",) * 2, ("Costs",) * 2]
    assert (found.title, found.language, found.published_at) == ("Bridges & Barriers", "en-gb", "2026-11-28T09:00:00Z")
    assert found.links == ("https://example.org/", "https://example.org/gates")


def test_atom_is_read_with_markup_as_such_and_escaped() -> None:
    found = read(ATOM)
    assert found.text == "Brücken\nDas Tor\nEs hat 14 Tore.\nJedes ist breit.\nKosten\nDrei Millionen.\n"
    assert (found.author, found.language, found.published_at) == ("Ada Example", "de", "2026-11-28T09:00:00Z")
    assert found.links == ("https://example.org/", "/tor")


def test_rss_1_0_is_read() -> None:
    assert read(RDF).text == "Old\nOne\nIt has gates.\n"


@pytest.mark.parametrize(
    "sloppy",
    [
        RSS.replace("&amp; B", "& B"),
        RSS.replace("</rss>", ""),
        RSS.replace("<channel>", "<channel><x></y>"),
        RSS.replace("All of", "All&nbsp;of"),
        "\n\n" + RSS,
    ],
    ids=["bare ampersand", "not closed", "wrongly closed", "HTML entity", "blanks before"],
)
def test_sloppy_feeds_are_read_to_their_end(sloppy: str) -> None:
    assert read(sloppy).text.endswith("Costs\nThree million.\n")


def test_entities_are_neither_resolved_nor_fetched() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    source = (
        f'<!DOCTYPE rss [<!ENTITY l0 "ha">{laughs}<!ENTITY file SYSTEM "file:///etc/passwd">]>'
        "<rss><channel><title>Ha</title><item><title>x&l9;&file;y</title></item></channel></rss>"
    )
    assert read(source).text == "Ha\nx&l9;&file;y\n"
    assert "root:" not in read(source).text


def test_a_feed_that_is_cut_by_a_limit_is_refused_whole() -> None:
    deep = "<rss><channel><title>T</title>" + "<item>" * 5000
    assert isinstance(extract_feed(deep, latest=LATEST), NoFeed)


@pytest.mark.parametrize(
    ("content_type", "source", "extractor"),
    [
        ("application/rss+xml; charset=utf-8", RSS, feed_extractor_id()),
        ("application/atom+xml", ATOM, feed_extractor_id()),
        ("text/xml", RSS, feed_extractor_id()),
        (None, RSS, feed_extractor_id()),
        ("application/xml", f"<html><body>{'<p>It has fourteen gates.</p>' * 9}</body></html>", html_extractor_id()),
        (None, "<?xml version='1.0'?><note>It has fourteen gates.</note>", PLAIN_EXTRACTOR),
    ],
)
def test_xml_is_read_by_what_it_holds(content_type: str | None, source: str, extractor: str) -> None:
    found = extract_payload(source.encode(), ExtractionRequest(content_type=content_type, retrieved_on="2026-11-29"))
    assert isinstance(found, Extracted), found
    assert found.extractor == extractor


def test_other_xml_is_an_unsupported_type() -> None:
    request = ExtractionRequest(content_type="image/svg+xml", retrieved_on="2026-11-29")
    found = extract_payload(b"<svg xmlns='http://www.w3.org/2000/svg'><text>x</text></svg>", request)
    assert isinstance(found, NotExtracted)
    assert (found.status, found.reason) == ("unsupported_type", "media-type.image/svg+xml")


def test_a_feed_keeps_the_charset_of_its_declaration() -> None:
    source = RSS.replace('encoding="utf-8"', 'encoding="windows-1251"').replace("All of them", "Все мосты")
    request = ExtractionRequest(content_type="text/xml", retrieved_on="2026-11-29")
    found = extract_payload(source.encode("windows-1251", "xmlcharrefreplace"), request)
    assert isinstance(found, Extracted)
    assert (found.charset, "Все мосты" in found.text) == ("windows-1251", True)
