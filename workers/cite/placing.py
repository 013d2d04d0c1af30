"""What a draft says of a passage beside its words, held against where the words were found. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.records.claim import Importance, MatchLevel
from schemas.records.draft import DraftEvidence
from schemas.records.snapshot import Heading
from schemas.text_v1.units import OffsetUnit, to_code_points
from workers.cite.folding import Folds, Step
from workers.cite.haystack import Haystack
from workers.cite.locate import Ambiguous, Location, Quote, Span, locate_quote
from workers.cite.locator import told_apart
from workers.cite.tokens import WORDS, needs_no_blanks

_LOOSE = frozenset({MatchLevel.DEHYPHEN, MatchLevel.WHITESPACE})


def place_of(
    hay: Haystack, headings: Sequence[Heading], edge: DraftEvidence, unit: OffsetUnit, pages: Sequence[int] = ()
) -> Location:
    """Where a piece of evidence stands: by its words and context, and where these stand in several places, by the
    offset and then the locator that its author gives."""
    found = locate_quote(hay, Quote(edge.parts, edge.prefix, edge.suffix))
    if not isinstance(found, Ambiguous):
        return found
    if edge.quote_start is not None:
        start = to_code_points(hay.text, edge.quote_start, unit)
        meant = [span for span in found.spans if span.start == start]
        if meant:
            return meant[0]
    return told_apart(hay.text, headings, found, edge.locator, pages) or found


def stands_elsewhere(text: str, edge: DraftEvidence, unit: OffsetUnit, span: Span) -> bool:
    """Whether the author gives an offset, and it is not the one at which the words stand (C49)."""
    return edge.quote_start is not None and to_code_points(text, edge.quote_start, unit) != span.start


def too_loose(text: str, edge: DraftEvidence, importance: Importance, span: Span) -> bool:
    """Whether a critical claim would rest on words that were put together or taken apart to be found (C29)."""
    if importance is not Importance.CRITICAL or span.level not in _LOOSE:
        return False
    if span.level is MatchLevel.WHITESPACE and all(map(needs_no_blanks, edge.parts)):
        return False  # a line's end between ideographs parts no words
    return len(edge.parts) > 1 or _words(text[span.start : span.end]) != _words(edge.parts[0])


def _words(passage: str) -> list[str]:
    return WORDS.findall(Folds(passage).at(Step(MatchLevel.PRESENTATION)).text)
