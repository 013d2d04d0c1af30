"""How many near-duplicates the candidates hold, and how much else: over made-up families with exact Jaccard similarity.

Copies differ from their story by so many changed words that similarities from .3 to 1 come equally often; copies of
one story make pairs with each other too. Sketches are compared as in `workers/dedup/buckets.py`.
"""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np

from deploy.bench.result import Result
from deploy.bench.texts import words
from workers.dedup.bands import band_hashes
from workers.dedup.buckets import pairs_of_band, parted
from workers.dedup.cuts import cut
from workers.dedup.minhash import minima
from workers.dedup.parameters import BANDS
from workers.dedup.shingles import shingle
from workers.dedup.sketch import sketches

FAMILIES = 250
COPIES = 6
WORDS = 400
ALIKE, UNLIKE = 0.8, 0.6


def measure(families: int = FAMILIES) -> list[Result]:
    """Recall among pairs at .8 and above, and the share of candidates below .6."""
    texts = [text for family in range(families) for text in family_of(family)]
    exact = _exact(texts)
    found = candidates(texts)
    wanted = {pair for pair, jaccard in exact.items() if jaccard >= ALIKE}
    unlike = sum(exact.get(pair, 0.0) < UNLIKE for pair in found)
    return [
        Result(
            "candidates: recall at Jaccard .8 and above",
            len(wanted & found) / len(wanted), "of " + f"{len(wanted)} pairs", None, None, None, False, 0.98, 0.99,
        ),
        Result(
            "candidates: share below Jaccard .6",
            unlike / len(found), "of " + f"{len(found)} pairs", None, None, None, True, 0.01, None,
        ),
    ]  # fmt: skip


def family_of(seed: int) -> list[str]:
    """A story and its copies."""
    dice = random.Random(seed)  # noqa: S311 (data, not a secret)
    story = words(WORDS, seed)
    texts = [" ".join(story)]
    for copy in range(COPIES):
        jaccard = dice.uniform(0.3, 1.0)
        kept = (2 * jaccard / (1 + jaccard)) ** (1 / 5)  # of its words, so that of five in a row J of the union stay
        changed = [f"other{copy}x{place}" if dice.random() > kept else word for place, word in enumerate(story)]
        texts.append(" ".join(changed))
    return texts


def candidates(texts: list[str]) -> set[tuple[int, int]]:
    """Pairs of places that share a band and are near enough."""
    signatures = np.stack(minima([cut(text) for text in texts]))
    hashes, short = band_hashes(signatures), sketches(signatures)
    places, new = np.arange(len(texts)), np.ones(len(texts), dtype=np.bool_)
    found: set[tuple[int, int]] = set()
    for band in range(BANDS):
        smaller, larger = parted(pairs_of_band(np.ascontiguousarray(hashes[:, band]), places, new, short)[0])
        found.update(zip(smaller.tolist(), larger.tolist(), strict=True))
    return found


def _exact(texts: list[str]) -> dict[tuple[int, int], float]:
    """Of the pairs within families; strangers share next to nothing."""
    sets = [shingle(text).values for text in texts]
    size = COPIES + 1
    return {
        (one, other): len(sets[one] & sets[other]) / len(sets[one] | sets[other])
        for first in range(0, len(texts), size)
        for one, other in combinations(range(first, first + size), 2)
    }
