"""Whether a quote's ends cut a word or a figure, so that it says something else than its text (C19, C23).

`5 million` stands in `15 million`, `5` in `-5`, `$5` and `5 %`, and each is exact to the code point. Our own rules,
written without the archive's: letters and digits of a script with blanks between words hold together; a figure holds
its sign, comparison, currency, decimals, groups and percent sign (`holding.py`).
"""

from __future__ import annotations

import unicodedata
from typing import Final

from schemas.text_v1 import holding as known
from validator.denials import denied_after, denied_before
from validator.holding import counted_after, holds, noun_ends, parts_number_words


def cuts_token(text: str, start: int, end: int) -> bool:
    """Whether `[start, end)`, not empty and within the text, begins or ends inside a word or figure."""
    return _before(text, start) or _after(text, end)


def _before(text: str, at: int) -> bool:
    return at > 0 and (holds(text, at) or parts_number_words(text, at) or denied_before(text, at))


def _after(text: str, at: int) -> bool:
    if at >= len(text):
        return False
    held = holds(text, at) and not noun_ends(text, at)
    return held or parts_number_words(text, at) or counted_after(text, at) or denied_after(text, at)


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
    """Whether there is less to recognise than `least` letters, digits and vowel signs, where ideographs and syllables
    of Hangul count two, and kana one and a half."""
    if quote.isascii():
        return sum(map(str.isalnum, quote)) < least
    halves = 0
    for character in quote:
        code = ord(character)
        if character.isalnum():
            halves += 4 if _within(code, known.HANGUL + known.HAN) else 3 if _within(code, known.KANA) else 2
        elif _within(code, (known.SYLLABIC_MARKS,)) and unicodedata.category(character)[0] == "M":
            halves += 2
        if halves >= 2 * least:
            return False
    return True


def needs_no_blanks(quote: str) -> bool:
    """Whether it is written in ideographs and kana alone: a blank between two of these is the layout's."""
    return all(_within(ord(c), known.HAN + known.KANA) for c in quote if c.isalnum())


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)
