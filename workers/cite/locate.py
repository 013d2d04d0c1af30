"""Where a quote stands in a stored text: exactly once, or not, with what a person needs to mend it.

Level `exact` only: code point for code point, nothing folded. A span that begins or ends within a word
or number is no match, since `5 million` of `15 million` says something else (C19, C23). No guess is ever
returned as a span: what is merely alike is shown (`NotFound.nearest`) and never taken (C31).
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.records.claim import MatchLevel
from workers.cite.nearest import Passage, cut_passage, nearest_passages
from workers.cite.tokens import cuts_a_token, word_weight

MINIMUM_WEIGHT = 8
"""Word characters, ideographs counting two: below, a quote stands in too many texts to point at one."""
MAX_OCCURRENCES = 100
MAX_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the text, half-open, in code points. `text[start:end]` is what is stored as the quote."""

    start: int
    end: int
    level: MatchLevel = MatchLevel.EXACT


@dataclass(frozen=True, slots=True)
class NotFound:
    """The text has no such passage. `nearest`: the most alike first; may be empty."""

    nearest: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The quote stands in several places, and nothing given tells which is meant."""

    spans: tuple[Span, ...]
    more: bool
    """Whether there are more places than these; then the quote is hopeless as a pointer."""


@dataclass(frozen=True, slots=True)
class TooShort:
    """The quote says too little to point at anything."""

    weight: int
    required: int = MINIMUM_WEIGHT


Location = Span | NotFound | Ambiguous | TooShort


def locate_quote(text: str, quote: str, prefix: str | None = None, suffix: str | None = None) -> Location:
    """The one place of `quote` in a text-v1 text. With `prefix` or `suffix`, the place that they surround.

    Linear in the text; what is searched for a message is bounded.
    """
    weight = word_weight(quote)
    if weight < MINIMUM_WEIGHT:
        return TooShort(weight)
    before, after = prefix or "", suffix or ""
    found, more = _occurrences(text, before + quote + after)
    spans = [Span(at + len(before), at + len(before) + len(quote)) for at in found]
    whole = [span for span in spans if not cuts_a_token(text, span.start, span.end)]
    if len(whole) == 1 and not more:
        return whole[0]
    if whole:
        return Ambiguous(tuple(whole), more)
    cut = tuple(cut_passage(text, span.start, span.end) for span in spans[:MAX_SHOWN])
    return NotFound(cut or nearest_passages(text, quote))


def _occurrences(text: str, wanted: str) -> tuple[list[int], bool]:
    """Where a string begins, overlaps included; and whether the search was ended before the text was."""
    found: list[int] = []
    at = text.find(wanted)
    while at >= 0:
        if len(found) == MAX_OCCURRENCES:
            return found, True
        found.append(at)
        at = text.find(wanted, at + 1)
    return found, False
