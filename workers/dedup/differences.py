"""What two texts say differently, in words: for a person who looks at a pair."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

MAX_WORDS = 4000
"""Of each text: comparing takes time that grows with the product of both."""
SHOWN_WORDS = 12

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Difference:
    """A run of words in one text where the other has another. Empty: it has none there."""

    one: str
    other: str


@dataclass(frozen=True, slots=True)
class OtherNumbers:
    """Quantities that one text names and the other does not, as often as they are more; sorted."""

    one: tuple[str, ...]
    other: tuple[str, ...]


def differences(one: str, other: str, *, limit: int) -> tuple[Difference, ...]:
    """The first differing runs, in order, of the first 4,000 words of each."""
    first, second = (_WORD.findall(text)[:MAX_WORDS] for text in (one, other))
    matcher = SequenceMatcher(None, first, second, autojunk=len(first) + len(second) > MAX_WORDS)
    runs = (
        Difference(_run(first[a:b]), _run(second[c:d])) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"
    )
    return tuple(run for run, _ in zip(runs, range(limit), strict=False))


def other_numbers(one: Mapping[str, int], other: Mapping[str, int]) -> OtherNumbers:
    """What is left of each when the other's quantities are taken away."""
    first, second = Counter(one), Counter(other)
    return OtherNumbers(tuple(sorted((first - second).elements())), tuple(sorted((second - first).elements())))


def _run(words: list[str]) -> str:
    cut = " …" if len(words) > SHOWN_WORDS else ""
    return " ".join(words[:SHOWN_WORDS]) + cut
