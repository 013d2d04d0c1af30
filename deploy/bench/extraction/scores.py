"""How well texts agree with what was expected of them.

Texts are compared by 4-grams of words as multisets, each page's counts brought to a sum of one, and precision and
recall averaged over pages (the method of the article extraction benchmark). Snippets are counted: a wanted one that is
found is a true positive, an unwanted one a false positive.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from deploy.bench.extraction.pages import SuitePage

NGRAM = 4
_WORD = re.compile(r"\w+")

Found = Sequence[tuple[SuitePage, str]]
"""Pages with the text that was extracted of each."""


@dataclass(frozen=True, slots=True)
class Score:
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def score(found: Found) -> Score:
    """Of the pages of one suite."""
    return _by_snippets(found) if found[0][0].expected is None else _by_texts(found)


def _by_texts(found: Found) -> Score:
    shares = [_overlap(page.expected or "", text) for page, text in found]
    return Score(
        mean(1.0 if wrong == missed == 0 else right / (right + wrong or 1) for right, wrong, missed in shares),
        mean(1.0 if wrong == missed == 0 else right / (right + missed or 1) for right, wrong, missed in shares),
    )


def _by_snippets(found: Found) -> Score:
    right = sum(snippet in text for page, text in found for snippet in page.present)
    wanted = sum(len(page.present) for page, _ in found)
    wrong = sum(snippet in text for page, text in found for snippet in page.absent)
    return Score(right / (right + wrong or 1), right / (wanted or 1))


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text)
    return Counter(tuple(words[i : i + NGRAM]) for i in range(max(1, len(words) - NGRAM + 1))) if words else Counter()


def _overlap(expected: str, found: str) -> tuple[float, float, float]:
    """True positives, false positives and false negatives, as shares."""
    wanted, got = _shingles(expected), _shingles(found)
    right, wrong, missed = (wanted & got).total(), (got - wanted).total(), (wanted - got).total()
    total = max(1, right + wrong + missed)
    return right / total, wrong / total, missed / total
