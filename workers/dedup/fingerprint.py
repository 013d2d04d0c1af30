"""The fingerprint record of a text: its MinHash, its SimHash, and how many shingles both stand on.

A text with less than 20 distinct shingles gets neither: two short texts share most of their few by chance.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from schemas.records.cluster import Fingerprint
from workers.dedup.cuts import cut, cut_of
from workers.dedup.minhash import Marks, Signature, marks, minima
from workers.dedup.parameters import MINIMUM_SHINGLES, PERMUTATIONS, WORD_PARAMS


@dataclass(frozen=True, slots=True)
class NamedText:
    """A text-v1 text, its digest, and the snapshot that shows it."""

    text: str
    text_sha256: str
    snapshot_id: str


def fingerprint(text: str, *, text_sha256: str, snapshot_id: str) -> Fingerprint:
    """The fingerprint record of one text."""
    return fingerprints([NamedText(text, text_sha256, snapshot_id)])[0]


def fingerprints(texts: Sequence[NamedText]) -> list[Fingerprint]:
    """The records of many texts, in their order: per text a third of what one alone takes."""
    cuts = [cut(each.text) for each in texts]
    return [_record(each, runs.params, found) for each, runs, found in zip(texts, cuts, marks(cuts), strict=True)]


def minhash(shingles: Iterable[str]) -> Signature:
    """128 minima; all bits set where there are no shingles."""
    return minima([cut_of(WORD_PARAMS, [value.encode() for value in shingles])])[0]


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


def _record(named: NamedText, params: str, found: Marks) -> Fingerprint:
    enough = found.distinct >= MINIMUM_SHINGLES
    packed = found.minima.astype("<u4").tobytes()
    return Fingerprint(
        schema="citevault/fingerprint@1",
        text_sha256=named.text_sha256,
        snapshot_id=named.snapshot_id,
        params=params,
        shingles=found.distinct,
        minhash=base64.b64encode(packed).decode("ascii") if enough else None,
        minhash_sha256=hashlib.sha256(packed).hexdigest() if enough else None,
        simhash=f"{found.simhash:016x}" if enough else None,
    )
