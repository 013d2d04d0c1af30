"""Which rows of a long list name what an earlier row named already: found by sorting digests, not by remembering them.

Memory stays the same however many rows there are. The digests lie in a file and are looked at in shares of about a
million, one share by the first bits of the digest at a time; the answer is a file too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

DIGEST_BYTES: Final = 16
"""Two URLs of one input would have to be searched for through 2^64 digests to be taken for each other."""
ROWS_A_SHARE: Final = 1_000_000
ROWS_A_LOOK: Final = 1_000_000
PLAIN: Final = b"\x01"
OTHER: Final = b"\x00"
"""Stands behind each digest: whether the row is plain, so that two plain rows of one digest are equal."""
_ROW: Final = np.dtype([("first", ">u8"), ("second", ">u8"), ("plain", "?")])


@dataclass(frozen=True, slots=True)
class Repeat:
    """A row, and the first one with the same digest. `equal`: both are plain, so there is nothing to tell apart."""

    row: int
    first: int
    equal: bool


class Repeats:
    """The repeats among the rows of a file of digests, each with its mark. `scratch` becomes a file of the answer."""

    def __init__(self, digests: Path, scratch: Path, *, rows_a_share: int = ROWS_A_SHARE) -> None:
        self._rows = np.memmap(digests, dtype=_ROW, mode="r")
        self._firsts = _first_rows(self._rows, scratch, rows_a_share)

    def __iter__(self) -> Iterator[Repeat]:
        """In the order of rows."""
        for start in range(0, len(self._rows), ROWS_A_LOOK):
            firsts = np.array(self._firsts[start : start + ROWS_A_LOOK])
            again = np.flatnonzero(firsts != np.arange(start, start + len(firsts)))
            plain = self._rows["plain"]
            equal = plain[again + start] & plain[firsts[again]]
            for place, same in zip(again.tolist(), equal.tolist(), strict=True):
                yield Repeat(start + place, int(firsts[place]), same)


def _first_rows(rows: NDArray[np.void], scratch: Path, rows_a_share: int) -> NDArray[np.int64]:
    """For each row the first with the same digest: itself, where it is new."""
    firsts = np.memmap(scratch, dtype=np.int64, mode="w+", shape=rows.shape)
    for start in range(0, len(rows), ROWS_A_LOOK):
        firsts[start : start + ROWS_A_LOOK] = np.arange(start, min(start + ROWS_A_LOOK, len(rows)))
    bits = max(0, (len(rows) - 1) // rows_a_share).bit_length()
    for share in range(1 << bits):
        places = _places(rows, share, bits)
        again, known = _repeats(rows["first"][places], rows["second"][places])
        firsts[places[again]] = places[known]
    return firsts


def _places(rows: NDArray[np.void], share: int, bits: int) -> NDArray[np.int64]:
    """Rows whose digests begin with these bits."""
    if not bits:
        return np.arange(len(rows))
    return np.concatenate(list(_looks(rows, share, bits)))


def _looks(rows: NDArray[np.void], share: int, bits: int) -> Iterator[NDArray[np.int64]]:
    for start in range(0, len(rows), ROWS_A_LOOK):
        begins = rows["first"][start : start + ROWS_A_LOOK].astype(np.uint64) >> np.uint64(64 - bits)
        yield np.flatnonzero(begins == share) + start


def _repeats(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows that repeat another, and the first of that kind. Stable sorts keep rows of one digest in their order."""
    order = np.argsort(first.astype(np.uint64), kind="stable")
    alike = np.flatnonzero(np.diff(first[order].astype(np.uint64)) == 0)
    if not len(alike):
        return alike, alike
    few = order[np.union1d(alike, alike + 1)]
    few = few[np.lexsort((few, second[few], first[few]))]
    new = np.ones(len(few), dtype=bool)
    new[1:] = (first[few][1:] != first[few][:-1]) | (second[few][1:] != second[few][:-1])
    leaders = np.maximum.accumulate(np.where(new, np.arange(len(few)), 0))
    return few[~new], few[leaders[~new]]
