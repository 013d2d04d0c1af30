"""Which sitemaps a robots.txt names. How sitemaps are parsed is tested where they are handed in."""

from __future__ import annotations

import pytest

from workers.discover.sitemap import MAX_ROBOTS_BYTES, Entry, Member, Refused, named_by_robots, placed, read_sitemap

NAMED = {
    "as it should be": (b"Sitemap: https://a.test/s.xml\n", ["https://a.test/s.xml"]),
    "in any case and with blanks": (b" \tSITEMAP :\thttps://a.test/s.xml  \r\n", ["https://a.test/s.xml"]),
    "between groups": (b"User-agent: *\nSitemap: /a\nDisallow: /\nSitemap: /b\nSitemap: /a", ["/a", "/b"]),
    "after a byte-order mark": (b"\xef\xbb\xbfSitemap: /a", ["/a"]),
    "with old line ends": (b"Sitemap: /a\rSitemap: /b", ["/a", "/b"]),
    "a remark is none": (b"# Sitemap: /a\nSitemap: # none\nSitemap:\n", []),
    "a path that looks like one is none": (b"Disallow: /sitemap:x\nX-Sitemap: /a", []),
    "no UTF-8": (b"Sitemap: /\xff", ["/\ufffd"]),
    "too far down": (b"#" * MAX_ROBOTS_BYTES + b"\nSitemap: /a", []),
}


@pytest.mark.parametrize(("robots", "named"), NAMED.values(), ids=NAMED)
def test_a_robots_file_names_sitemaps(robots: bytes, named: list[str]) -> None:
    assert named_by_robots(robots) == named


@pytest.mark.parametrize(
    ("loc", "meant"),
    [
        ("https://b.test/x", "https://b.test/x"),
        ("/x?y=1", "https://a.test/x?y=1"),
        ("x", "https://a.test/deep/x"),
        ("../x", "https://a.test/x"),
        ("//b.test/x", "https://b.test/x"),
        ("?page=2", "https://a.test/deep/map.xml?page=2"),
        ("ftp://b.test/x", "ftp://b.test/x"),
        ("//[x", "//[x"),
        ("", ""),
    ],
)
def test_a_relative_address_is_resolved_as_a_link_would_be(loc: str, meant: str) -> None:
    assert placed(loc, "https://a.test/deep/map.xml") == meant


def test_pages_and_members_are_told_apart_and_a_fault_ends_it() -> None:
    assert list(read_sitemap([b"<urlset><url><loc> https://a.test/ </loc></url></urlset>"])) == [
        Entry(1, "https://a.test/")
    ]
    torn = [b"<sitemapindex>\n<sitemap><loc>https://a.test/s.xml</loc>", b"</sitemap>\n<sitemap>"]
    member, refused = read_sitemap(torn)
    assert member == Member(2, "https://a.test/s.xml")
    assert isinstance(refused, Refused)
    assert (refused.line, refused.code) == (3, "sitemap.not-xml")
