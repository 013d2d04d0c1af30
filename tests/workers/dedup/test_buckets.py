from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.dedup import buckets
from workers.dedup.buckets import pairs_of_band, parted
from workers.dedup.sketch import SKETCH_BYTES

SAME = np.zeros((40, SKETCH_BYTES), dtype=np.uint8)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=40))
def test_pairs_are_all_that_stand_in_one_bucket_and_of_which_one_is_new(texts: list[tuple[int, bool]]) -> None:
    hashes = np.array([bucket for bucket, _ in texts], dtype=np.uint64)
    new = np.array([is_new for _, is_new in texts], dtype=np.bool_)
    found, left_out = pairs_of_band(hashes, np.arange(len(texts)), new, SAME)
    expected = [
        (one, other)
        for one, other in combinations(range(len(texts)), 2)
        if hashes[one] == hashes[other] and (new[one] or new[other])
    ]
    assert list(zip(*(side.tolist() for side in parted(found)), strict=True)) == expected
    assert left_out == 0


def test_pairs_whose_sketches_are_far_apart_are_dropped() -> None:
    short = SAME.copy()
    short[1] = 0xFF
    found, _ = pairs_of_band(np.zeros(3, dtype=np.uint64), np.arange(3), np.ones(3, dtype=np.bool_), short)
    assert [side.tolist() for side in parted(found)] == [[0], [2]]


def test_of_a_huge_bucket_only_neighbours_are_paired_and_the_rest_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "NEIGHBOURS", 3)
    found, left_out = pairs_of_band(np.zeros(10, dtype=np.uint64), np.arange(10), np.ones(10, dtype=np.bool_), SAME)
    smaller, larger = parted(found)
    assert set((larger - smaller).tolist()) == {1, 2, 3}
    assert len(found) + left_out == 45


def test_buckets_that_make_more_pairs_than_one_step_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "PAIRS_AT_ONCE", 7)
    hashes = np.repeat(np.arange(4, dtype=np.uint64), 10)
    found, _ = pairs_of_band(hashes, np.arange(40), np.ones(40, dtype=np.bool_), SAME)
    assert len(found) == 4 * 45
