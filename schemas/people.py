"""What people say of the same inputs, beside each other: where they agree, and where nobody has decided yet.

Pure, and shared by whoever makes judgements and whoever checks them. A disagreement between people is resolved by a
word of an arbiter, who says why, or by their own later words; never by who spoke last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

from schemas.agreement import Agreement, agreement
from schemas.judging import Rank, Word, counting, last_words, rank_of
from schemas.records.claim import Support

W = TypeVar("W", bound=Word)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two people on one thing."""

    inputs: str
    one: Support
    other: Support


@dataclass(frozen=True, slots=True)
class Pair:
    """Two people, over everything that both judged; of each the last word."""

    one: str
    other: str
    agreement: Agreement
    disagreements: tuple[Disagreement, ...]


def pairs_of(said: Mapping[str, Sequence[Word]]) -> list[Pair]:
    """Every two people who judged something alike. `said`: by the digest of the inputs."""
    views: dict[tuple[str, str], list[Disagreement]] = {}
    for inputs, words in sorted(said.items()):
        people = {word.by.strip(): word.support for word in last_words(of_people(words))}
        for one, other in combinations(sorted(people), 2):
            views.setdefault((one, other), []).append(Disagreement(inputs, people[one], people[other]))
    return [
        Pair(
            one,
            other,
            agreement((view.one.value, view.other.value) for view in seen),
            tuple(view for view in seen if view.one is not view.other),
        )
        for (one, other), seen in sorted(views.items())
    ]


def of_people(words: Iterable[W]) -> list[W]:
    """What people said, without arbiters."""
    return [word for word in words if rank_of(word.checker_version) is Rank.HUMAN]


def settled(words: Iterable[W]) -> W | None:
    """The word of people that counts: what they agree on, or an arbiter decided; None: nothing, or unresolved."""
    best = counting(word for word in words if rank_of(word.checker_version) >= Rank.HUMAN)
    return best[-1] if len({word.support for word in best}) == 1 else None


def is_unresolved(words: Iterable[Word]) -> bool:
    """Whether people disagree and nobody has decided."""
    best = counting(word for word in words if rank_of(word.checker_version) >= Rank.HUMAN)
    return len({word.support for word in best}) > 1
