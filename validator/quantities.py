"""The quantities of a text: numbers with sign, bound, currency and share, as `schemas/README.md, Clusters` has them.

Our own reading, for the figure that says how far two copies tell the same numbers. Rules up to `confirm@2` left out
what is written onto a letter of any script; later ones leave out what is written onto one of a script with blanks
between its words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import Final

from schemas.figures import JOINED

_BLANK: Final = " \u00a0\u202f"


@dataclass(frozen=True, slots=True)
class Reading:
    """How one version of the rules reads a number, what stands before it, and what behind."""

    number: re.Pattern[str]
    head: re.Pattern[str]
    tail: re.Pattern[str]
    joined: re.Pattern[str]
    """A letter that may stand right before a number; behind any other it is a part of a name."""


def _reading(money: str, signs: str, bounds: str, shares: str, points: str, joined: str) -> Reading:
    unsigned = rf"(?<!\w)|(?<=[{joined}])(?<!\d)(?<!\d\w)" if joined else r"(?<!\w)"
    return Reading(
        number=re.compile(rf"\d+(?:[{points}'’\u00a0\u202f]\d+)*"),
        head=re.compile(rf"(?:[{bounds}][{_BLANK}]?)?(?:(?:{unsigned})[{signs}])?[{money}]?\Z"),
        tail=re.compile(rf"(?:[{_BLANK}]?[{money}{shares}](?!\d))?"),
        joined=re.compile(rf"[{joined}]\Z" if joined else "(?!)"),
    )


OLDER: Final = _reading("$£¥€₩₪₫₱₹₺₽", r"-+\u2212", "<>≤≥±~≈", "%‰°", ".,", "")
"""Of `confirm@1` and `confirm@2`."""
NEWER: Final = _reading("$£¥€₩₪₫₱₹₺₽＄￡￥￦", r"-+\u2212＋－", "<>≤≥±~≈＜＞", "%‰°％", ".,．", JOINED)
_REACH: Final = 6
"""A bound, a blank, a sign and a currency may stand before a number, and two characters decide about the sign."""


def quantities_of(text: str, reading: Reading = NEWER) -> Counter[str]:
    """Each quantity in one spelling, and how often it stands there."""
    found: Counter[str] = Counter()
    for number in reading.number.finditer(text):
        before = text[max(0, number.start() - _REACH) : number.start()]
        head = reading.head.search(before)
        tail = reading.tail.match(text, number.end())
        named = before[-1:].isalpha() and reading.joined.search(before) is None
        if head is None or tail is None or named:
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
    return str(unicodedata.decimal(character)) if character.isdecimal() else unicodedata.normalize("NFKC", character)
