from __future__ import annotations

import pytest

from schemas.records.claim import Locator
from schemas.records.snapshot import Heading
from workers.cite.context import in_context, prefix_of, suffix_of
from workers.cite.locate import Ambiguous, Span, locate_quote
from workers.cite.locator import heading_of, locator_of, paragraph_of, told_apart

TEXT = "Report\nIntroduction\nThe gate held on Monday.\n\nFindings\nThe gate held on Monday.\nIt will hold.\n"
HEADINGS = (
    Heading(level=1, text="Report", start=0),
    Heading(level=2, text="Introduction", start=TEXT.index("Introduction")),
    Heading(level=2, text="Findings", start=TEXT.index("Findings")),
)


def test_a_place_has_the_heading_above_it_and_the_number_of_its_paragraph():
    """R078."""
    start = TEXT.index("It will hold.")
    assert heading_of(HEADINGS, start) == "Findings"
    assert paragraph_of(TEXT, start) == 6
    assert paragraph_of(TEXT, 0) == 1
    assert heading_of((), start) is None


def test_what_the_author_says_is_kept_and_the_rest_is_derived():
    found = locate_quote(TEXT, "It will hold.")
    assert isinstance(found, Span)
    locator = locator_of(TEXT, HEADINGS, found, Locator(page=3, heading="§ 2"))
    assert (locator.heading, locator.paragraph, locator.page) == ("§ 2", 6, 3)
    assert locator_of(TEXT, HEADINGS, found, None) == Locator(heading="Findings", paragraph=6)


@pytest.mark.parametrize(
    ("given", "paragraph"),
    [
        (Locator(heading="Introduction"), 3),
        (Locator(heading="Findings"), 5),
        (Locator(paragraph=5), 5),
        (Locator(heading="Introduction", paragraph=5), None),
        (Locator(heading="Elsewhere"), None),
        (Locator(page=1), None),
        (None, None),
    ],
)
def test_a_locator_tells_two_places_apart_or_it_does_not(given: Locator | None, paragraph: int | None):
    found = locate_quote(TEXT, "The gate held on Monday.")
    assert isinstance(found, Ambiguous)
    span = told_apart(TEXT, HEADINGS, found, given)
    assert (None if span is None else paragraph_of(TEXT, span.start)) == paragraph


def test_context_is_32_code_points_and_shorter_only_at_the_ends():
    text = "🤔" * 40 + "quote" + "é" * 10
    assert prefix_of(text, 40) == "🤔" * 32
    assert suffix_of(text, 45) == "é" * 10
    assert prefix_of(text, 3) == "🤔" * 3
    assert in_context("one two three", 4, 7) == "one [two] three"
