"""How many buckets a band of the candidate index has: the more texts, the more.

Who falls into a bucket is compared with all entries of it. With one number of buckets a text would cost more and more
(at sixteen million texts 6 MB of entries), and with many of them a smaller index would be all keys. So there are
levels: level k has 256 * 4^k buckets a band and takes 524,288 * 4^k texts, the last one all the rest. A text is put
into the level that its number belongs to, and asked for in each that there is: some 2,000 entries a band and level,
however many texts there are. Measured on Valkey, a level more costs what some 400,000 texts more cost on one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from workers.dedup.bands import BandHashes
from workers.dedup.parameters import BANDS

BUCKETS: Final = 256
"""Of each band, on the first level."""
LEVEL_TEXTS: Final = 524_288
"""On the first level."""
LEVELS: Final = 4
"""The last one is not full when the index is."""
ENTRY_BYTES: Final = 5
"""A tag of two bytes, a text's number in three."""


@dataclass(frozen=True, slots=True)
class Fallen:
    """Into which buckets of the levels some texts fall."""

    keys: list[str]
    """Of all buckets that are fallen into, level by level."""
    bases: list[int]
    """How many keys stand before those of each level."""
    entries: bytes
    """For each level, text and band: the place of its key within the level, from 1, and a tag; two bytes each."""


def ends(room: int) -> list[int]:
    """With how many texts in the index each level is full; the last one with `room`."""
    reached = [LEVEL_TEXTS * ((4 << 2 * level) - 1) // 3 for level in range(LEVELS - 1)]
    return [min(end, room) for end in reached] + [room]


def fallen(prefix: str, hashes: BandHashes, levels: int) -> Fallen:
    """`hashes`: a row of 20 for each text. `levels`: how many of them are asked."""
    keys: list[str] = []
    bases: list[int] = []
    entries = np.empty((levels, *hashes.shape, 2), dtype=">u2")
    for level in range(levels):
        buckets, tags = _placed(hashes, level)
        used, places = np.unique(buckets, return_inverse=True)
        entries[level, :, :, 0] = places.reshape(buckets.shape) + 1
        entries[level, :, :, 1] = tags
        bases.append(len(keys))
        keys += _names(prefix, level, used.tolist())
    return Fallen(keys, bases, entries.tobytes())


def appended(prefix: str, hashes: BandHashes, first: int, level: int) -> tuple[list[str], list[bytes]]:
    """The buckets of a level that some texts fall into, by their keys, and the entries that each of them gets. `first`:
    the number of the first of the texts; those of the others follow."""
    buckets, tags = _placed(hashes, level)
    entries = np.empty((*hashes.shape, ENTRY_BYTES), dtype=np.uint8)
    entries[..., :2] = tags.astype(">u2")[..., None].view(np.uint8)
    numbers = np.arange(first, first + len(hashes), dtype=">u4")[:, None].view(np.uint8)
    entries[..., 2:] = numbers[:, None, 1:]
    order = np.argsort(buckets, axis=None, kind="stable")  # within a bucket texts stay in the order of their numbers
    packed = entries.reshape(-1, ENTRY_BYTES)[order].tobytes()
    used, starts = np.unique(buckets.ravel()[order], return_index=True)
    ends_at = [*(ENTRY_BYTES * starts[1:]).tolist(), len(packed)]
    pieces = [packed[start:end] for start, end in zip((ENTRY_BYTES * starts).tolist(), ends_at, strict=True)]
    return list(_names(prefix, level, used.tolist())), pieces


def _placed(hashes: BandHashes, level: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    """Which bucket of the level each text falls into by each band, and by which tag it is found there."""
    count = np.uint64(BUCKETS << 2 * level)
    buckets = (hashes % count).astype(np.int64) + int(count) * np.arange(BANDS)
    return buckets, hashes // count & np.uint64(0xFFFF)


def _names(prefix: str, level: int, buckets: list[int]) -> Iterator[str]:
    if level == 0:
        names = _first_level(prefix)
        return (names[bucket] for bucket in buckets)
    return (f"{prefix}{level}.{bucket:x}" for bucket in buckets)


@cache
def _first_level(prefix: str) -> tuple[str, ...]:
    return tuple(f"{prefix}{bucket:x}" for bucket in range(BANDS * BUCKETS))
