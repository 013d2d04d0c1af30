"""What a quote is made of: words, how much they say, and where a cut would change what they say.

Offsets are code points. The tables of the interpreter are asked for letters and digits only; a
character that an older Unicode does not know makes a quote look shorter, never longer.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

WORDS: Final = re.compile(r"\w+")
PIECES: Final = re.compile(r"\w+|\s+|[^\w\s]")
"""A text as words, runs of white space and single marks: joined again they are the text."""

_SPACELESS: Final = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Tibetan, Myanmar, Khmer
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul: particles are written onto the word
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana, iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"  # Han
)
_SIGNS: Final = frozenset("+-±−")
_COMPARATORS: Final = frozenset("<>≤≥≈~")
_CURRENCY: Final = "Sc"
_PERCENT: Final = frozenset("%‰‱°")


def word_weight(text: str) -> int:
    """Word characters, an ideograph or syllable counting two: how much there is to recognise."""
    return sum(2 if is_spaceless(c) else 1 for word in WORDS.findall(text) for c in word)


def is_spaceless(character: str) -> bool:
    """Whether the character belongs to a script in which a word may end at any character."""
    return _SPACELESS.match(character) is not None


def cuts_a_token(text: str, start: int, end: int) -> bool:
    """Whether `[start, end)` begins or ends within a word or number, so that the words no longer say the same:
    `5` of `15`, `1.5`, `-5`, `$5` or `5%`, `port` of `report`, `x` of `x²` (C23)."""
    return _cut_before(text, start) or _cut_after(text, end)


def _cut_before(text: str, at: int) -> bool:
    if at == 0 or at >= len(text):
        return False
    before, first = text[at - 1], text[at]
    if _joined(_letter_before(text, at), first) or unicodedata.combining(first):
        return True
    if not first.isdigit():
        return False
    further = text[at - 2] if at > 1 else " "
    if before in ".,":
        return further.isdigit()
    if before in _SIGNS:
        return not (further.isalnum() or further in ")]")  # a sign, not the dash of a range or a compound
    return before in _COMPARATORS or unicodedata.category(before) == _CURRENCY


def _cut_after(text: str, at: int) -> bool:
    if at == 0 or at >= len(text):
        return False
    last, after = text[at - 1], text[at]
    if _joined(_letter_before(text, at), after) or unicodedata.combining(after):
        return True
    if not last.isdigit():
        return False
    if after in ".,":
        return at + 1 < len(text) and text[at + 1].isdigit()
    return after in _PERCENT or unicodedata.category(after) == _CURRENCY


def _letter_before(text: str, at: int) -> str:
    """The character before a place, with its combining marks (at most 30, UAX 15's stream-safe limit) passed over."""
    for place in range(at - 1, max(-1, at - 32), -1):
        if not unicodedata.combining(text[place]):
            return text[place]
    return text[at - 1]


def _joined(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum() and not is_spaceless(left) and not is_spaceless(right)
