"""Made-up English of a given length: the same for the same seed."""

from __future__ import annotations

import random

_SYLLABLES = (
    "ba",
    "co",
    "di",
    "fu",
    "ga",
    "he",
    "li",
    "mo",
    "nu",
    "pe",
    "ra",
    "si",
    "to",
    "vu",
    "bren",
    "clar",
    "dost",
)


def words(count: int, seed: int) -> list[str]:
    """Words with the frequencies of a language, roughly: few common ones, many rare ones (Zipf)."""
    source = random.Random(seed)  # noqa: S311 (data, not a secret)
    vocabulary = ["".join(source.choices(_SYLLABLES, k=source.randint(1, 4))) for _ in range(5_000)]
    weights = [1 / (rank + 1) for rank in range(len(vocabulary))]
    return source.choices(vocabulary, weights, k=count)


def text(count: int, seed: int) -> str:
    return " ".join(words(count, seed))
