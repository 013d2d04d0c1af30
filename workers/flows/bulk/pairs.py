"""Step 2: from buckets to pairs, each with the segment that brings it. Small beside the other steps; done as a whole.

A pair belongs to the segment that shows the second of its two texts, as when each segment is clustered by itself; or
to the one that shows a known text earlier than it was known by, since then its verdicts are made again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from workers.dedup.buckets import Pairs, pairs_of_band, parted
from workers.dedup.parameters import BANDS
from workers.flows.bulk.plan import write_whole
from workers.flows.bulk.rows import Rows
from workers.flows.cluster_looking import MAX_PAIRS

FILE: Final = "pairs.bin"
LEFT_OUT: Final = "left-out"
_STAMP = slice(18, 34)  # of `snap-<12>-<stamp>-<8>`: the time of capture, by which witnesses are chosen
_BROUGHT = np.dtype([("segment", "<u4"), ("pair", "<u8")])


@dataclass(frozen=True, slots=True)
class Texts:
    """Distinct texts in the order of their digests, each by the row that witnesses it."""

    witness: npt.NDArray[np.int64]
    """Row of the first capture that shows it."""
    brings: npt.NDArray[np.int64]
    """Place of the segment that brings its pairs; -1: it is known, by the same witness."""


def texts_of(rows: Rows, known_segments: int) -> Texts:
    """Of all rows. The first `known_segments` segments of the plan are clustered already."""
    found = rows.rows
    if not found.size:
        return Texts(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    stamps = found["snapshot"].astype("S48").view("S1").reshape(-1, 48)[:, _STAMP].copy().view("S16")[:, 0]
    order = np.lexsort((found["snapshot"], stamps, found["text"]))
    texts = found["text"][order]
    first = np.append(True, texts[1:] != texts[:-1])
    witness = order[first]
    group = np.cumsum(first) - 1
    segments = found["segment"][order].astype(np.int64)
    never = np.iinfo(np.int64).max
    earliest = np.full(witness.size, never)
    np.minimum.at(earliest, group, segments)
    seen = segments[np.flatnonzero(first)]  # the segment of the witness itself
    brings = np.where(earliest >= known_segments, earliest, np.where(seen >= known_segments, seen, -1))
    return Texts(witness, brings)


def find_pairs(rows: Rows, texts: Texts, folder: Path, told: Callable[[int], None]) -> int:
    """Write the pairs of all bands, by segment; `told` hears how many bands are done. How many neighbours in their
    buckets the texts of the largest ones were not asked for."""
    if (folder / FILE).exists():
        return int((folder / LEFT_OUT).read_bytes())
    kinds = rows.rows["kind"][texts.witness] if texts.witness.size else np.empty(0, dtype=np.uint8)
    taking_part = np.flatnonzero(kinds)
    short = rows.sketches[texts.witness]
    pairs: Pairs = np.empty(0, dtype=np.uint64)
    left_out = 0
    for band in range(BANDS):
        hashes = rows.band(band)[texts.witness[taking_part]] + kinds[taking_part].astype(np.uint64)
        made, out = pairs_of_band(hashes, taking_part, texts.brings >= 0, short)
        pairs = np.union1d(pairs, made)
        left_out = max(left_out, out)
        told(band + 1)
    smaller, larger = parted(pairs)
    brought = np.empty(pairs.size, dtype=_BROUGHT)
    brought["segment"] = np.maximum(texts.brings[smaller], texts.brings[larger])
    brought["pair"] = pairs
    write_whole(folder / LEFT_OUT, b"%d" % left_out)
    write_whole(folder / FILE, np.sort(brought, order=("segment", "pair")).tobytes())
    return left_out


@dataclass(frozen=True, slots=True)
class Brought:
    """The pairs of one segment, as places of texts."""

    segment: int
    pairs: list[tuple[int, int]]
    left_out: int


def brought_by(folder: Path) -> Iterator[Brought]:
    """Segments that bring pairs, in order; of each the first `MAX_PAIRS`, as when it is clustered by itself."""
    found = np.fromfile(folder / FILE, dtype=_BROUGHT)
    segments, starts = np.unique(found["segment"], return_index=True)
    for segment, start, end in zip(segments, starts, np.append(starts, found.size)[1:], strict=True):
        smaller, larger = parted(found["pair"][start : min(end, start + MAX_PAIRS)])
        pairs = list(zip(smaller.tolist(), larger.tolist(), strict=True))
        yield Brought(int(segment), pairs, max(0, int(end - start) - MAX_PAIRS))
