import base64
import hashlib

import numpy as np
import pytest
from datasketch import MinHash
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.records.cluster import Fingerprint
from workers.dedup import minhash as minhashing
from workers.dedup import sha1_lanes
from workers.dedup.fingerprint import NamedText, estimate, fingerprint, fingerprints, minhash, signature
from workers.dedup.native import kernel
from workers.dedup.parameters import MINIMUM_SHINGLES, WORD_PARAMS
from workers.dedup.shingles import shingle

SNAPSHOT = "snap-0123456789ab-20260822T031500Z-01234567"
DIGEST = "a" * 64


@pytest.fixture(autouse=True, params=["numpy", "compiled"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways have to give the same."""
    if request.param == "numpy":
        monkeypatch.setattr(sha1_lanes, "kernel", lambda: None)
        monkeypatch.setattr(minhashing, "kernel", lambda: None)
    elif kernel() is None:
        pytest.skip("no C compiler was there when this was installed: python -m workers.native")


def words(count: int) -> str:
    return " ".join(f"word{number}" for number in range(count))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.frozensets(st.text(st.characters(codec="utf-8"), max_size=30), max_size=60))
def test_values_equal_the_slow_path_of_datasketch(shingles: frozenset[str]) -> None:
    peer = MinHash(num_perm=128, seed=1, scheme="affine32")
    for value in shingles:
        peer.update(value.encode("utf-8"))
    assert np.array_equal(minhash(shingles), peer.hashvalues)


@pytest.mark.parametrize("count", [511, 512, 513, 3000])
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


def test_many_records_at_once_are_those_of_each_alone() -> None:
    texts = [NamedText(words(count), DIGEST, SNAPSHOT) for count in (0, 3, 23, 24, 500, 40_000, 60)]
    assert fingerprints(texts) == [fingerprint(each.text, text_sha256=DIGEST, snapshot_id=SNAPSHOT) for each in texts]


def test_simhash_is_the_majority_of_each_bit_over_distinct_shingles() -> None:
    """R054: against a reading of the definition that is as slow as it is plain."""
    text = words(70) + " " + words(40)
    digests = [hashlib.sha1(value.encode()).digest()[:8] for value in shingle(text).values]
    numbers = [int.from_bytes(digest, "big") for digest in digests]
    expected = sum(1 << bit for bit in range(64) if 2 * sum(number >> bit & 1 for number in numbers) > len(numbers))
    record = fingerprint(text, text_sha256=DIGEST, snapshot_id=SNAPSHOT)
    assert record.simhash == f"{expected:016x}"


def test_simhashes_of_near_duplicates_differ_in_few_bits() -> None:
    one, near, other = words(400), words(400) + " and a closing line", " ".join(f"else{n}" for n in range(400))
    first, second, third = (
        int(str(fingerprint(text, text_sha256=DIGEST, snapshot_id=SNAPSHOT).simhash), 16) for text in (one, near, other)
    )
    assert (first ^ second).bit_count() <= 6
    assert (first ^ third).bit_count() >= 16


def test_a_record_without_simhash_is_read_on() -> None:
    """Those that were written before it was kept."""
    record = fingerprint(words(50), text_sha256=DIGEST, snapshot_id=SNAPSHOT)
    older = {key: value for key, value in record.model_dump(by_alias=True).items() if key != "simhash"}
    assert Fingerprint.model_validate(older).simhash is None
