"""MinHash signatures of 1,000-word documents: datasketch's values first, then the time.

Against datasketch both sides start from the shingles of each document, which it takes; against text-dedup and
datatrove, which know no such step, from the text; against rensa from both. From the text is what a pipeline pays: its
shingles have to be made first, and what the floor speaks of (the 3,263 documents a second before it are of that order).
From shingles that somebody else made is told without a floor, and rensa is faster there: it mixes a shingle by a few
multiplications of its own, where the values that we must have (those of datasketch) begin with a SHA-1, which alone
takes as long as all that rensa does, sixteen at a time in vectors as it is. So the row says what SHA-1 costs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from datasketch import MinHash

from deploy.bench.duplicates.peers import Peers, running_peers
from deploy.bench.result import Result
from deploy.bench.texts import text
from deploy.bench.timing import Compared, compare, cpu_seconds
from workers.dedup.cuts import cut, cut_of
from workers.dedup.minhash import Signature, minima
from workers.dedup.parameters import PERMUTATIONS, SEED, WORD_PARAMS
from workers.dedup.shingles import shingle

DOCUMENTS = 60
WORDS = 1_000
REPEATS = 5


def measure(peers_python: Path, folder: Path, documents: int = DOCUMENTS) -> list[Result]:
    """AssertionError where the values differ."""
    texts = [text(WORDS, seed) for seed in range(documents)]
    encoded = [[value.encode() for value in sorted(shingle(each).values)] for each in texts]

    def ours() -> list[Signature]:
        return minima([cut_of(WORD_PARAMS, values) for values in encoded])

    def from_text() -> list[Signature]:
        return minima([cut(each) for each in texts])

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

    for each in zip(ours(), from_text(), one_by_one(), batched(), strict=True):
        mine, mine_of_text, slow, fast = each
        if not all(np.array_equal(mine, values) for values in (mine_of_text, slow.hashvalues, fast.hashvalues)):
            raise AssertionError("our signatures are not datasketch's; their speed means nothing")
    results = [
        _result("datasketch", "update()", compare(ours, one_by_one), documents, 25, 35),
        _result("datasketch", "update_batch()", compare(ours, batched), documents, 5, 6),
    ]
    with running_peers(peers_python, texts, folder) as peers:
        there = peers.there if peers is not None else []
        if peers is not None and "rensa-shingles" in there:
            found = _against(ours, peers, "rensa-shingles", documents)
            results.append(_result("rensa", "RMinHash.update()", found, documents, None, None))
        for name, floor, goal in (("rensa", 1.5, 2.0), ("text-dedup", None, None), ("datatrove", None, None)):
            if peers is not None and name in there:
                found = _against(from_text, peers, name, documents)
                results.append(_result(name, "from texts", found, documents, floor, goal))
    return results


def _against(ours: Callable[[], object], peers: Peers, name: str, documents: int) -> Compared:
    """As `compare`, with a peer in another process."""
    ours()
    peers.cpu_seconds(name, documents)
    rounds = [(cpu_seconds(ours), peers.cpu_seconds(name, documents)) for _ in range(REPEATS)]
    return Compared(
        median(mine for mine, _ in rounds),
        median(other for _, other in rounds),
        median(other / mine for mine, other in rounds),
    )


def _empty() -> MinHash:
    return MinHash(num_perm=PERMUTATIONS, seed=SEED, scheme="affine32")


def _result(peer: str, what: str, found: Compared, documents: int, floor: float | None, goal: float | None) -> Result:
    return Result(
        name=f"signatures against {peer} {what}",
        value=documents / found.ours,
        unit="documents/CPU-s",
        peer=peer,
        peer_value=documents / found.peer,
        ratio=found.ratio,
        lower_is_better=False,
        floor=floor,
        goal=goal,
    )
