"""All places of a passage in a text at one step of the lattice. No rule about what may be cited: see `locate.py`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from operator import itemgetter

from schemas.records.claim import MAX_GAP, MatchLevel
from workers.cite.folding import Folds, Step

MAX_OCCURRENCES = 10_000
MAX_LONG = 100
LONG = 1_000
"""Passages over this length: each further search for one costs as much as it is long."""
MAX_ELISION = MAX_GAP
"""Code points between two parts of a quote: beyond, a reader would not take them for one passage."""


Place = tuple[int, int]
"""Half-open, code points."""


class Haystack:
    """A text that is searched."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._folds = Folds(text)

    def places(self, passage: str, step: Step) -> tuple[list[Place], bool]:
        """Where a passage stands, overlaps included, in order; and whether there are more than are listed."""
        within = self._folds.at(step)
        needle = Folds(passage).at(step).text
        found: list[Place] = []
        most = MAX_LONG if len(needle) > LONG else MAX_OCCURRENCES
        at = within.text.find(needle) if needle else -1
        while at >= 0:
            if len(found) == most:
                return found, True
            span = within.span(at, at + len(needle))
            if span is not None:
                found.append(span)
            at = within.text.find(needle, at + 1)
        return found, False

    def surrounded(self, place: Place, prefix: str, suffix: str) -> bool:
        """Whether these stand right before and after a place, in whatever presentation; white space does not count."""
        if not prefix and not suffix:
            return True
        before = self.text[max(0, place[0] - 4 * len(prefix) - 64) : place[0]]
        after = self.text[place[1] : place[1] + 4 * len(suffix) + 64]
        return _loose(before).endswith(_loose(prefix)) and _loose(after).startswith(_loose(suffix))


def chained(parts: Sequence[Sequence[Place]]) -> list[tuple[Place, ...]]:
    """The ways in which parts follow each other in their order, each with the nearest next one, no gap too wide. Of
    two ways that end alike the tighter one. The places of each part are in order."""
    if not all(parts):
        return []
    chains: dict[int, tuple[Place, ...]] = {}
    for first in parts[0]:
        chain = [first]
        for following in parts[1:]:
            at = bisect_left(following, chain[-1][1], key=itemgetter(0))
            if at == len(following) or following[at][0] - chain[-1][1] > MAX_ELISION:
                break
            chain.append(following[at])
        else:
            chains[chain[-1][1]] = tuple(chain)  # a later beginning is the tighter way to the same end
    return [chains[end] for end in sorted(chains)]


def _loose(context: str) -> str:
    return Folds(context).at(Step(MatchLevel.WHITESPACE)).text
