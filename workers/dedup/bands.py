"""Signatures as LSH bands: two texts that agree in all rows of one band are candidates, no more.

Each band's 6 values are mixed to 64 bits, so that a band is compared as one number. A chance collision
makes a candidate too many, which confirmation refuses.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from workers.dedup.minhash import Signature
from workers.dedup.parameters import BANDS, PERMUTATIONS, ROWS

BandHashes = npt.NDArray[np.uint64]

_PRIME = np.uint64(0x100000001B3)  # FNV-1a's; its steps are followed by the finaliser of MurmurHash3
_BASIS = np.uint64(0xCBF29CE484222325)


def band_hashes(signatures: npt.NDArray[np.uint32] | Sequence[Signature]) -> BandHashes:
    """One row of 20 numbers for each signature."""
    rows = np.asarray(signatures, dtype=np.uint32).reshape(-1, PERMUTATIONS)
    values = rows[:, : BANDS * ROWS].reshape(-1, BANDS, ROWS).astype(np.uint64)
    hashed: BandHashes = np.full(values.shape[:2], _BASIS, dtype=np.uint64)
    for row in range(ROWS):
        hashed ^= values[:, :, row]
        hashed *= _PRIME
        hashed ^= hashed >> np.uint64(29)
    hashed ^= hashed >> np.uint64(33)
    hashed *= np.uint64(0xFF51AFD7ED558CCD)
    hashed ^= hashed >> np.uint64(33)
    return hashed
