"""How much a quote says: whether there is enough in it to point at one passage, here and in a later version.

Two measures, and both must hold. Word characters count length, in every script: an ideograph or a syllable of Hangul
tells as much as two letters, a kana as one and a half, a letter of Thai as one, and vowel signs are letters too. Bits
count what they tell: a letter that a word had already, a word that the quote had already, tell little, so `aaaaaaaa`
and `the the the` are no pointers.
"""

from __future__ import annotations

import re

from workers.cite.tokens import is_double, is_spelling, word_weight

MINIMUM_WEIGHT = 8
"""Word characters, as `tokens.word_weight` counts them."""
MINIMUM_BITS = 20
_SPELLED = re.compile(r"[\w\u0900-\u1cff]+")
"""A word with its vowel signs, which are no word characters to the interpreter."""
LETTER, AGAIN, DIGIT, IDEOGRAPH = 4, 1, 3, 9
"""Bits: log2 of some 20 letters that are used, of 10 digits, of some 500 ideographs."""


def information_bits(quote: str) -> int:
    """Bits, roughly: of each distinct word the letters that are new in it; figures and ideographs in full."""
    words = {word.casefold() for word in _SPELLED.findall(quote)}
    return sum(_bits(word) for word in words)


def says_enough(quote: str) -> bool:
    """Whether a quote may be a pointer."""
    return word_weight(quote) >= MINIMUM_WEIGHT and information_bits(quote) >= MINIMUM_BITS


def _bits(word: str) -> int:
    seen: set[str] = set()
    bits = 0
    for character in word:
        if not is_spelling(character):
            continue
        if character.isdigit():
            bits += DIGIT
        elif character in seen:
            bits += AGAIN
        else:
            bits += IDEOGRAPH if is_double(character) else LETTER
        seen.add(character)
    return bits
