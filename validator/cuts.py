"""Whether a quote's ends cut a word or a figure, so that it says something else than its text (C19, C23).

`5 million` stands in `15 million`, `5` in `-5`, `$5` and `5 %`, and each is exact to the code point. Our own rules,
written without the archive's: letters and digits of a script with blanks between words hold together; a figure holds
its sign, comparison, currency, decimals, groups and percent sign (`holding.py`).
"""

from __future__ import annotations

import unicodedata

from schemas.text_v1 import holding as known
from validator.characters import is_hangul, spaceless
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


def is_spaceless(character: str) -> bool:
    """Whether a word may begin or end at any such character; of Hangul too, whose particles are written onto words."""
    return spaceless(character) or is_hangul(character)


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
