"""Step 2: from buckets to pairs, each with the segment that brings it. Small beside the other steps; done as a whole.

A pair belongs to the segment that shows the second of its two texts, as when each segment is clustered by itself; or
to the one that shows a known text earlier than it was known by, since then its verdicts are made again.

A band is split by its hashes, so that each bucket lies in one part, and pairs by their segments: what is in memory at
once does not grow with the collection, but for a byte a text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from workers.dedup.buckets import Pairs, pairs_of_band, parted
from workers.dedup.parameters import BANDS
from workers.dedup.sketch import Sketches
from workers.flows.bulk.parts import MOST_PARTS, ROWS_AT_ONCE, Parts, parts_for, spread
from workers.flows.bulk.plan import whole_file, write_whole
from workers.flows.bulk.rows import Rows, RowTable, mapped
from workers.flows.bulk.texts import Texts
from workers.flows.cluster_looking import MAX_PAIRS

FILE: Final = "pairs.bin"
LEFT_OUT: Final = "left-out"
PAIRS_AT_ONCE: Final = 1 << 20
_HASHED = np.dtype([("hash", "<u8"), ("place", "<u4")])
BROUGHT: Final = np.dtype([("segment", "<u4"), ("pair", "<u8")])


def find_pairs(rows: Rows, texts: Texts, folder: Path, segments: int, told: Callable[[int], None]) -> int:
    """Write the pairs of all bands, by segment of the plan, which has so many; `told` hears how many bands are done.
    How many neighbours in their buckets the texts of the largest ones were not asked for."""
    if (folder / FILE).exists():
        return int((folder / LEFT_OUT).read_bytes())
    new = np.asarray(texts.brings >= 0)
    left_out = 0
    with Parts(folder / "brought", BROUGHT, max(1, min(MOST_PARTS, segments))) as brought:
        for band in range(BANDS):
            of_band = 0
            for made, out in _pairs_of(band, rows, texts, new, folder):
                of_band += out
                table = _brought(made, texts)
                brought.add(spread(table["segment"].astype(np.int64), max(1, segments), brought.count), table)
            left_out = max(left_out, of_band)
            told(band + 1)
        write_whole(folder / LEFT_OUT, b"%d" % left_out)
        with whole_file(folder / FILE) as file:
            for part in range(brought.count):
                kept = np.empty(0, dtype=BROUGHT)
                for table in brought.read(part, PAIRS_AT_ONCE):
                    kept = _each_once(np.concatenate((kept, table)))
                file.write(kept.tobytes())
    return left_out


@dataclass(frozen=True, slots=True)
class _SketchesByPlace:
    """The sketches of texts, read where they lie."""

    rows: Rows
    texts: Texts

    def __getitem__(self, places: npt.NDArray[np.int64]) -> Sketches:
        return self.rows.sketches[self.texts.witness[places]]


def _pairs_of(
    band: int, rows: Rows, texts: Texts, new: npt.NDArray[np.bool_], folder: Path
) -> Iterator[tuple[Pairs, int]]:
    """The pairs of one band, part by part, with how many were left out."""
    short, column = _SketchesByPlace(rows, texts), rows.band(band)
    with Parts(folder / "hashed", _HASHED, parts_for(texts.witness.size)) as hashed:
        for start in range(0, texts.witness.size, ROWS_AT_ONCE):
            witnesses = texts.witness[start : start + ROWS_AT_ONCE]
            kinds = rows.rows["kind"][witnesses]
            taking_part = np.flatnonzero(kinds)
            table = np.empty(taking_part.size, dtype=_HASHED)
            table["hash"] = column[witnesses[taking_part]] + kinds[taking_part].astype(np.uint64)
            table["place"] = taking_part + start
            hashed.add(spread((table["hash"] >> np.uint64(33)).astype(np.int64), 1 << 31, hashed.count), table)
        for part in range(hashed.count):
            for table in hashed.read(part):
                yield pairs_of_band(table["hash"], table["place"].astype(np.int64), new, short)


def _brought(pairs: Pairs, texts: Texts) -> RowTable:
    smaller, larger = parted(pairs)
    table = np.empty(pairs.size, dtype=BROUGHT)
    table["segment"] = np.maximum(texts.brings[smaller], texts.brings[larger])
    table["pair"] = pairs
    return table


def _each_once(table: RowTable) -> RowTable:
    """Sorted by segment and pair."""
    found = table[np.lexsort((table["pair"], table["segment"]))]
    first = np.append(True, found["pair"][1:] != found["pair"][:-1])[: found.size]
    kept: RowTable = found[first]  # a pair has one segment
    return kept


@dataclass(frozen=True, slots=True)
class Brought:
    """The pairs of one segment, as places of texts."""

    segment: int
    pairs: list[tuple[int, int]]
    left_out: int


def brought_by(folder: Path) -> Iterator[Brought]:
    """Segments that bring pairs, in order; of each the first `MAX_PAIRS`, as when it is clustered by itself."""
    found = mapped(folder / FILE, BROUGHT)
    start = 0
    while start < found.size:
        segment = int(found["segment"][start])
        end = bisect_right(found["segment"], segment, lo=start)
        smaller, larger = parted(found["pair"][start : min(end, start + MAX_PAIRS)])
        pairs = list(zip(smaller.tolist(), larger.tolist(), strict=True))
        yield Brought(segment, pairs, max(0, end - start - MAX_PAIRS))
        start = end
