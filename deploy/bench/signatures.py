"""MinHash signatures of 1,000-word documents, against datasketch: the same values first, then the time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from datasketch import MinHash

from deploy.bench.result import Result
from deploy.bench.texts import text
from deploy.bench.timing import compare
from workers.dedup.fingerprint import Signature, minhash
from workers.dedup.parameters import PERMUTATIONS, SEED
from workers.dedup.shingles import shingle

DOCUMENTS = 60
WORDS = 1_000


def measure(documents: int = DOCUMENTS) -> list[Result]:
    """Both sides start from the shingles of each document. AssertionError where the values differ."""
    sets = [sorted(shingle(text(WORDS, seed)).values) for seed in range(documents)]
    encoded = [[value.encode() for value in values] for values in sets]

    def ours() -> list[Signature]:
        return [minhash(values) for values in sets]

    def one_by_one() -> list[MinHash]:
        sketches = [_empty() for _ in encoded]
        for sketch, values in zip(sketches, encoded, strict=True):
            for value in values:
                sketch.update(value)
        return sketches

    def batched() -> list[MinHash]:
        sketches = [_empty() for _ in encoded]
        for sketch, values in zip(sketches, encoded, strict=True):
            sketch.update_batch(values)
        return sketches

    for mine, slow, fast in zip(ours(), one_by_one(), batched(), strict=True):
        if not (np.array_equal(mine, slow.hashvalues) and np.array_equal(mine, fast.hashvalues)):
            raise AssertionError("our signatures are not datasketch's; their speed means nothing")
    return [
        _result("signatures against datasketch update()", ours, one_by_one, documents, floor=25, goal=35),
        _result("signatures against datasketch update_batch()", ours, batched, documents, floor=5, goal=6),
    ]


def _empty() -> MinHash:
    return MinHash(num_perm=PERMUTATIONS, seed=SEED, scheme="affine32")


def _result(
    name: str, ours: Callable[[], object], peer: Callable[[], object], documents: int, *, floor: float, goal: float
) -> Result:
    found = compare(ours, peer)
    return Result(
        name=name,
        value=documents / found.ours,
        unit="documents/CPU-s",
        peer="datasketch",
        peer_value=documents / found.peer,
        ratio=found.ratio,
        lower_is_better=False,
        floor=floor,
        goal=goal,
    )
