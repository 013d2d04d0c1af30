"""The quantities of a text: numbers with sign, bound, currency and share, as `schemas/README.md, Clusters` has them.

Our own reading, for the figure that says how far two copies tell the same numbers.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Final

_MONEY: Final = "$£¥€₩₪₫₱₹₺₽"
_BLANK: Final = " \u00a0\u202f"
_NUMBER: Final = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d+)*")
_HEAD: Final = re.compile(rf"(?:[<>≤≥±~≈][{_BLANK}]?)?(?:(?<!\w)[-+\u2212])?[{_MONEY}]?\Z")
_TAIL: Final = re.compile(rf"(?:[{_BLANK}]?[{_MONEY}%‰°](?!\d))?")
_REACH: Final = 5
"""A bound, a blank, a sign and a currency may stand before a number, and one character decides about the sign."""


def quantities_of(text: str) -> Counter[str]:
    """Each quantity in one spelling, and how often it stands there."""
    found: Counter[str] = Counter()
    for number in _NUMBER.finditer(text):
        before = text[max(0, number.start() - _REACH) : number.start()]
        head = _HEAD.search(before)
        tail = _TAIL.match(text, number.end())
        if head is None or tail is None or before[-1:].isalpha():
            continue
        found["".join(map(_plain, head[0] + number[0] + tail[0]))] += 1
    return found


def numbers_ppm(one: Counter[str], other: Counter[str]) -> int | None:
    """Share of common quantities in parts per million; None where neither text has any."""
    every = (one | other).total()
    return (one & other).total() * 1_000_000 // every if every else None


def _plain(character: str) -> str:
    if character in _BLANK or character in "'’":
        return ""
    if character == "\u2212":
        return "-"
    return str(unicodedata.decimal(character)) if character.isdecimal() else character
