"""Where a person looks for a span: the heading above it and the number of its paragraph (R078).

Headings come with the snapshot; paragraphs are the lines of a text-v1 text that are not empty, from 1.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from schemas.records.claim import Locator
from schemas.records.snapshot import Heading
from workers.cite.locate import Ambiguous, Span

_FILLED_LINE = re.compile(r"^[^\n]*\S", re.MULTILINE)


def heading_of(headings: Sequence[Heading], start: int) -> str | None:
    """The last heading that begins at or before a place; None where there is none."""
    above = [heading for heading in headings if heading.start <= start]
    return max(above, key=lambda heading: heading.start).text if above else None


def headings_above(headings: Sequence[Heading], start: int) -> tuple[str, ...]:
    """The last heading that begins at or before a place, and those of higher rank that it stands under, outwards."""
    out: list[str] = []
    rank = 7
    for heading in sorted((h for h in headings if h.start <= start), key=lambda h: h.start, reverse=True):
        if heading.level < rank:
            out.append(heading.text)
            rank = heading.level
    return tuple(out)


def paragraph_of(text: str, start: int) -> int:
    """Number of the line that a place is in, counting lines that are not empty, from 1."""
    line_end = text.find("\n", start)
    return sum(1 for _ in _FILLED_LINE.finditer(text, 0, len(text) if line_end < 0 else line_end))


def page_of(pages: Sequence[int], start: int) -> int | None:
    """Number of the page that a place is on, from 1; None for a text without pages. An empty page holds no place."""
    return bisect_right(pages, start) if pages else None


def locator_of(
    text: str, headings: Sequence[Heading], span: Span, given: Locator | None, pages: Sequence[int] = ()
) -> Locator:
    """What the author says, and what the text tells where the author says nothing."""
    base = given or Locator()
    heading = base.heading if base.heading is not None else heading_of(headings, span.start)
    paragraph = base.paragraph if base.paragraph is not None else paragraph_of(text, span.start)
    page = base.page if base.page is not None else page_of(pages, span.start)
    return base.model_copy(update={"heading": heading, "paragraph": paragraph, "page": page})


def told_apart(
    text: str, headings: Sequence[Heading], found: Ambiguous, given: Locator | None, pages: Sequence[int] = ()
) -> Span | None:
    """The one of several places that answers to the author's heading, paragraph and page; None where that is not
    one. A page is only asked for where the text has pages."""
    page = given.page if given is not None and pages else None
    if given is None or found.more or (given.heading is None and given.paragraph is None and page is None):
        return None
    spans = [span for span in found.spans if page is None or page == page_of(pages, span.start)]
    fitting = [span for span in spans if _fits(text, headings, span, given)]
    return fitting[0] if len(fitting) == 1 else None


def contradicted(
    text: str, headings: Sequence[Heading], span: Span, given: Locator | None, pages: Sequence[int] = ()
) -> str | None:
    """What the author's locator says that the text does not; None where it says nothing, or the same. A reader's
    own names for places go into `note`."""
    if given is None:
        return None
    above = headings_above(headings, span.start)
    if given.heading is not None and given.heading not in above:
        return f"the heading {given.heading!r}, and the text has {' under '.join(map(repr, above)) or 'none'} there"
    paragraph, page = paragraph_of(text, span.start), page_of(pages, span.start)
    if given.paragraph is not None and given.paragraph != paragraph:
        return f"paragraph {given.paragraph}, and the words stand in paragraph {paragraph}"
    if given.page is not None and given.page != page:
        return (
            f"page {given.page}, and {'the text has no pages' if page is None else f'the words stand on page {page}'}"
        )
    return None


def _fits(text: str, headings: Sequence[Heading], span: Span, given: Locator) -> bool:
    if given.heading is not None and given.heading not in headings_above(headings, span.start):
        return False
    return given.paragraph is None or given.paragraph == paragraph_of(text, span.start)
