import base64
import hashlib

import numpy as np
import pytest
from datasketch import MinHash
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.dedup.fingerprint import estimate, fingerprint, minhash, signature
from workers.dedup.parameters import MINIMUM_SHINGLES, WORD_PARAMS

SNAPSHOT = "snap-0123456789ab-20260822T031500Z-01234567"
DIGEST = "a" * 64


def words(count: int) -> str:
    return " ".join(f"word{number}" for number in range(count))


@settings(max_examples=60, deadline=None)
@given(st.frozensets(st.text(st.characters(codec="utf-8"), max_size=30), max_size=60))
def test_values_equal_the_slow_path_of_datasketch(shingles: frozenset[str]) -> None:
    peer = MinHash(num_perm=128, seed=1, scheme="affine32")
    for value in shingles:
        peer.update(value.encode("utf-8"))
    assert np.array_equal(minhash(shingles), peer.hashvalues)


@pytest.mark.parametrize("count", [1023, 1024, 1025, 3000])
def test_values_equal_datasketch_across_block_borders(count: int) -> None:
    shingles = [f"shingle {number}" for number in range(count)]
    peer = MinHash(num_perm=128, seed=1, scheme="affine32")
    peer.update_batch([value.encode("utf-8") for value in shingles])
    assert np.array_equal(minhash(shingles), peer.hashvalues)


def test_record_says_what_was_hashed_and_how() -> None:
    """R054, R055: the digest is of the little-endian values, the parameters are named."""
    record = fingerprint(words(100), text_sha256=DIGEST, snapshot_id=SNAPSHOT)
    assert record.params == WORD_PARAMS
    assert record.shingles == 96
    assert record.minhash is not None
    packed = base64.b64decode(record.minhash)
    assert record.minhash_sha256 == hashlib.sha256(packed).hexdigest()
    values = signature(record)
    assert values is not None
    assert values.astype("<u4").tobytes() == packed


def test_a_text_below_twenty_shingles_has_no_sketch() -> None:
    short = fingerprint(words(MINIMUM_SHINGLES + 3), text_sha256=DIGEST, snapshot_id=SNAPSHOT)
    long_enough = fingerprint(words(MINIMUM_SHINGLES + 4), text_sha256=DIGEST, snapshot_id=SNAPSHOT)
    assert (short.shingles, short.minhash, short.minhash_sha256) == (19, None, None)
    assert long_enough.minhash is not None


@pytest.mark.parametrize("broken", ["", "not base64 !", base64.b64encode(b"x" * 511).decode()])
def test_a_broken_sketch_reads_as_none(broken: str) -> None:
    record = fingerprint(words(50), text_sha256=DIGEST, snapshot_id=SNAPSHOT).model_copy(update={"minhash": broken})
    assert signature(record) is None


def test_equal_texts_have_estimate_one() -> None:
    one = minhash({f"a {number}" for number in range(50)})
    other = minhash({f"b {number}" for number in range(50)})
    assert estimate(one, one) == 1.0
    assert estimate(one, other) < 0.1
