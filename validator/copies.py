"""Copies that count as independent, found in the texts themselves (R071).

Clusters are the author's word, and a leaf tells only what was known when it was published. But a bundle holds the
texts, so what is asked of a near-duplicate can be asked here: exact overlap of five-word runs. Only pairs that a
critical claim counts apart are looked at, and of these only such as share a whole sentence: two texts with 70 % of
their runs in common always do.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, TypeAlias

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.finding import Severity
from validator.cuts import is_spaceless
from validator.found import Found
from validator.independence import Group
from validator.input import BundleInput
from validator.limits import LIMITS
from validator.place import Unavailable, read_all

RUN: Final = 5
"""Words; characters where a script has no blanks."""
COPY_PPM, ALIKE_PPM = 900_000, 700_000
SHORTEST_SENTENCE: Final = 12
"""Characters. Below, texts share a sentence by chance."""
SPACELESS_SHARE: Final = 0.3
ENDS: Final = ".!?\u3002\uff01\uff1f"
_WORD: Final = re.compile(r"\w+")

Sentences: TypeAlias = "array[int]"
"""Hashes, sorted: an array takes an eighth of what a set does."""


def sentences_of(text: str) -> Sentences:
    """Hashes of a text's sentences, for finding pairs that are worth a look."""
    for end in ENDS:
        text = text.replace(end, "\n")
    found = {hash(s.strip().casefold()) for s in text.split("\n") if len(s) >= SHORTEST_SENTENCE}
    return array("q", sorted(found))


def runs_of(text: str) -> frozenset[str]:
    """Five-word runs of the case-folded text; of a script without blanks its five-character runs."""
    folded = text.casefold()
    words = _WORD.findall(folded)
    letters = "".join(words)
    if not folded.isascii() and sum(map(is_spaceless, letters)) > SPACELESS_SHARE * len(letters):
        return frozenset(letters[at : at + RUN] for at in range(max(1, len(letters) - RUN + 1)))
    if len(words) < RUN:
        return frozenset([" ".join(words)])
    return frozenset(map(" ".join, zip(*(words[start:] for start in range(RUN)), strict=False)))


def overlap_ppm(one: frozenset[str], other: frozenset[str]) -> int:
    """Jaccard overlap in parts per million."""
    shared = len(one & other)
    return shared * 1_000_000 // (len(one) + len(other) - shared)


def check_copies(
    given: BundleInput,
    counted: Mapping[str, Sequence[str]],
    sentences: Mapping[str, Sentences],
    groups: Mapping[str, Group],
    strict: bool,
    found: Found,
) -> None:
    """`counted`: for each critical claim the snapshots that count; `sentences` of their texts, where these hold."""

    @lru_cache(maxsize=256)
    def runs(snapshot_id: str) -> frozenset[str] | None:
        data = read_all(given.place, f"texts/{snapshot_id}.txt", LIMITS.text)
        return None if isinstance(data, Unavailable) else runs_of(data.decode("utf-8", "replace"))

    places = {snapshot.id: i for i, snapshot in reversed(list(enumerate(given.bundle.snapshots)))}
    pairs, whole = _pairs(given, counted, sentences, groups)
    if not whole:
        found.add(FindingKind.INDEPENDENCE_COPIES_UNCHECKED, expected=f"at most {LIMITS.copies} pairs")
    for one, other in sorted(pairs):
        found.looked_at("pairs of texts")
        first, second = runs(one), runs(other)
        overlap = 0 if first is None or second is None else overlap_ppm(first, second)
        if overlap >= ALIKE_PPM:
            names = (groups[given.snapshots[s].source_id].name for s in (one, other))
            found.add(
                FindingKind.INDEPENDENCE_COPIES,
                pointer=pointer(("snapshots", places[other])),
                ids=(one, other),
                expected="one group, or a manual record that splits them",
                actual=f"{overlap // 10_000} % of their runs, {' and '.join(names)}",
                severity=None if strict or overlap >= COPY_PPM else Severity.WARNING,
            )


def _pairs(
    given: BundleInput,
    counted: Mapping[str, Sequence[str]],
    sentences: Mapping[str, Sentences],
    groups: Mapping[str, Group],
) -> tuple[set[tuple[str, str]], bool]:
    """Pairs of snapshots in two groups that share a sentence, and whether these are all."""
    out: set[tuple[str, str]] = set()
    looked = 0
    for snapshots in counted.values():
        for one, other in combinations(_once(snapshots, sentences), 2):
            looked += 1
            pair = (min(one, other), max(one, other))
            if pair in out or not _apart(given, pair, groups) or set(sentences[one]).isdisjoint(sentences[other]):
                continue
            if len(out) == LIMITS.copies or looked > LIMITS.copies * LIMITS.looks_per_copy:
                return out, False
            out.add(pair)
    return out, True


def _once(snapshots: Iterable[str], sentences: Mapping[str, Sentences]) -> list[str]:
    return [snapshot for snapshot in dict.fromkeys(snapshots) if snapshot in sentences]


def _apart(given: BundleInput, pair: tuple[str, str], groups: Mapping[str, Group]) -> bool:
    """Whether both count by themselves, and no person said that they do."""
    one, other = (groups.get(given.snapshots[snapshot].source_id) for snapshot in pair)
    if one is None or other is None or one == other:
        return False
    return not (one.set_apart or other.set_apart)
