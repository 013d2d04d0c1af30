"""A text as it was first seen: the shingles and quantities, and what the page around it says of itself.

Several snapshots may have one text. What is compared is the first of them by time of capture (the
witness), so that a verdict does not depend on the order in which captures were worked through.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import islice

from schemas.records.snapshot import Snapshot
from workers.dedup.parameters import CHARACTER_PARAMS, MAX_TEXT_CHARS, SHINGLE_LENGTH, WORD_PARAMS
from workers.dedup.published import published_on
from workers.dedup.quantities import quantities
from workers.dedup.shingles import Shingles, shingle
from workers.dedup.site import site_of

OPENING_SHINGLES = 20
"""How many shingles the opening of a text has: its first 24 words, or letters times three where words are not
parted. A story is told from its beginning; what a template repeats comes after."""
SPACELESS_OPENING = 3

_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Sighting:
    """What confirmation looks at."""

    text_sha256: str
    shingles: Shingles
    opening: frozenset[str]
    """The shingles of its first words; empty where the text is too short to have an opening and a rest."""
    quantities: Counter[str]
    source_id: str
    site: str
    title: str | None
    author: str | None
    published: date | None
    outlinks: frozenset[str]


def sighting_of(text: str, snapshot: Snapshot, outlinks: Iterable[str]) -> Sighting:
    """The sighting of a text in its witness. `text` is the text-v1 text whose digest the snapshot holds."""
    if snapshot.text_sha256 is None:
        raise ValueError("a snapshot without a text has no sighting")
    shingles = shingle(text)
    return Sighting(
        text_sha256=snapshot.text_sha256,
        shingles=shingles,
        opening=_opening(text, shingles),
        quantities=quantities(text[:MAX_TEXT_CHARS]),
        source_id=snapshot.source_id,
        site=site_of(snapshot.normalized_url),
        title=_own_title(snapshot.title, snapshot.publisher),
        author=_folded_name(snapshot.author),
        published=published_on(snapshot.published_at, snapshot.retrieved_at),
        outlinks=frozenset(outlinks),
    )


def witness_order(snapshot_id: str) -> tuple[str, str]:
    """Sorts snapshot ids by time of capture, then by id: the smallest one witnesses a text."""
    return snapshot_id.split("-")[2], snapshot_id


def _opening(text: str, whole: Shingles) -> frozenset[str]:
    """Cut as the whole text is; empty where the beginning alone would be cut by another rule."""
    if len(whole.values) < 3 * OPENING_SHINGLES:
        return frozenset()
    length = OPENING_SHINGLES + SHINGLE_LENGTH - 1
    last = next(islice(_WORD.finditer(text), length - 1, None), None)
    words = shingle(text[: last.end()]) if last is not None else None
    if words is not None and words.params == whole.params == WORD_PARAMS:
        return words.values
    letters = shingle(text[: SPACELESS_OPENING * length])
    return letters.values if letters.params == whole.params == CHARACTER_PARAMS else frozenset()


def _own_title(title: str | None, publisher: str | None) -> str | None:
    """The title without the publisher's name at its end (`Story | The Paper`); None where nothing is left."""
    if title is None:
        return None
    kept = title.strip()
    if publisher and kept.casefold().endswith(publisher.strip().casefold()):
        shorter = kept[: len(kept) - len(publisher.strip())].rstrip(" \t|-–—·:»/")
        kept = shorter or kept
    return kept or None


def _folded_name(author: str | None) -> str | None:
    """Names compare by their letters: case, punctuation and order do not make another person."""
    if author is None:
        return None
    return " ".join(sorted(_LETTERS.findall(author.casefold()))) or None
