"""Headings and their places in the text (R078)."""

from hypothesis import given
from hypothesis import strategies as st

from workers.extract.headings import locate_headings


def test_headings_are_found_as_lines_in_order() -> None:
    text = "Title\nIntro with Part in it.\nPart\nBody.\nPart\nMore.\n"
    found = locate_headings([(1, "Title"), (2, "Part"), (3, "Part")], text)
    assert [(h.level, h.start) for h in found] == [(1, 0), (2, 29), (3, 40)]


def test_a_heading_that_the_text_does_not_show_as_a_line_has_no_place() -> None:
    assert locate_headings([(2, "Missing"), (2, ""), (2, "Part")], "| Part |\nPart of it\n") == ()


def test_a_heading_is_compared_in_text_v1() -> None:
    (found,) = locate_headings([(2, "Cafe\u0301\u00ad bar")], "x\nCafé bar\n")
    assert (found.text, found.start) == ("Café bar", 2)


@given(st.lists(st.text(alphabet="ab \n", max_size=6), max_size=5), st.text(alphabet="ab \n", max_size=40))
def test_a_located_heading_stands_where_it_says(headings: list[str], text: str) -> None:
    for heading in locate_headings([(2, h) for h in headings], text + "\n"):
        assert text[heading.start : heading.start + len(heading.text)] == heading.text
