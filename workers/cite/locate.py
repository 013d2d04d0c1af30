"""Where a quote stands in a stored text: exactly once, or not, with what a person needs to mend it.

The strictest level of the lattice (`folding.py`) that has the passage decides, and is told. At every level a span that
begins or ends within a word or number is no match, since `5 million` of `15 million` says something else (C19, C23),
and a passage that would gain or lose a figure, a comparison or a negation is none either. No guess is ever returned as
a span: what is merely alike is shown (`NotFound.nearest`) and never taken (C31).
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.records.claim import MatchLevel
from workers.cite.folding import STEPS, Step
from workers.cite.haystack import Haystack, Place, chained
from workers.cite.information import MINIMUM_BITS, MINIMUM_WEIGHT, information_bits, says_enough
from workers.cite.meaning import telling
from workers.cite.nearest import Passage, cut_passage, nearest_passages
from workers.cite.spacing import same_words
from workers.cite.tokens import cuts_a_token, word_weight

MAX_OCCURRENCES = 100
MAX_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Quote:
    """What is looked for: one passage, or parts of one that follow each other with something left out (C21)."""

    parts: tuple[str, ...]
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the text, half-open, in code points. `text[start:end]` is what is stored as the quote: of a quote in
    parts all that stands between its first and its last, too."""

    start: int
    end: int
    level: MatchLevel = MatchLevel.EXACT
    parts: tuple[Place, ...] = ()
    """Where each part stands, of a quote in parts; none of a quote that leaves nothing out."""


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
    bits: int
    required: int = MINIMUM_WEIGHT
    required_bits: int = MINIMUM_BITS


Location = Span | NotFound | Ambiguous | TooShort


def locate_quote(
    text: str | Haystack, quote: str | Quote, prefix: str | None = None, suffix: str | None = None
) -> Location:
    """The one place of `quote` in a text-v1 text. With `prefix` or `suffix`, the place that they surround.

    Linear in the text; what is searched for a message is bounded.
    """
    hay = text if isinstance(text, Haystack) else Haystack(text)
    wanted = quote if isinstance(quote, Quote) else Quote((quote,), prefix or "", suffix or "")
    said = " ".join(wanted.parts)
    if not says_enough(said) or not all(part.strip() for part in wanted.parts):
        return TooShort(word_weight(said), information_bits(said))
    cut: list[Place] = []
    for step in STEPS:
        spans, more, refused = _at(hay, wanted, step)
        cut = cut or refused
        if len(spans) == 1 and not more:
            return spans[0]
        if spans:
            return Ambiguous(tuple(spans[:MAX_OCCURRENCES]), more or len(spans) > MAX_OCCURRENCES)
    shown = tuple(cut_passage(hay.text, start, end) for start, end in cut[:MAX_SHOWN])
    return NotFound(shown or nearest_passages(hay.text, said))


def _at(hay: Haystack, wanted: Quote, step: Step) -> tuple[list[Span], bool, list[Place]]:
    """The spans at one step, whether there are more, and places that cut a word or number."""
    whole: list[list[Place]] = []
    cut: list[Place] = []
    unfinished = False
    for part in wanted.parts:
        places, more = hay.places(part, step)
        unfinished = unfinished or more
        refused = [place for place in places if cuts_a_token(hay.text, *place)]
        cut += refused
        refused_places = set(refused)
        whole.append([p for p in places if p not in refused_places and _says_the_same(hay.text, p, part, step)])
    spans = [
        Span(chain[0][0], chain[-1][1], step.level, tuple(chain) if len(chain) > 1 else ())
        for chain in chained(whole)
        if hay.surrounded((chain[0][0], chain[-1][1]), wanted.prefix, wanted.suffix)
    ]
    return spans, unfinished, cut


def _says_the_same(text: str, place: Place, part: str, step: Step) -> bool:
    if step.level is MatchLevel.EXACT:
        return True
    passage = text[place[0] : place[1]]
    if telling(passage) != telling(part):
        return False
    return step.level is not MatchLevel.WHITESPACE or same_words(passage, part, step)
