"""Everybody fetches the same pages, and they are what `performance.md` says."""

from __future__ import annotations

import hashlib
from pathlib import Path

from deploy.bench.capture.pages import LEAST_BYTES, MEAN_BYTES, MOST_BYTES, make_pages


def test_pages_are_of_the_promised_sizes_and_no_two_are_equal(tmp_path: Path) -> None:
    pages = make_pages(tmp_path / "pages", count=300).pages
    assert all(LEAST_BYTES <= page.size <= MOST_BYTES for page in pages)
    assert abs(sum(page.size for page in pages) / 300 - MEAN_BYTES) < 0.1 * MEAN_BYTES
    assert len({page.digest for page in pages}) == 300


def test_a_page_names_its_own_bytes(tmp_path: Path) -> None:
    made = make_pages(tmp_path / "pages", count=3)
    for page in made.pages:
        body = (made.folder / page.name).read_bytes()
        assert (len(body), hashlib.sha256(body).hexdigest()) == (page.size, page.digest)


def test_pages_are_made_once_and_again_only_for_another_recipe(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    first = make_pages(folder, count=3)
    marked = folder / first.pages[0].name
    marked.write_bytes(b"not made again")
    assert make_pages(folder, count=3) == first
    assert marked.read_bytes() == b"not made again"
    make_pages(folder, count=3, seed=2)
    assert marked.read_bytes() != b"not made again"


def test_real_html_is_what_pages_are_cut_out_of_where_there_is_some(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.html").write_bytes(b"<p>seen nowhere else</p>\n" * 6000)
    made = make_pages(tmp_path / "pages", count=2, source=tmp_path)
    assert made.kind == "real"
    assert b"seen nowhere else" in (made.folder / made.pages[0].name).read_bytes()
    assert make_pages(tmp_path / "other", count=2).kind == "made"
