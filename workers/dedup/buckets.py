"""Pairs out of buckets: what the index on Redis answers, for a whole collection at once.

A bucket is all texts whose hashes of one band are equal. Sorting a band's column brings them together, so that a band
takes memory in proportion to the texts, and pairs are made bucket by bucket.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from workers.dedup.sketch import Sketches, may_be_alike

Pairs = npt.NDArray[np.uint64]
"""Two places of texts as one number each: the smaller in the upper half."""
PAIRS_AT_ONCE: Final = 1 << 17
"""Of which the sketches are compared together: 8 MB."""
NEIGHBOURS: Final = 2_000
"""A text is paired with this many of its bucket at most, those nearest in order: a template with a hundred thousand
pages would make ten thousand million pairs."""


class SketchTable(Protocol):
    """Sketches by place, wherever they lie."""

    def __getitem__(self, places: npt.NDArray[np.int64], /) -> Sketches: ...


def pairs_of_band(
    hashes: npt.NDArray[np.uint64], texts: npt.NDArray[np.int64], new: npt.NDArray[np.bool_], short: SketchTable
) -> tuple[Pairs, int]:
    """Pairs that this band makes, sorted and each once; and how many its largest buckets were not asked for.

    `hashes` and `texts`: the hash and the place of each text that takes part. By place: `new`, whether a text brings
    pairs at all (two that do not are known already), and `short`, its sketch.
    """
    order = np.lexsort((texts, hashes))
    kept = [np.empty(0, dtype=np.uint64)]
    left_out = 0
    for smaller, larger, out in _neighbours(hashes[order], texts[order]):
        left_out += out
        wanted = new[smaller] | new[larger]
        smaller, larger = smaller[wanted], larger[wanted]
        alike = may_be_alike(short[smaller], short[larger])
        kept.append(smaller[alike].astype(np.uint64) << np.uint64(32) | larger[alike].astype(np.uint64))
    return np.unique(np.concatenate(kept)), left_out


def parted(pairs: Pairs) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The two places of each pair, the smaller first."""
    return (pairs >> np.uint64(32)).astype(np.int64), (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)


def _neighbours(
    hashes: npt.NDArray[np.uint64], texts: npt.NDArray[np.int64]
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]]:
    """Of sorted columns, the pairs of equal hashes: by their distance, as long as there are any."""
    places = np.arange(hashes.size)
    starts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])) if hashes.size else places
    ends = np.append(starts, hashes.size)[1:]
    sizes = (ends - starts)[ends - starts > 1]
    firsts = starts[ends - starts > 1]
    left = sizes - 1 - NEIGHBOURS
    left_out = int((left * (left + 1) // 2)[left > 0].sum())
    distance = 1
    while firsts.size and distance <= NEIGHBOURS:
        within = sizes - distance
        for start in range(0, firsts.size, PAIRS_AT_ONCE):
            counts = within[start : start + PAIRS_AT_ONCE]
            for one in _ranges(firsts[start : start + PAIRS_AT_ONCE], counts):
                yield texts[one], texts[one + distance], 0
        distance += 1
        longer = sizes > distance
        sizes, firsts = sizes[longer], firsts[longer]
    yield texts[:0], texts[:0], left_out


def _ranges(firsts: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
    """`first, first + 1, …`, `count` of them each, some `PAIRS_AT_ONCE` together."""
    reached = np.cumsum(counts)
    for low in range(0, int(reached[-1]), PAIRS_AT_ONCE):
        wanted = np.arange(low, min(low + PAIRS_AT_ONCE, int(reached[-1])))
        group = np.searchsorted(reached, wanted, side="right")
        yield firsts[group] + (wanted - (reached[group] - counts[group]))
