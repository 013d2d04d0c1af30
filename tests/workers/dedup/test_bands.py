import numpy as np
from datasketch import lsh

from workers.dedup.bands import band_hashes
from workers.dedup.fingerprint import minhash
from workers.dedup.parameters import BANDS, LSH_THRESHOLD, PERMUTATIONS, ROWS


def test_bands_and_rows_are_those_of_datasketchs_optimiser() -> None:
    weights = {"false_positive_weight": 0.1, "false_negative_weight": 0.9}
    assert lsh._optimal_param(LSH_THRESHOLD, PERMUTATIONS, **weights) == (BANDS, ROWS)


def test_a_band_is_equal_exactly_where_its_rows_are() -> None:
    base = minhash(f"shingle {number}" for number in range(100))
    for changed in range(PERMUTATIONS):
        other = base.copy()
        other[changed] ^= 1
        one, two = band_hashes([base, other])
        differing = np.flatnonzero(one != two).tolist()
        assert differing == ([changed // ROWS] if changed < BANDS * ROWS else [])


def test_no_signatures_have_no_bands() -> None:
    assert band_hashes([]).shape == (0, BANDS)


def test_bands_spread_over_their_range() -> None:
    rows = band_hashes([minhash([f"text {number}"]) for number in range(500)])
    assert len(np.unique(rows)) == rows.size
    assert abs(float((rows >> np.uint64(63)).mean()) - 0.5) < 0.05
    assert abs(float((rows & np.uint64(1)).mean()) - 0.5) < 0.05
