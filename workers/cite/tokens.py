"""What a quote is made of: words, how much they say, and where a cut would change what they say.

Offsets are code points. The tables of the interpreter are asked for letters and digits only; a
character that an older Unicode does not know makes a quote look shorter, never longer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from schemas.text_v1 import holding as known
from workers.cite.denials import denied_after, denied_before
from workers.cite.holding import counts_what_follows, is_held, particle_follows, parts_number_words

WORDS: Final = re.compile(r"\w+")
_RUNS: Final = (
    "\u0e00-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""The inside of a class: scripts written in runs without blanks, from Thai to Myanmar, Khmer, kana and Han."""
PIECES: Final = re.compile(
    rf"(?!\d)[{_RUNS}](?:(?![\w\s])[{_RUNS}])*"  # a letter with the marks that spell its vowel and tone
    rf"|(?:[^\W{_RUNS}]|\d)+(?:(?<=\d)[.,\uff0e\u066b\u066c](?=\d)(?:[^\W{_RUNS}]|\d)+)*"
    r"|\s+|[^\w\s]"
)
"""A text as words, figures (`38,412`), letters of runs, white space and marks: joined again they are the text."""

_IN_RUNS: Final = re.compile(f"[{_RUNS}]")
_SPACELESS: Final = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Tibetan, Myanmar, Khmer
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul: particles are written onto the word
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana, iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"  # Han
)


def words_in(pieces: Iterable[str]) -> int:
    """How many of them are words, figures or letters of runs."""
    return sum(WORDS.match(piece) is not None for piece in pieces)


def is_in_runs(piece: str) -> bool:
    """Whether it is a letter of a script that writes words onto each other."""
    return _IN_RUNS.match(piece) is not None


def _among(ranges: tuple[tuple[int, int], ...]) -> re.Pattern[str]:
    return re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges) + "]")


_DOUBLE: Final = _among((*known.HANGUL, *known.HAN))
_KANA: Final = _among(known.KANA)
_IDEOGRAPHIC: Final = _among((*known.HAN, *known.KANA))


def word_weight(text: str) -> int:
    """Letters, digits and vowel signs, an ideograph or a syllable of Hangul counting two, a kana one and a half: how
    much there is to recognise. `_` is none of them."""
    halves = sum(4 if is_double(c) else 3 if _KANA.match(c) else 2 for c in text if is_spelling(c) and c != "_")
    return halves // 2


def needs_no_blanks(text: str) -> bool:
    """Whether it is written in ideographs and kana alone, between which a blank or a line's end means nothing."""
    return all(_IDEOGRAPHIC.match(character) is not None for character in text if character.isalnum())


def is_double(character: str) -> bool:
    """Whether the character tells as much as two letters: an ideograph, or a syllable of Hangul."""
    return _DOUBLE.match(character) is not None


def is_spelling(character: str) -> bool:
    """Whether words are spelled with it: letters, digits, `_`, and the vowel signs of scripts that write them so."""
    first, last = known.SYLLABIC_MARKS
    marks = first <= ord(character) <= last and unicodedata.category(character)[0] == "M"
    return marks or character.isalnum() or character == "_"


def is_spaceless(character: str) -> bool:
    """Whether the character belongs to a script in which a word may end at any character."""
    return _SPACELESS.match(character) is not None


def cuts_a_token(text: str, start: int, end: int) -> bool:
    """Whether `[start, end)` begins or ends within a word or figure, so that the words no longer say the same:
    `5` of `15`, `1.5`, `-5`, `$5` or `5 %`, `port` of `report`, `toxic` of `non-toxic` (C23)."""
    return _cut_before(text, start) or _cut_after(text, end)


def _cut_before(text: str, at: int) -> bool:
    if at == 0 or at >= len(text):
        return False
    return is_held(text, at) or parts_number_words(text, at) or denied_before(text, at)


def _cut_after(text: str, at: int) -> bool:
    if at == 0 or at >= len(text):
        return False
    held = is_held(text, at) and not particle_follows(text, at)
    return held or parts_number_words(text, at) or counts_what_follows(text, at) or denied_after(text, at)
