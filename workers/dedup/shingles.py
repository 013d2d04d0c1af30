"""A text as the set of its shingles: what fingerprints estimate and what confirmation compares exactly.

Word 5-grams of case-folded `\\w+`, joined by one space; for scripts that put no spaces between words,
character 5-grams of the case-folded text without white space and punctuation. Character shingles are
used for nothing else: over alphabetic scripts they make unlike documents look alike (C43).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from workers.dedup.parameters import CHARACTER_PARAMS, MAX_TEXT_CHARS, SHINGLE_LENGTH, WORD_PARAMS

_WORD = re.compile(r"\w+")
_SPACELESS = re.compile(
    "[\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u0fff"  # Tibetan
    "\u1000-\u109f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana, iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003ffff]"
)
_BETWEEN = re.compile(
    r"[\s!-/:-@\[-`{-~"  # white space, ASCII punctuation
    "\u00a1-\u00bf\u2000-\u206f"
    "\u3000-\u3004\u3008-\u3020\u3030\u303d"  # CJK punctuation, but not its letters
    "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+"
)
SPACELESS_SHARE = 0.3
"""From this share of letters on, `\\w+` would give tokens as long as sentences."""


@dataclass(frozen=True, slots=True)
class Shingles:
    """The distinct shingles of one text and the parameter id that says how they were cut."""

    params: str
    values: frozenset[str]


def shingle(text: str) -> Shingles:
    """Cut a text-v1 text. Only its first `MAX_TEXT_CHARS` code points count."""
    folded = text[:MAX_TEXT_CHARS].casefold()
    words = words_of(folded)
    if is_spaceless(folded, words):
        return Shingles(CHARACTER_PARAMS, _character_shingles(letters_of(folded)))
    return Shingles(WORD_PARAMS, _word_shingles(words))


def words_of(folded: str) -> list[str]:
    """The words of a case-folded text."""
    return _WORD.findall(folded)


def letters_of(folded: str) -> str:
    """A case-folded text without what stands between letters."""
    return _BETWEEN.sub("", folded)


def is_spaceless(folded: str, words: list[str]) -> bool:
    """Whether a text is mainly of a script that puts no spaces between words; `words` are its `\\w+`."""
    if folded.isascii():
        return False
    return len(_SPACELESS.findall(folded)) > SPACELESS_SHARE * sum(map(len, words))


def _word_shingles(words: list[str]) -> frozenset[str]:
    runs = (words[start:] for start in range(SHINGLE_LENGTH))
    return frozenset(map(" ".join, zip(*runs, strict=False)))


def _character_shingles(letters: str) -> frozenset[str]:
    return frozenset(letters[at : at + SHINGLE_LENGTH] for at in range(len(letters) - SHINGLE_LENGTH + 1))
