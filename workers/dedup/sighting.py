"""A text as it was first seen: the shingles, and what the page around it says of itself.

Several snapshots may have one text. What is compared is the first of them by time of capture (the
witness), so that a verdict does not depend on the order in which captures were worked through.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from schemas.records.snapshot import Snapshot
from workers.dedup.published import published_on
from workers.dedup.shingles import Shingles, shingle
from workers.dedup.site import site_of

_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Sighting:
    """What confirmation looks at."""

    text_sha256: str
    shingles: Shingles
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
    return Sighting(
        text_sha256=snapshot.text_sha256,
        shingles=shingle(text),
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
