"""How far two checkers agree: the raw share, and Cohen's kappa, which takes away what chance alone would give.

Exact, in whole numbers. It describes a checker and is never part of a verdict (C37).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

WHOLE = 1_000_000


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of pairs of answers to the same questions."""

    pairs: int
    agreed: int
    kappa_ppm: int | None
    """(observed - expected) / (1 - expected) in parts per million, towards zero; may be negative. None where both gave
    one and the same answer to everything, or nothing was asked: chance explains all of it."""
    table: tuple[tuple[str, str, int], ...]
    """(one's answer, the other's, how often), sorted."""

    @property
    def raw_ppm(self) -> int | None:
        """Share of equal answers; None of nothing."""
        return self.agreed * WHOLE // self.pairs if self.pairs else None


def agreement(pairs: Iterable[tuple[str, str]]) -> Agreement:
    """Of answers side by side.

    >>> agreement([("full", "full"), ("full", "partial"), ("partial", "partial"), ("full", "full")]).kappa_ppm
    500000
    """
    table = Counter(pairs)
    count = table.total()
    agreed = sum(n for (one, other), n in table.items() if one == other)
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for (one, other), n in table.items():
        first[one] += n
        second[other] += n
    by_chance = sum(n * second[answer] for answer, n in first.items())  # of count squared
    left = count * count - by_chance
    over = agreed * count - by_chance
    kappa = None if left == 0 else (abs(over) * WHOLE // left) * (1 if over >= 0 else -1)
    rows = tuple((one, other, n) for (one, other), n in sorted(table.items()))
    return Agreement(count, agreed, kappa, rows)
