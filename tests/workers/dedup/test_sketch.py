import numpy as np
import pytest

from workers.dedup.minhash import Signature
from workers.dedup.parameters import MINIMUM_AGREEING, PERMUTATIONS
from workers.dedup.sketch import SKETCH_BYTES, agreeing, may_be_alike, resemblance, sketches

Table = np.ndarray[tuple[int, int], np.dtype[np.uint32]]


@pytest.fixture
def signatures() -> Table:
    return np.random.default_rng(7).integers(0, 1 << 32, (50, PERMUTATIONS), dtype=np.uint32)


def test_places_agree_where_the_two_lowest_bits_do(signatures: Table) -> None:
    one, other = signatures[:25], signatures[25:]
    assert sketches(one).shape == (25, SKETCH_BYTES)
    expected = np.count_nonzero(one % 4 == other % 4, axis=1)
    assert agreeing(sketches(one), sketches(other)).tolist() == expected.tolist()


def test_a_pair_stays_from_the_least_number_of_places_on(signatures: Table) -> None:
    def with_agreeing(places: int) -> Signature:
        changed: Signature = signatures[0].copy()
        changed[places:] ^= 1
        return changed

    others = sketches(np.stack([with_agreeing(MINIMUM_AGREEING - 1), with_agreeing(MINIMUM_AGREEING)]))
    own = sketches(np.stack([signatures[0], signatures[0]]))
    assert may_be_alike(own, others).tolist() == [False, True]


@pytest.mark.parametrize("jaccard", [0.5, 0.65, 0.8, 0.95])
def test_resemblance_estimates_the_jaccard_similarity(jaccard: float) -> None:
    """Its mean over many pairs; a pair's places are equal with probability J."""
    generator = np.random.default_rng(3)
    one, other = generator.integers(0, 1 << 32, (2, 4000, PERMUTATIONS), dtype=np.uint32)
    other = np.where(generator.random(one.shape) < jaccard, one, other)
    places = agreeing(sketches(one), sketches(other))
    estimates = [resemblance(int(count)) for count in places]
    p = jaccard + (1 - jaccard) / 4
    assert float(np.mean(estimates)) == pytest.approx(jaccard, abs=0.005)
    assert float(np.std(estimates)) == pytest.approx((p * (1 - p) / PERMUTATIONS) ** 0.5 / 0.75, rel=0.1)
