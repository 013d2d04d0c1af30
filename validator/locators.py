"""Where an edge sends a person: heading, paragraph and page, derived from the text and its outline again (R078).

The outline (`headings`, `pages`) is bound by the leaf, so what differs from it is an error; of a leaf that binds none
it may be missing, and then a heading or page is told as not checked. `note` is the author's own word.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.bundle import BundleSnapshot
from schemas.records.claim import Evidence, Locator
from schemas.records.snapshot import Heading
from validator.found import Found

_FILLED_LINE: Final = re.compile(r"^[^\n]*\S", re.MULTILINE)
_BELOW_ALL: Final = 7


class Outline:
    """What locators of one text are derived from."""

    def __init__(self, snapshot: BundleSnapshot, text: str) -> None:
        self._text = text
        self.headings: Sequence[Heading] = sorted(snapshot.headings, key=lambda heading: heading.start)
        self.pages = snapshot.pages
        self.bound = snapshot.inclusion.leaf.description_sha256 is not None
        """Whether the leaf binds it: then what is not there does not exist."""
        media_type = (snapshot.content_type or "").partition(";")[0].strip().casefold()
        self.may_have_pages = self.bound is False and media_type not in ("text/html", "text/plain")

    @cached_property
    def _lines(self) -> array[int]:
        return array("q", (match.start() for match in _FILLED_LINE.finditer(self._text)))

    def paragraph(self, start: int) -> int:
        """Number of the line that a place is in, counting lines that are not empty, from 1."""
        return bisect_right(self._lines, start)

    def page(self, start: int) -> int | None:
        """Number of its page, from 1; None for a text without pages."""
        return bisect_right(self.pages, start) if self.pages else None

    def above(self, start: int) -> list[str]:
        """The last heading at or before a place, then those of higher rank that it stands under."""
        out: list[str] = []
        rank = _BELOW_ALL
        for heading in reversed(self.headings[: bisect_right(self.headings, start, key=lambda h: h.start)]):
            if heading.level < rank:
                out.append(heading.text)
                rank = heading.level
        return out


def check_locator(edge: Evidence, index: int, outline: Outline, found: Found) -> None:
    """Each of the three that is given."""
    given = edge.locator
    if given is None or (given.heading, given.paragraph, given.page) == (None, None, None):
        return
    found.looked_at("locators")
    for name, expected, checkable in _wanted(given, edge.quote_start, outline):
        actual = getattr(given, name)
        if actual is None or actual in expected:
            continue
        found.add(
            FindingKind.BUNDLE_LOCATOR if checkable else FindingKind.BUNDLE_LOCATOR_UNCHECKED,
            pointer=pointer(("evidence", index, "locator", name)),
            ids=(edge.id, edge.snapshot_id),
            expected=(" or ".join(map(str, expected)) or "none") if checkable else None,
            actual=actual,
        )


def _wanted(given: Locator, start: int, outline: Outline) -> list[tuple[str, list[str] | list[int], bool]]:
    """Name, what it may be, and whether that can be told."""
    page = outline.page(start)
    known = outline.bound or bool(outline.headings)
    return [
        ("heading", outline.above(start) if given.heading is not None else [], known),
        ("paragraph", [outline.paragraph(start)] if given.paragraph is not None else [], True),
        ("page", [] if page is None else [page], page is not None or not outline.may_have_pages),
    ]
