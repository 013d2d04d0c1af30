"""Whether a quote's ends cut a word or a figure, so that it says something else than its text (C19, C23).

`5 million` stands in `15 million`, `5` in `-5`, `$5` and `5 %`, and each is exact to the code point. Our own rules,
written without the archive's: letters and digits of a script with blanks between words hold together; a figure holds
its sign, currency, decimals and percent sign.
"""

from __future__ import annotations

import unicodedata
from typing import Final

SIGNS: Final = frozenset("+-\u2212\u00b1")
COMPARATORS: Final = frozenset("<>\u2264\u2265\u2248~")
SHARES: Final = frozenset("%\u2030\u2031\u00b0")
MARKS: Final = ".,"
MOST_COMBINING: Final = 30
"""Combining marks in a row (UAX 15, stream-safe text)."""


def cuts_token(text: str, start: int, end: int) -> bool:
    """Whether `[start, end)`, not empty and within the text, begins or ends inside a word or figure."""
    return _before(text, start) or _after(text, end)


def _before(text: str, at: int) -> bool:
    if at == 0:
        return False
    first, previous = text[at], text[at - 1]
    if unicodedata.combining(first) or _holds(_spoken(text, at), first):
        return True
    if not first.isdigit():
        return False
    further = text[at - 2] if at > 1 else " "
    if previous in MARKS:
        return further.isdigit()
    if previous in SIGNS:
        return not (further.isalnum() or further in ")]")  # the dash of a range or a compound is no sign
    return previous in COMPARATORS or unicodedata.category(previous) == "Sc"


def _after(text: str, at: int) -> bool:
    if at >= len(text):
        return False
    last, following = text[at - 1], text[at]
    if unicodedata.combining(following) or _holds(_spoken(text, at), following):
        return True
    if not last.isdigit():
        return False
    if following in MARKS:
        return at + 1 < len(text) and text[at + 1].isdigit()
    return following in SHARES or unicodedata.category(following) == "Sc"


def _spoken(text: str, at: int) -> str:
    """The character before a place, its combining marks passed over."""
    place = at - 1
    while place > 0 and at - place <= MOST_COMBINING and unicodedata.combining(text[place]):
        place -= 1
    return text[place]


def _holds(left: str, right: str) -> bool:
    """Whether two characters are of one word. Scripts without blanks may be cut anywhere."""
    return left.isalnum() and right.isalnum() and not is_spaceless(left) and not is_spaceless(right)


_SPACELESS: Final = (
    (0x0E00, 0x0FFF),  # Thai, Lao, Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul, whose particles are written onto the word
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3040, 0x30FF),  # kana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7AF),  # Hangul syllables
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def is_spaceless(character: str) -> bool:
    """Whether a word may begin or end at any such character."""
    code = ord(character)
    return code >= _SPACELESS[0][0] and any(first <= code <= last for first, last in _SPACELESS)


def is_scant(quote: str, least: int) -> bool:
    """Whether there is less to recognise than `least` letters and digits, ideographs and syllables counting two."""
    total = 0
    for character in quote:
        if character.isalnum():
            total += 2 if is_spaceless(character) else 1
            if total >= least:
                return False
    return True
