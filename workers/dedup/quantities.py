"""The quantities that a text names: numbers with what gives them their meaning.

Word shingles lose what stands between words: `1.5` and `15`, `-5` and `5`, `$5` and `€5`, `10 %` and `10`, `<5` and
`>5` may be the same words. A copy that tells another figure is one story that says something else, and whoever
looks at a cluster has to see that (C23). So quantities are compared beside the words.

Not told apart: grouping that is written as a plain blank (`10 000` is two numbers, in both copies), and superscripts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping

_UNITS = "%‰°$£¥€₩₪₫₱₹₺₽"
_QUANTITY = re.compile(
    r"(?:([<>≤≥±~≈])[ \u00a0\u202f]?)?"  # a bound
    rf"((?<!\w)[+\-\u2212])?([{_UNITS}])?"  # a sign, but not the hyphen of `3-5`; a currency before
    r"(?<![^\W\d_])(?<![\d])\d+(?:[.,'\u2019\u00a0\u202f]\d+)*"  # not the 2 of `H2O`
    rf"(?:[ \u00a0\u202f]?([{_UNITS}])(?!\d))?"  # one after, which is not before the next
)
_GROUPING = str.maketrans({"\u00a0": None, "\u202f": None, "'": None, "\u2019": None, " ": None, "\u2212": "-"})


def quantities(text: str) -> Counter[str]:
    """Each quantity as it is written, without blanks and grouping apostrophes, and how often. Digits of all scripts
    are one."""
    return Counter(_plain(found.group()) for found in _QUANTITY.finditer(text))


def common_and_all(one: Mapping[str, int], other: Mapping[str, int]) -> tuple[int, int]:
    """How many quantities two texts have in common, and how many there are in either, each as often as it stands."""
    common = sum(min(count, other.get(quantity, 0)) for quantity, count in one.items())
    return common, sum(one.values()) + sum(other.values()) - common


def _plain(found: str) -> str:
    kept = found.translate(_GROUPING)
    if kept.isascii():
        return kept
    return "".join(str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in kept)
