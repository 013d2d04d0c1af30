"""Signatures in short: the two lowest bits of each of the 128 values, 32 bytes, kept where whole ones are too many.

b-bit minwise hashing (Li and König, "b-Bit Minwise Hashing", WWW 2010): two values that differ still agree in their
lowest b bits with probability 2^-b, so that of 128 places some 128 * (J + (1 - J) / 4) agree for b = 2, and
J = (agreeing / 128 - 1/4) / (3/4), with a standard error of .042 at J = .8 and .054 at J = .6 (whole values: .035,
.043).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from workers.dedup.minhash import Signature
from workers.dedup.parameters import MINIMUM_AGREEING, PERMUTATIONS

Sketches = npt.NDArray[np.uint8]
SKETCH_BYTES = PERMUTATIONS // 4
_SHIFTS = np.array([0, 2, 4, 6], dtype=np.uint8)
_LOWEST = np.uint8(0x55)  # of each pair of bits


def sketches(signatures: npt.NDArray[np.uint32] | list[Signature]) -> Sketches:
    """One row of 32 bytes for each signature: four values a byte, the first in its lowest bits."""
    values = np.asarray(signatures, dtype=np.uint32).reshape(-1, SKETCH_BYTES, 4)
    lowest: Sketches = (values & np.uint32(3)).astype(np.uint8)
    packed: Sketches = np.bitwise_or.reduce(lowest << _SHIFTS, axis=2)
    return packed


def agreeing(one: Sketches, other: Sketches) -> npt.NDArray[np.int64]:
    """In how many of their 128 places the rows of two equally long tables agree."""
    bits = one ^ other
    differing = (bits | bits >> np.uint8(1)) & _LOWEST
    counted: npt.NDArray[np.int64] = PERMUTATIONS - np.bitwise_count(differing).sum(axis=1, dtype=np.int64)
    return counted


def may_be_alike(one: Sketches, other: Sketches) -> npt.NDArray[np.bool_]:
    """Row by row, whether a pair that shares a band stays a candidate."""
    kept: npt.NDArray[np.bool_] = agreeing(one, other) >= MINIMUM_AGREEING
    return kept


def resemblance(places: int) -> float:
    """The Jaccard similarity that this many agreeing places speak for."""
    return max(0.0, (places / PERMUTATIONS - 0.25) / 0.75)
