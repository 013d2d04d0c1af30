"""Chunks are spans of the text, cut at headings and sentences, and together they are all of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.snapshot import Heading
from workers.cite.chunks import pieces_of, section_at, token_estimate

TEXT = "Report\nIntro\nThe gate held on Monday. It was cold.\n\nFindings\nDetail\nIt moved by 3 mm.\n"
HEADINGS = tuple(
    Heading(level=level, text=name, start=TEXT.index(name))
    for level, name in ((1, "Report"), (2, "Intro"), (2, "Findings"), (3, "Detail"))
)


def test_a_heading_begins_a_chunk_and_its_path_is_the_section() -> None:
    """R105."""
    pieces = pieces_of(TEXT, HEADINGS, 200)
    assert [(TEXT[p.start : p.end].splitlines()[0], p.section) for p in pieces] == [
        ("Report", "Report"),
        ("Intro", "Report > Intro"),
        ("Findings", "Report > Findings"),
        ("Detail", "Report > Findings > Detail"),
    ]
    assert section_at((), 5) is None


def test_offsets_are_carried_and_not_searched() -> None:
    """X11: the same line three times is three chunks with three places."""
    text = "The same line.\n" * 3
    pieces = pieces_of(text, (), 4)
    assert [(p.start, p.end) for p in pieces] == [(0, 14), (15, 29), (30, 44)]


def test_a_long_paragraph_is_cut_after_sentences() -> None:
    text = "It was so in the first year of it. " * 100
    pieces = pieces_of(text, (), 50)
    assert len(pieces) > 5
    assert all(text[p.start : p.end].endswith(".") for p in pieces)
    assert all(p.tokens <= 100 for p in pieces)


def test_a_script_without_spaces_counts_more() -> None:
    assert token_estimate("水门在星期一关闭") == 8
    assert token_estimate("abcdefgh") == 2
    text = "水门在星期一关闭。" * 100
    assert all(text[p.start : p.end].endswith("。") for p in pieces_of(text, (), 40))


@given(st.text(alphabet="ab. \n水。\t", max_size=300), st.integers(1, 30))
def test_chunks_are_in_order_and_leave_out_nothing_but_white_space(text: str, target: int) -> None:
    pieces = pieces_of(text, (), target)
    done = 0
    for piece in pieces:
        assert done <= piece.start < piece.end <= len(text)
        assert not text[done : piece.start].strip()
        assert text[piece.start : piece.end].strip() == text[piece.start : piece.end]
        done = piece.end
    assert not text[done:].strip()
