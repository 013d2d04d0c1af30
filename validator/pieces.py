"""Whether a text's letters stand in a document in their order, with whole elements left out between them.

An extractor drops elements: an advertisement within an article, a caption within a paragraph, a formula
within a sentence. What it drops may be long, but begins and ends at tags. So a step over any distance is
allowed from one tag to another, and over none else.
"""

from __future__ import annotations

import heapq
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from validator.markup import SEAM
from validator.words import word_characters

MAX_STEPS: Final = 200_000
"""Places and seams that are tried for one text (half a second); a hostile document gets no more."""


@cache
def _parts() -> re.Pattern[str]:
    return re.compile(rf"[{word_characters()}]+|{SEAM}")


@dataclass(frozen=True, slots=True)
class Pieces:
    """The letters of a document, and where tags stand between them."""

    letters: str
    seams: Sequence[int]
    """Offsets in `letters`, ascending, with start and end."""
    by_letter: Mapping[str, Sequence[int]]
    """Seams by the letter that follows them."""


def read_pieces(seamed: str) -> Pieces:
    """Take a text with seams apart."""
    parts: list[str] = []
    seams = [0]
    size = 0
    for part in _parts().findall(seamed):
        if part != SEAM:
            parts.append(part)
            size += len(part)
        elif seams[-1] != size:
            seams.append(size)
    if seams[-1] != size:
        seams.append(size)
    letters = "".join(parts)
    by_letter: dict[str, list[int]] = {}
    for seam in seams:
        if seam < size:
            by_letter.setdefault(letters[seam], []).append(seam)
    return Pieces(letters, seams, by_letter)


def stands_in_pieces(wanted: str, pieces: Pieces) -> bool:
    """Whether `wanted` (letters, not empty) can be read off the document with steps from seam to seam.

    For each part of `wanted` that can be read from its start the earliest end is kept: what can be reached
    from a later one can be reached from it too. The first letter may stand anywhere, and so may the last.
    """
    letters = pieces.letters
    best: dict[int, int] = {0: 0}
    waiting = [0]
    steps = 0
    while waiting:
        done = heapq.heappop(waiting)
        places = pieces.by_letter.get(wanted[done], ()) if done else _starts(wanted, pieces)
        for index in range(bisect_left(places, best[done]), len(places)):
            place = places[index]
            steps += 1
            if steps > MAX_STEPS:
                return False
            same = _common(wanted, done, letters, place)
            if done + same == len(wanted):
                return True
            first, last = bisect_right(pieces.seams, place), bisect_right(pieces.seams, place + same)
            steps += last - first
            for at in range(first, last):
                seam = pieces.seams[at]
                reached = done + seam - place
                if reached not in best:
                    heapq.heappush(waiting, reached)
                if seam < best.get(reached, seam + 1):
                    best[reached] = seam
    return False


def _starts(wanted: str, pieces: Pieces) -> Sequence[int]:
    """Where the text may begin: at a seam, or anywhere if its first letters stand there."""
    letters, found = pieces.letters, set(pieces.by_letter.get(wanted[0], ()))
    at = letters.find(wanted[:4])
    while at >= 0 and len(found) < MAX_STEPS:
        found.add(at)
        at = letters.find(wanted[:4], at + 1)
    return sorted(found)


def _common(wanted: str, done: int, letters: str, place: int) -> int:
    """How many letters are the same from there on, by halving: comparing slices is fast."""
    low, high = 0, min(len(wanted) - done, len(letters) - place)
    while low < high:
        middle = (low + high + 1) // 2
        if letters.startswith(wanted[done : done + middle], place):
            low = middle
        else:
            high = middle - 1
    return low
