"""What a page says of itself, as its snapshot has it: what an independent reader finds, and what the archive says.

A leaf binds it, so no author of a bundle can change it; whether the archive read it rightly is another question. A
title or name whose words stand in the decoded payload is found without the extractor. Dates, languages and the like
are drawn from many places by rules of the extractor alone: `--re-extract` has it read them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from schemas.description import DESCRIBED
from schemas.records.bundle import BundleSnapshot
from validator.found import Found
from validator.input import BundleInput
from validator.payload_words import PayloadWords
from validator.reextract import READ
from validator.snapshot_fields import RECOMPUTED

FOUND: Final[Mapping[str, str]] = {"title": "titles in payloads", "author": "authors in payloads"}
"""Fields, and what they are counted as where all of their words were found."""
OUTLINE: Final = ("headings", "pages")
JUDGED: Final = ("reader_status", "inclusion/leaf/tier", "inclusion/leaf/cluster_id", "inclusion/leaf/group")
"""What the archive thought of it, which is nothing that a page says."""


def count_said(snapshot: BundleSnapshot, words: PayloadWords, found: Found) -> None:
    """Count what of a snapshot stands in its payload. Several authors are parted by `;`."""
    for name, what in FOUND.items():
        value = getattr(snapshot, name)
        parts = [part for part in value.split(";") if part.strip()] if name == "author" and value else [value]
        if value and all(words.says_of_itself(part) for part in parts):
            found.looked_at(what)


def archives_word(given: BundleInput, found: Found, *, read_again: bool) -> tuple[str, ...]:
    """Fields that leaves bind and that nothing here has held against the payload, as JSON Pointers, sorted."""
    bound = [s for s in given.bundle.snapshots if s.inclusion.leaf.description_sha256 is not None]
    left = {*DESCRIBED, *OUTLINE} - set(RECOMPUTED) if bound else set()
    if read_again:
        left -= {*READ, *OUTLINE}
    for name, what in FOUND.items():
        if found.checked.get(what, 0) == sum(bool(getattr(s, name)) for s in given.bundle.snapshots):
            left.discard(name)
    return tuple(sorted(f"/snapshots/*/{name}" for name in (*left, *JUDGED)))
