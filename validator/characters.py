"""What a character is to the rules of words and figures (C19, C23)."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from schemas.text_v1 import holding as known

KINDS: Final = 8192
"""Characters whose kinds are remembered: a text is of few."""
_SPACELESS: Final = (
    (0x0E00, 0x0FFF),  # Thai, Lao, Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3040, 0x30FF),  # kana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


@lru_cache(maxsize=KINDS)
def unseen(character: str) -> bool:
    return category(character) == "Cf" or category(character)[0] == "M"


@lru_cache(maxsize=KINDS)
def category(character: str) -> str:
    return unicodedata.category(character)


@lru_cache(maxsize=KINDS)
def digit(character: str) -> bool:
    return category(character)[0] == "N" and character not in known.HAN_NUMERALS


@lru_cache(maxsize=KINDS)
def letter(character: str) -> bool:
    return category(character)[0] == "L" and not spaceless(character)


@lru_cache(maxsize=KINDS)
def word(character: str) -> bool:
    """Of a script with blanks between words; a digit is one of every script."""
    return digit(character) or letter(character)


@lru_cache(maxsize=KINDS)
def money(character: str) -> bool:
    return category(character) == "Sc"


@lru_cache(maxsize=KINDS)
def is_hangul(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in known.HANGUL)


@lru_cache(maxsize=KINDS)
def katakana(character: str) -> bool:
    return among(character, known.KATAKANA)


def among(character: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= ord(character) <= last for first, last in ranges)


@lru_cache(maxsize=KINDS)
def spaceless(character: str) -> bool:
    """Of a script that writes words onto each other. Hangul does not."""
    return any(first <= ord(character) <= last for first, last in _SPACELESS)
