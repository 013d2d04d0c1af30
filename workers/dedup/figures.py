"""What a look at two texts finds, as figures: exact, of the shingle sets themselves, not of sketches.

Ratios are parts per million, rounded down, so that 1,000,000 means all of it.
"""

from __future__ import annotations

import re

from schemas.records.cluster import EdgeFigures
from workers.dedup.quantities import common_and_all
from workers.dedup.shingles import is_spaceless
from workers.dedup.sighting import Sighting

WHOLE = 1_000_000
MINIMUM_LINKS = 3
TITLE_OTHER = 300_000
"""Titles that have less than this in common name two things."""
OPENING_OTHER = 200_000
TELLING_LETTERS, STEM_LETTERS = 4, 5

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")


def comparable(one: Sighting, other: Sighting) -> bool:
    """Whether both are cut by one rule, and long enough to be cut."""
    return one.shingles.params == other.shingles.params and bool(one.shingles.values and other.shingles.values)


def figures_of(one: Sighting, other: Sighting) -> EdgeFigures:
    """The figures of a pair, the same for both orders."""
    shared = one.shingles.values & other.shingles.values
    sizes = (len(one.shingles.values), len(other.shingles.values))
    title = _title_ppm(one.title, other.title)
    opening = _opening_ppm(one, other)
    return EdgeFigures(
        shingle_jaccard_ppm=ppm(len(shared), sum(sizes) - len(shared)),
        containment_ppm=ppm(len(shared), min(sizes)),
        numbers_ppm=_numbers_ppm(one, other),
        opening_ppm=opening,
        title_ppm=title,
        title_in_shared_ppm=_title_in_shared_ppm(one, other, shared) if _unlike(title, opening) else None,
        same_author=None if one.author is None or other.author is None else one.author == other.author,
        days_apart=None
        if one.published is None or other.published is None
        else abs((one.published - other.published).days),
        outlinks_ppm=_links_ppm(one.outlinks, other.outlinks),
    )


def ppm(part: int, whole: int) -> int:
    return part * WHOLE // whole if whole else 0


def _unlike(title_ppm: int | None, opening_ppm: int | None) -> bool:
    """Only of two texts that begin otherwise under other titles it is asked what they share."""
    return title_ppm is not None and title_ppm < TITLE_OTHER and opening_ppm is not None and opening_ppm < OPENING_OTHER


def _numbers_ppm(one: Sighting, other: Sighting) -> int | None:
    """Share of common quantities; None where neither text names any."""
    common, every = common_and_all(one.quantities, other.quantities)
    return ppm(common, every) if every else None


def _opening_ppm(one: Sighting, other: Sighting) -> int | None:
    """How much of the opening of one stands in the other, of both the better: a copy may have a line before it."""
    if not one.opening or not other.opening:
        return None
    return max(
        ppm(len(one.opening & other.shingles.values), len(one.opening)),
        ppm(len(other.opening & one.shingles.values), len(other.opening)),
    )


def _title_ppm(one: str | None, other: str | None) -> int | None:
    """Share of common words; 0 where the titles name different numbers (`Order 12`, `Order 13`)."""
    if one is None or other is None:
        return None
    if set(_NUMBER.findall(one)) != set(_NUMBER.findall(other)):
        return 0
    first, second = _title_units(one), _title_units(other)
    return ppm(len(first & second), len(first | second)) if first | second else None


def _title_in_shared_ppm(one: Sighting, other: Sighting, shared: frozenset[str]) -> int | None:
    """How much of what one title says and the other does not stands in the text that both have, of both the better.

    A story that is retitled is still about what its title says; what pages of one template share is not.
    """
    first, second = _stems(_title_units(one.title or "")), _stems(_title_units(other.title or ""))
    own = [mine - others for mine, others in ((first, second), (second, first)) if mine - others]
    if not own:
        return None
    units = frozenset[str]().union(*(_stems(_title_units(run)) for run in shared))
    return max(ppm(len(mine & units), len(mine)) for mine in own)


def _stems(units: frozenset[str]) -> frozenset[str]:
    """The beginnings of words that say something: endings change with the sentence, and short words stand anywhere.
    Where there are only short ones (or pairs of characters), these."""
    long = [unit for unit in units if len(unit) >= TELLING_LETTERS]
    return frozenset(unit[:STEM_LETTERS] for unit in long) if long else units


def _title_units(title: str) -> frozenset[str]:
    """Words; pairs of characters in scripts without spaces."""
    folded = title.casefold()
    words = _WORD.findall(folded)
    if is_spaceless(folded, words):
        letters = "".join(words)
        return frozenset(letters[at : at + 2] for at in range(max(1, len(letters) - 1)))
    return frozenset(words)


def _links_ppm(one: frozenset[str], other: frozenset[str]) -> int | None:
    if min(len(one), len(other)) < MINIMUM_LINKS:
        return None
    return ppm(len(one & other), len(one | other))
