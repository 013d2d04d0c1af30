"""What the objects say, noted as numbers while they are read, and what is then found in Redis, in the same form.

An entry of Redis is a tuple of bytes, and stands here as 8 bytes of its hash, of this process: two that differ are
taken for each other with a chance of 2^-64. Sets are sorted and compared as arrays, without an object an entry, so
that a million of them take some megabytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Entries: TypeAlias = "NDArray[np.int64]"
"""Hashes, sorted, each once."""
GONE: Final = 0
"""Instead of an entry's hash: nothing stands there."""


def _numbers() -> array[int]:
    return array("q")


@dataclass(slots=True)
class Members:
    """Entries that only ever come: 8 bytes each."""

    _entries: array[int] = field(default_factory=_numbers)

    def add(self, entries: Iterable[Hashable]) -> None:
        """Note some; one may come again."""
        self._entries.extend(map(hash, entries))

    def settled(self) -> Entries:
        """All of them. Nothing is to be added from then on."""
        return np.unique(np.asarray(self._entries, dtype=np.int64))


@dataclass(slots=True)
class Fields:
    """Entries of which one stands in a place: 24 bytes each. Of a place the highest rank counts, and among equals what
    came first."""

    _places: array[int] = field(default_factory=_numbers)
    _ranks: array[int] = field(default_factory=_numbers)
    _entries: array[int] = field(default_factory=_numbers)

    def put(self, place: Hashable, entry: Hashable | None, *, rank: int | None = None) -> None:
        """Note what stands in a place. `entry` None: nothing any more. Without a rank the last one counts."""
        self._ranks.append(len(self._ranks) if rank is None else rank)
        self._places.append(hash(place))
        self._entries.append(GONE if entry is None else hash(entry))

    def settled(self) -> Entries:
        """What stands in the end. Nothing is to be added from then on."""
        places, ranks, entries = (
            np.asarray(each, dtype=np.int64) for each in (self._places, self._ranks, self._entries)
        )
        order = np.lexsort((-np.arange(places.size), ranks, places))
        sorted_places = places[order]
        last = np.ones(places.size, dtype=bool)
        last[:-1] = sorted_places[1:] != sorted_places[:-1]
        standing = entries[order][last]
        return np.unique(standing[standing != GONE])


def counted(expected: Entries, actual: Entries) -> tuple[int, int]:
    """How many are missing, and how many are of no object."""
    common = np.intersect1d(expected, actual, assume_unique=True).size
    return int(expected.size - common), int(actual.size - common)
