"""A candidate pair becomes a near-duplicate only after a look at both texts (R058). Rules `confirm@1`.

The rules are tried in the order in which they stand in `_decide`; the first that applies decides, and
its name is stored with the figures. Overlap is exact: of the shingle sets themselves, not of sketches.
Not looked at: `rel=canonical`, which is a hint that pages get wrong by template or by malice (R033-R035,
C45); it is recorded with the snapshot and merges nothing.
"""

from __future__ import annotations

import re

from pydantic import JsonValue

from schemas.records.cluster import EdgeFigures, EdgeVerdict
from workers.dedup.shingles import is_spaceless
from workers.dedup.sighting import Sighting

RULES = "confirm@1"

WHOLE = 1_000_000  # ratios are parts per million
OVERLAP = 700_000
"""Two people do not write 70 % of the same five-word runs; one in ten words changed leaves about .45."""
SUPPORTED_OVERLAP = 500_000
"""Enough where something beside the words speaks for one story."""
CONTAINED = 900_000
TITLE_SAME = 800_000
TITLE_ALIKE = 700_000
TITLE_OTHER = 300_000
DAYS_ALIKE = 3
DAYS_OTHER = 365
REUSED_OVERLAP = 900_000
LINKS_ALIKE = 500_000
MINIMUM_LINKS = 3

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")


def confirmation_policy() -> JsonValue:
    """The rules' figures, as a bundle carries them."""
    return {
        "id": RULES,
        "overlap_ppm": OVERLAP,
        "supported_overlap_ppm": SUPPORTED_OVERLAP,
        "contained_ppm": CONTAINED,
        "title_same_ppm": TITLE_SAME,
        "title_alike_ppm": TITLE_ALIKE,
        "title_other_ppm": TITLE_OTHER,
        "days_alike": DAYS_ALIKE,
        "days_other": DAYS_OTHER,
        "reused_overlap_ppm": REUSED_OVERLAP,
        "links_alike_ppm": LINKS_ALIKE,
        "minimum_links": MINIMUM_LINKS,
    }


def judge(one: Sighting, other: Sighting) -> EdgeVerdict:
    """The verdict on a pair; the same for both orders of the arguments."""
    first, second = sorted((one, other), key=lambda sighting: sighting.text_sha256)
    figures = _figures(first, second)
    rule, confirmed = _decide(first, second, figures)
    return EdgeVerdict(
        schema="citevault/edge-verdict@1",
        a=first.text_sha256,
        b=second.text_sha256,
        confirmed=confirmed,
        rule=rule,
        figures=figures,
        params=first.shingles.params,
        rules=RULES,
    )


def _decide(one: Sighting, other: Sighting, figures: EdgeFigures) -> tuple[str, bool]:
    overlap = figures.shingle_jaccard_ppm
    title = figures.title_ppm
    if one.shingles.params != other.shingles.params or not one.shingles.values or not other.shingles.values:
        return "not-comparable", False
    if overlap == WHOLE:
        return "same-words", True
    if one.site == other.site and one.source_id != other.source_id and title is not None and title < TITLE_SAME:
        # Two pages of one site under two titles that share their text share a template.
        return "same-site-other-title", False
    if overlap < REUSED_OVERLAP and _speaks_for_another_story(figures):
        return "other-title-author-and-year", False
    if overlap >= OVERLAP:
        return "overlap", True
    if overlap >= SUPPORTED_OVERLAP:
        return _supported(figures)
    return "low-overlap", False


def _supported(figures: EdgeFigures) -> tuple[str, bool]:
    if figures.title_ppm is not None and figures.title_ppm >= TITLE_ALIKE:
        return "overlap-and-title", True
    if figures.same_author and figures.days_apart is not None and figures.days_apart <= DAYS_ALIKE:
        return "overlap-author-and-day", True
    contained = figures.containment_ppm >= CONTAINED
    if contained and figures.outlinks_ppm is not None and figures.outlinks_ppm >= LINKS_ALIKE:
        return "contained-and-links", True
    return "overlap-alone", False


def _speaks_for_another_story(figures: EdgeFigures) -> bool:
    """A text used again as a form: title, author and date all say so."""
    return (
        figures.title_ppm is not None
        and figures.title_ppm < TITLE_OTHER
        and figures.same_author is False
        and figures.days_apart is not None
        and figures.days_apart > DAYS_OTHER
    )


def _figures(one: Sighting, other: Sighting) -> EdgeFigures:
    shared = len(one.shingles.values & other.shingles.values)
    sizes = (len(one.shingles.values), len(other.shingles.values))
    return EdgeFigures(
        shingle_jaccard_ppm=_ppm(shared, sum(sizes) - shared),
        containment_ppm=_ppm(shared, min(sizes)),
        title_ppm=_title_ppm(one.title, other.title),
        same_author=None if one.author is None or other.author is None else one.author == other.author,
        days_apart=None
        if one.published is None or other.published is None
        else abs((one.published - other.published).days),
        outlinks_ppm=_links_ppm(one.outlinks, other.outlinks),
    )


def _ppm(part: int, whole: int) -> int:
    return part * WHOLE // whole if whole else 0


def _title_ppm(one: str | None, other: str | None) -> int | None:
    """Share of common words; 0 where the titles name different numbers (`Order 12`, `Order 13`)."""
    if one is None or other is None:
        return None
    if set(_NUMBER.findall(one)) != set(_NUMBER.findall(other)):
        return 0
    first, second = _title_units(one), _title_units(other)
    return _ppm(len(first & second), len(first | second)) if first | second else None


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
    return _ppm(len(one & other), len(one | other))
