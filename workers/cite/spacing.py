"""What leaving out white space may not do: make or unmake a little word that turns what is said.

`asymptomatic` and `a symptomatic`, `incapable` and `in capable` have the same letters. A word that a page's layout cut
(`orconvolutional`, `Po litik`) is still found.
"""

from __future__ import annotations

from typing import Final

from schemas.records.claim import MatchLevel
from workers.cite.folding import Folds, Step

_PREFIXES: Final = frozenset(
    (*("an", "ab", "de", "im", "in", "ir", "il", "no", "un"), *("non", "not", "dis", "mis", "anti", "ohne"))
)
"""Words and prefixes that turn what they are written onto. Any word of one letter counts as one."""


def same_words(passage: str, quote: str, step: Step) -> bool:
    """Whether no such word is gained or lost between two texts that are the same without white space."""
    level = MatchLevel.DEHYPHEN if step.joining else MatchLevel.PRESENTATION
    one, ones = _closed(Folds(passage).at(Step(level)).text)
    other, others = _closed(Folds(quote).at(Step(level)).text)
    if one != other:
        return False
    differing = {at for at in ones ^ others if one[at - 1].isalpha() and one[at].isalpha()}
    if any(one[at - 1] in ".,:/" and one[at].isdigit() for at in ones ^ others):
        return False  # "1. 5" and "1.5"
    both = ones | others
    return not any(_turns(_word_before(one, at, both)) or _turns(_word_after(one, at, both)) for at in differing)


def _closed(text: str) -> tuple[str, set[int]]:
    """The text without white space, and where in it, its ends left out, there was some."""
    parts = text.split()
    places: set[int] = set()
    at = 0
    for part in parts[:-1]:
        at += len(part)
        places.add(at)
    return "".join(parts), places


def _word_before(closed: str, at: int, breaks: set[int]) -> str:
    start = at - 1
    while start > 0 and start not in breaks and closed[start - 1].isalnum():
        start -= 1
    return closed[start:at]


def _word_after(closed: str, at: int, breaks: set[int]) -> str:
    end = at + 1
    while end < len(closed) and end not in breaks and closed[end].isalnum():
        end += 1
    return closed[at:end]


def _turns(word: str) -> bool:
    return (len(word) == 1 and word.isalpha() and not _is_spaceless(word)) or word.casefold() in _PREFIXES


def _is_spaceless(character: str) -> bool:
    return ord(character) >= 0x0E00 and character.lower() == character.upper()
