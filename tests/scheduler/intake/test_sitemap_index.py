"""A sitemap index brings the members that lie beside it, within limits, and says where the others are."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from scheduler.intake import SeedLines, open_source
from scheduler.intake.sitemap_index import in_folder
from schemas.records.job import BadLine
from workers.discover import sitemap

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
Read = Callable[[str], tuple[list[str], list[BadLine]]]


def index(*addresses: str) -> str:
    members = "".join(f"<sitemap><loc>{address}</loc></sitemap>\n" for address in addresses)
    return f"<sitemapindex {NAMESPACE}>{members}</sitemapindex>"


def urlset(*addresses: str) -> str:
    return f"<urlset {NAMESPACE}>" + "".join(f"<url><loc>{url}</loc></url>\n" for url in addresses) + "</urlset>"


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """The URLs and bad lines of an index that lies in the test's folder."""

    def of(text: str) -> tuple[list[str], list[BadLine]]:
        file = tmp_path / "index.xml"
        file.write_text(text, "utf-8")
        with file.open("rb") as stream:
            found = list(SeedLines(open_source(stream, name=str(file), beside=in_folder(tmp_path)).asks))
        return (
            [one.requested_url for one in found if not isinstance(one, BadLine)],
            [one for one in found if isinstance(one, BadLine)],
        )

    return of


def test_members_beside_the_index_are_read_packed_or_not(read: Read, tmp_path: Path):
    (tmp_path / "s1.xml").write_text(urlset("https://a.test/1", "ftp://a.test/"), "utf-8")
    (tmp_path / "s2.xml.gz").write_bytes(gzip.compress(urlset("https://a.test/2").encode()))
    urls, bad = read(index("https://a.test/s1.xml", "https://a.test/maps/s2.xml.gz?x=1", "https://a.test/s3.xml"))
    assert urls == ["https://a.test/1", "https://a.test/2"]
    assert [(one.line, one.code) for one in bad] == [(2, "url.scheme-not-supported"), (3, "sitemap.index")]
    assert bad[1].excerpt == "https://a.test/s3.xml"


def test_a_fault_in_a_member_names_it_and_costs_nothing_else(read: Read, tmp_path: Path):
    (tmp_path / "s1.xml").write_text('<!DOCTYPE x [<!ENTITY a "aaaa">]>' + urlset("https://a.test/&a;"), "utf-8")
    (tmp_path / "s2.xml").write_text(urlset("https://a.test/2"), "utf-8")
    urls, (bad,) = read(index("https://a.test/s1.xml", "https://a.test/s2.xml"))
    assert urls == ["https://a.test/2"]
    assert bad.code == "sitemap.doctype"
    assert bad.message.startswith("in s1.xml: ")


def test_an_index_that_names_itself_or_goes_ever_deeper_ends(read: Read, tmp_path: Path):
    for level in range(6):
        (tmp_path / f"i{level}.xml").write_text(
            index("https://a.test/i0.xml", f"https://a.test/i{level + 1}.xml"), "utf-8"
        )
    urls, bad = read(index("https://a.test/i0.xml"))
    assert urls == []
    assert {one.code for one in bad} == {"sitemap.twice", "sitemap.too-many-levels"}


@pytest.mark.parametrize("name", ["../secret.xml", "%2e%2e%2fsecret.xml", "..", "", "passwd", ".hidden.xml", "a b.xml"])
def test_only_plain_names_of_sitemaps_are_looked_for(read: Read, tmp_path: Path, name: str):
    for file in ("passwd", ".hidden.xml", "a b.xml"):
        (tmp_path / file).write_text(urlset("https://a.test/secret"), "utf-8")
    (tmp_path.parent / "secret.xml").write_text(urlset("https://a.test/secret"), "utf-8")
    urls, bad = read(index(f"https://a.test/{name}"))
    assert urls == []
    assert [one.code for one in bad] == ["sitemap.index"]


def test_a_sitemap_has_so_many_entries_and_bytes_at_most(read: Read, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sitemap, "MAX_ENTRIES", 3)
    urls, (bad,) = read(urlset(*(f"https://a.test/{number}" for number in range(5))))
    assert urls == [f"https://a.test/{number}" for number in range(3)]
    assert bad.code == "sitemap.too-many-entries"
    monkeypatch.setattr(sitemap, "MAX_BYTES", 100)
    urls, (bad,) = read(urlset("https://a.test/" + "x" * 100))
    assert (urls, bad.code) == ([], "sitemap.too-large")
