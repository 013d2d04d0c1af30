"""MinHash of a text, with the values of datasketch 2.0's scheme `affine32`, seed 1, SHA-1 cut to 32 bits.

For a shingle x: h = fmix32(first 4 bytes of SHA-1(x), little-endian), where fmix32 is the finaliser of
MurmurHash3; value k is the minimum over all shingles of a_k * h + b_k mod 2^32, a_k odd. The a_k and b_k
come from numpy's frozen legacy generator. A property test pins the values to datasketch's slow path;
datasketch itself is not imported, since it loads scipy (0.4 s).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from schemas.records.cluster import Fingerprint
from workers.dedup.parameters import MINIMUM_SHINGLES, PERMUTATIONS, SEED
from workers.dedup.shingles import Shingles, shingle

Signature = npt.NDArray[np.uint32]

_BLOCK = 1024  # shingles a step: 128 x 1024 x 4 bytes = 512 KiB stay in the second-level cache


def fingerprint(text: str, *, text_sha256: str, snapshot_id: str) -> Fingerprint:
    """The fingerprint record of a text-v1 text; without a sketch below 20 distinct shingles."""
    return fingerprint_of(shingle(text), text_sha256=text_sha256, snapshot_id=snapshot_id)


def fingerprint_of(shingles: Shingles, *, text_sha256: str, snapshot_id: str) -> Fingerprint:
    """The same, of shingles that are at hand already."""
    packed = None
    if len(shingles.values) >= MINIMUM_SHINGLES:
        packed = minhash(shingles.values).astype("<u4").tobytes()
    return Fingerprint(
        schema="citevault/fingerprint@1",
        text_sha256=text_sha256,
        snapshot_id=snapshot_id,
        params=shingles.params,
        shingles=len(shingles.values),
        minhash=None if packed is None else base64.b64encode(packed).decode("ascii"),
        minhash_sha256=None if packed is None else hashlib.sha256(packed).hexdigest(),
    )


def minhash(shingles: Iterable[str]) -> Signature:
    """128 minima; all bits set where there are no shingles."""
    hashed = _mixed(shingles)
    multiplier, offset = _permutations()
    minima = np.full(PERMUTATIONS, 0xFFFFFFFF, dtype=np.uint32)
    scratch = np.empty((PERMUTATIONS, min(_BLOCK, max(1, hashed.size))), dtype=np.uint32)
    for start in range(0, hashed.size, _BLOCK):
        block = hashed[start : start + _BLOCK]
        permuted = scratch[:, : block.size]
        np.multiply(multiplier, block, out=permuted)
        np.add(permuted, offset, out=permuted)
        np.minimum(minima, permuted.min(axis=1), out=minima)
    return minima


def signature(print_: Fingerprint) -> Signature | None:
    """The values of a fingerprint record; None where it has no sketch or the sketch is not 128 values."""
    if print_.minhash is None:
        return None
    try:
        packed = base64.b64decode(print_.minhash, validate=True)
    except binascii.Error:
        return None
    if len(packed) != 4 * PERMUTATIONS:
        return None
    return np.frombuffer(packed, dtype="<u4").astype(np.uint32)


def estimate(one: Signature, other: Signature) -> float:
    """Jaccard similarity as two sketches estimate it; standard error sqrt(J (1 - J) / 128)."""
    return float(np.count_nonzero(one == other)) / PERMUTATIONS


def _mixed(shingles: Iterable[str]) -> Signature:
    sha1 = hashlib.sha1  # a mixing function here, not a promise
    digests = b"".join([sha1(value.encode(), usedforsecurity=False).digest() for value in shingles])
    mixed = np.frombuffer(digests, dtype="<u4")[::5].astype(np.uint32)  # a digest is five words
    mixed ^= mixed >> np.uint32(16)
    mixed *= np.uint32(0x85EBCA6B)
    mixed ^= mixed >> np.uint32(13)
    mixed *= np.uint32(0xC2B2AE35)
    mixed ^= mixed >> np.uint32(16)
    return mixed


@lru_cache(maxsize=1)
def _permutations() -> tuple[Signature, Signature]:
    """Column vectors a (odd, so that each permutation is a bijection of 32-bit numbers) and b."""
    generator = np.random.RandomState(SEED)
    multiplier = generator.randint(0, 1 << 31, PERMUTATIONS, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    offset = generator.randint(0, 1 << 32, PERMUTATIONS, dtype=np.uint32)
    return multiplier.reshape(-1, 1), offset.reshape(-1, 1)
