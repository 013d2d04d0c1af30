"""How much a quote says: whether there is enough in it to point at one passage, here and in a later version.

Two measures, and both must hold. Word characters count length. Bits count what they tell: a letter that a word had
already, a word that the quote had already, tell little, so `aaaaaaaa` and `the the the` are no pointers.
"""

from __future__ import annotations

from workers.cite.tokens import WORDS, is_spaceless, word_weight

MINIMUM_WEIGHT = 8
"""Word characters, ideographs counting two."""
MINIMUM_BITS = 20
LETTER, AGAIN, DIGIT, IDEOGRAPH = 4, 1, 3, 9
"""Bits: log2 of some 20 letters that are used, of 10 digits, of some 500 ideographs."""


def information_bits(quote: str) -> int:
    """Bits, roughly: of each distinct word the letters that are new in it; figures and ideographs in full."""
    words = {word.casefold() for word in WORDS.findall(quote)}
    return sum(_bits(word) for word in words)


def says_enough(quote: str) -> bool:
    """Whether a quote may be a pointer."""
    return word_weight(quote) >= MINIMUM_WEIGHT and information_bits(quote) >= MINIMUM_BITS


def _bits(word: str) -> int:
    seen: set[str] = set()
    bits = 0
    for character in word:
        if character.isdigit():
            bits += DIGIT
        elif character in seen:
            bits += AGAIN
        else:
            bits += IDEOGRAPH if is_spaceless(character) else LETTER
        seen.add(character)
    return bits
