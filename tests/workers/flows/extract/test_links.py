"""When links are taken within the extract stage, and what a snapshot line says of them."""

from __future__ import annotations

PAGE = (
    b"<html><body><p><a href='/a'>a</a><a rel=nofollow href='/b'>b</a><a rel=nofollow href='./c'>c</a>"
    b"<a href='c'>c</a></p></body></html>"
)


def test_links_are_taken_after_the_catalog_and_before_the_ledger(bench, captured) -> None:
    """The ledger says that a segment is extracted, and by that a job may end."""
    bench.lines(captured("https://example.org/", PAGE))
    assert [(lines, advanced) for _, lines, advanced in bench.memory.linked] == [(1, 0)]


def test_a_line_names_the_links_that_are_marked_wherever_they_stand(bench, captured) -> None:
    (line,) = bench.lines(captured("https://example.org/", PAGE))
    assert line.outlinks == ("https://example.org/a", "https://example.org/b", "https://example.org/c")
    assert line.nofollow_outlinks == ("https://example.org/b",)
    assert line.outlinks_complete
