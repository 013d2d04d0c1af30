"""MinHash and SimHash of sets of shingles, many sets at once.

MinHash has the values of datasketch 2.0's scheme `affine32`, seed 1, SHA-1 cut to 32 bits. For a shingle x:
h = fmix32(first 4 bytes of SHA-1(x), little-endian), where fmix32 is the finaliser of MurmurHash3; value k is the
minimum over all shingles of a_k * h + b_k mod 2^32, a_k odd. The a_k and b_k come from numpy's frozen legacy
generator. A property test pins the values to datasketch's slow path; datasketch itself is not imported, since it
loads scipy (0.4 s).

SimHash (Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002) is the majority, bit by
bit, of the first 8 bytes of the same SHA-1 over the distinct shingles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from workers.dedup.cuts import Cut
from workers.dedup.native import kernel
from workers.dedup.parameters import PERMUTATIONS, SEED
from workers.dedup.sha1_lanes import sha1_words

Signature = npt.NDArray[np.uint32]

_BLOCK = 512  # shingles a step: 128 x 512 x 4 bytes = 256 KiB stay in the second-level cache
TOGETHER = 1 << 15
"""Shingles that are hashed together, some 4 MB at work."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What the shingles of one text come down to."""

    minima: Signature
    """128 values; all bits set where there are no shingles."""
    simhash: int
    """64 bits; 0 where there are no shingles."""
    distinct: int
    """How many different shingles there are (by 64 bits of their SHA-1)."""


def marks(cuts: Sequence[Cut]) -> list[Marks]:
    """Of each text, in turn. Small texts are hashed together."""
    found: list[Marks] = []
    for group in _groups(cuts):
        words = _hashes(group)
        at = 0
        for each in group:
            mine = words[:, at : at + each.starts.size]
            at += each.starts.size
            distinct = np.unique(mine[0].astype(np.uint64) << np.uint64(32) | mine[1])
            found.append(Marks(_minima(mine[0]), _majority(distinct), distinct.size))
    return found


def minima(cuts: Sequence[Cut]) -> list[Signature]:
    """The MinHash values alone."""
    found: list[Signature] = []
    for group in _groups(cuts):
        first = _hashes(group)[0]
        at = 0
        for each in group:
            found.append(_minima(first[at : at + each.starts.size]))
            at += each.starts.size
    return found


def _groups(cuts: Sequence[Cut]) -> list[list[Cut]]:
    """Neighbours with some `TOGETHER` shingles together; each text alone for compiled code, which is as fast so."""
    if kernel() is not None:
        return [[each] for each in cuts]
    groups: list[list[Cut]] = []
    size = 0
    for each in cuts:
        if not groups or size + each.starts.size > TOGETHER:
            groups.append([])
            size = 0
        groups[-1].append(each)
        size += each.starts.size
    return groups


def _hashes(group: Sequence[Cut]) -> npt.NDArray[np.uint32]:
    """The first two big-endian words of each shingle's SHA-1, of one text after the other."""
    if len(group) == 1:
        return sha1_words(group[0].data, group[0].starts, group[0].lengths)
    sizes = np.array([each.data.size for each in group])
    shifts = np.cumsum(sizes) - sizes
    starts = np.concatenate([each.starts + shift for each, shift in zip(group, shifts, strict=True)])
    lengths = np.concatenate([each.lengths for each in group])
    return sha1_words(np.concatenate([each.data for each in group]), starts, lengths)


def _mixed(first: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    mixed = first.byteswap()  # datasketch reads the digest as little-endian
    mixed ^= mixed >> np.uint32(16)
    mixed *= np.uint32(0x85EBCA6B)
    mixed ^= mixed >> np.uint32(13)
    mixed *= np.uint32(0xC2B2AE35)
    mixed ^= mixed >> np.uint32(16)
    return mixed


def _minima(first: npt.NDArray[np.uint32]) -> Signature:
    """Of the first words of the SHA-1 of each shingle."""
    multiplier, offset = _permutations()
    compiled = kernel()
    if compiled is not None:
        return compiled.minima(first, multiplier, offset)
    mixed = _mixed(first)
    lowest = np.full(PERMUTATIONS, 0xFFFFFFFF, dtype=np.uint32)
    scratch = np.empty((min(_BLOCK, mixed.size), PERMUTATIONS), dtype=np.uint32)
    for start in range(0, mixed.size, _BLOCK):
        block = mixed[start : start + _BLOCK, None]
        permuted = scratch[: block.shape[0]]
        np.multiply(multiplier, block, out=permuted)
        np.add(permuted, offset, out=permuted)
        np.minimum(lowest, permuted.min(axis=0), out=lowest)
    return lowest


def _majority(distinct: npt.NDArray[np.uint64]) -> int:
    """Each bit as more than half of the values have it."""
    if not distinct.size:
        return 0
    bits = np.unpackbits(distinct.astype(">u8").view(np.uint8).reshape(-1, 8), axis=1)
    ones = bits.sum(axis=0, dtype=np.int64)
    return int.from_bytes(np.packbits(2 * ones > distinct.size).tobytes(), "big")


@lru_cache(maxsize=1)
def _permutations() -> tuple[Signature, Signature]:
    """a (odd, so that each permutation is a bijection of 32-bit numbers) and b."""
    generator = np.random.RandomState(SEED)
    multiplier = generator.randint(0, 1 << 31, PERMUTATIONS, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    offset = generator.randint(0, 1 << 32, PERMUTATIONS, dtype=np.uint32)
    return multiplier, offset
