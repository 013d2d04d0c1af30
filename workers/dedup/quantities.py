"""The quantities that a text names: numbers with what gives them their meaning.

Word shingles lose what stands between words: `1.5` and `15`, `-5` and `5`, `$5` and `€5`, `10 %` and `10`, `<5` and
`>5` may be the same words. A copy that tells another figure is one story that says something else, and whoever
looks at a cluster has to see that (C23). So quantities are compared beside the words. Where words are written onto
figures (`売上は100億円`) a letter before one is another word; elsewhere (`H2O`) both are a name.

Not told apart: grouping that is written as a plain blank (`10 000` is two numbers, in both copies), and superscripts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping

from schemas.figures import JOINED

_CURRENCIES = frozenset("$£¥€₩₪₫₱₹₺₽＄￡￥￦")
_UNITS = _CURRENCIES | frozenset("%‰°％")
_BOUNDS = frozenset("<>≤≥±~≈＜＞")
_SIGNS = frozenset("+-\u2212＋－")
_BLANKS = frozenset(" \u00a0\u202f")
_NUMBER = re.compile(r"\d+(?:[.,'\u2019\u00a0\u202f．]\d+)*")
_JOINED = re.compile(f"[{JOINED}]")
_PLAIN = str.maketrans("\u2212＋－＜＞％．＄￡￥￦", "-+-<>%.$£¥₩", "\u00a0\u202f'\u2019 ")


def quantities(text: str) -> Counter[str]:
    """Each quantity as it is written, without blanks and grouping apostrophes, and how often. Digits of all scripts
    are one."""
    found: Counter[str] = Counter()
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        if start and text[start - 1].isalpha() and not _JOINED.match(text, start - 1):
            continue  # the 2 of `H2O`
        found[_plain(text[_begin(text, start) : _end(text, end)])] += 1
    return found


def _begin(text: str, start: int) -> int:
    """Where a number's currency, sign and bound begin."""
    if start and text[start - 1] in _CURRENCIES:
        start -= 1
    if start and text[start - 1] in _SIGNS and not _parts(text, start - 1):
        start -= 1
    before = start - 1 if start and text[start - 1] in _BLANKS else start
    return before - 1 if before and text[before - 1] in _BOUNDS else start


def _end(text: str, end: int) -> int:
    """Where its percent sign or currency ends, if that is not the next number's."""
    at = end + 1 if end < len(text) and text[end] in _BLANKS else end
    if at < len(text) and text[at] in _UNITS and not text[at + 1 : at + 2].isdecimal():
        return at + 1
    return end


def _parts(text: str, at: int) -> bool:
    """Whether the sign there is the hyphen of `3-5`, or the dash of `3年-5年`."""
    before = text[max(0, at - 2) : at]
    if not before or not (before[-1].isalnum() or before[-1] == "_"):
        return False
    return _JOINED.match(before[-1]) is None or before[-1].isdecimal() or before[:-1].isdecimal()


def common_and_all(one: Mapping[str, int], other: Mapping[str, int]) -> tuple[int, int]:
    """How many quantities two texts have in common, and how many there are in either, each as often as it stands."""
    common = sum(min(count, other.get(quantity, 0)) for quantity, count in one.items())
    return common, sum(one.values()) + sum(other.values()) - common


def _plain(found: str) -> str:
    kept = found.translate(_PLAIN)
    if kept.isascii():
        return kept
    return "".join(str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in kept)
