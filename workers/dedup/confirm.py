"""A candidate pair becomes a near-duplicate only after a look at both texts (R058). Rules `confirm@3`.

The rules are tried in the order in which they stand in `_decide`; the first that applies decides, and its name is
stored with the figures (`figures.py`). `RULE_WORDS` says each in a sentence, for whoever asks why.

Not looked at: `rel=canonical`, which is a hint that pages get wrong by template or by malice (R033-R035, C45); it is
recorded with the snapshot and merges nothing. What R034 asks of one is shown where a pair is explained.

Copies that name other numbers are one story all the same: to keep them apart would make two sources of one. But
their verdict says so (`numbers_ppm` below 1,000,000), and whoever shows a cluster has to show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from schemas.records.cluster import EdgeFigures, EdgeVerdict
from workers.dedup.figures import (
    MINIMUM_LINKS,
    OPENING_OTHER,
    STEM_LETTERS,
    TELLING_LETTERS,
    TITLE_OTHER,
    WHOLE,
    comparable,
    figures_of,
)
from workers.dedup.sighting import OPENING_SHINGLES, Sighting

RULES = "confirm@3"
EARLIER = ("confirm@1", "confirm@2")
"""Verdicts by these stay in the log, and are told where a pair is explained."""

OVERLAP = 700_000
"""Two people do not write 70 % of the same five-word runs; one in ten words changed leaves about .45."""
SUPPORTED_OVERLAP = 500_000
"""Enough where something beside the words speaks for one story."""
CONTAINED = 900_000
TITLE_SAME = 800_000
TITLE_ALIKE = 700_000
DAYS_ALIKE = 3
DAYS_OTHER = 365
REUSED_OVERLAP = 900_000
LINKS_ALIKE = 500_000
NUMBERS_OTHER = 250_000
"""A form that is filled in anew agrees in the words and in few of its numbers. Revisions of one document that share
70 % of their runs share more: of 66 such pairs of drafts and readmes, .43 at least."""
MINIMUM_NUMBERS = 5
"""Fewer numbers say nothing of a form: with one figure changed, half of two are other ones."""
TITLE_ABSENT = 334_000
"""Less than a third of what a title says."""

RULE_WORDS: Final[Mapping[str, str]] = {
    "not-comparable": "the texts are cut by different rules, or too short to be cut",
    "same-words": "the words are the same, in the same runs",
    "same-site-other-title": "two pages of one site under two titles: what they share is its template",
    "same-site-other-numbers": "two pages of one site that agree in few of their numbers: a form filled in anew",
    "same-site-other-opening": "two pages of one site, one without a title, that begin otherwise: a template",
    "shared-frame": "other titles, other openings, and what the texts share is about neither title: a frame around two "
    "contents, such as a legal notice",
    "other-title-author-and-year": "a text used again as a form: title, author and year are other ones",
    "form-other-numbers": "less than 90 % of the runs and less than a quarter of the numbers agree: a form filled"
    " in anew",
    "overlap": "at least 70 % of all five-word runs are in both",
    "overlap-and-title": "at least half of all five-word runs are in both, and the titles are alike",
    "overlap-author-and-day": "at least half of all five-word runs are in both, by one author within three days",
    "contained-and-links": "one text is within the other, and they link to the same pages",
    "overlap-alone": "more than half of all five-word runs are in both, and nothing else speaks for one story",
    "low-overlap": "less than half of all five-word runs are in both",
}


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
        "title_absent_ppm": TITLE_ABSENT,
        "telling_letters": TELLING_LETTERS,
        "stem_letters": STEM_LETTERS,
        "opening_shingles": OPENING_SHINGLES,
        "opening_other_ppm": OPENING_OTHER,
        "numbers_other_ppm": NUMBERS_OTHER,
        "minimum_numbers": MINIMUM_NUMBERS,
        "days_alike": DAYS_ALIKE,
        "days_other": DAYS_OTHER,
        "reused_overlap_ppm": REUSED_OVERLAP,
        "links_alike_ppm": LINKS_ALIKE,
        "minimum_links": MINIMUM_LINKS,
    }


def judge(one: Sighting, other: Sighting) -> EdgeVerdict:
    """The verdict on a pair; the same for both orders of the arguments."""
    first, second = sorted((one, other), key=lambda sighting: sighting.text_sha256)
    figures = figures_of(first, second)
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
    if not comparable(one, other):
        return "not-comparable", False
    overlap = figures.shingle_jaccard_ppm
    if overlap == WHOLE:
        return "same-words", True
    if overlap < SUPPORTED_OVERLAP:
        return "low-overlap", False
    apart = _template(one, other, figures)
    if apart is not None:
        return apart, False
    if overlap < REUSED_OVERLAP and _speaks_for_another_story(figures):
        return "other-title-author-and-year", False
    if overlap < REUSED_OVERLAP and _is_filled_in_anew(one, other, figures):
        return "form-other-numbers", False
    if overlap >= OVERLAP:
        return "overlap", True
    return _supported(figures)


def _template(one: Sighting, other: Sighting, figures: EdgeFigures) -> str | None:
    """The rule by which what two texts share is a frame around two contents; None: no such rule applies."""
    title = figures.title_ppm
    if one.site == other.site and one.source_id != other.source_id:
        if title is not None and title < TITLE_SAME:
            return "same-site-other-title"
        if _is_filled_in_anew(one, other, figures):
            return "same-site-other-numbers"
        if title is None and figures.opening_ppm is not None and figures.opening_ppm < OPENING_OTHER:
            return "same-site-other-opening"
    if figures.title_in_shared_ppm is not None and figures.title_in_shared_ppm < TITLE_ABSENT:
        return "shared-frame"
    return None


def _is_filled_in_anew(one: Sighting, other: Sighting, figures: EdgeFigures) -> bool:
    """A form agrees in its words and in few of its numbers."""
    enough = min(one.quantities.total(), other.quantities.total()) >= MINIMUM_NUMBERS
    return enough and figures.numbers_ppm is not None and figures.numbers_ppm < NUMBERS_OTHER


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
