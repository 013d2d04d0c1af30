"""Whether a quote's end leaves off a negation of its first or last word: our own reading of the tables (C19, C23).

In scripts without blanks a negation is written onto what it denies, with an auxiliary between them or without; a
Japanese predicate goes on to a negative end, and a Korean one is denied by the word behind it.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from schemas.text_v1 import holding as known
from validator.characters import among, category, is_hangul, spaceless
from validator.holding import REACH, seen_after, seen_before, shown

MOST_AUXILIARIES: Final = 2


def denied_before(text: str, at: int) -> bool:
    """Whether the word that begins at the place has its negation directly before it."""
    left, right = seen_before(text, at).rstrip(), seen_after(text, at)
    if not left or not right or category(right[0])[0] != "L":
        return False
    if spaceless(right[0]) and spaceless(left[-1]):
        if _han_denied(left, right):
            return True
        for auxiliary in known.HAN_AUXILIARIES:
            if left.endswith(auxiliary) and _han_denied(left.removesuffix(auxiliary), auxiliary + right):
                return True
    return _denied_in_words(shown(text[max(0, at - REACH) : at]), MOST_AUXILIARIES)


def _han_denied(left: str, right: str) -> bool:
    """Whether a negation ends `left`, and no other word has it for its end."""
    for negation in (*known.HAN_NEGATING_WORDS, *known.HAN_NEGATIONS):
        if not left.endswith(negation):
            continue
        place = len(left) - len(negation) + 1
        other = _other_word(left[:place], left[place:] + right)
        if not other or _han_denied(left[: place - len(other)], other + left[place:] + right):
            return True
    return False


def _other_word(left: str, right: str) -> str:
    """The longest word of another sense that ends with `left`; empty where there is none, or a longer one denies."""
    longest = ""
    for entry in known.HAN_NO_NEGATIONS:
        word, _, follows = entry.partition("|")
        if left.endswith(word) and right.startswith(follows) and len(word) > len(longest):
            longest = word
    if right and among(right[0], known.KANA):
        for word in known.HAN_NO_NEGATIONS_BEFORE_KANA:
            if left.endswith(word) and len(word) > len(longest):
                longest = word
    for word in known.HAN_NEGATIONS_AFTER_ALL:
        if left.endswith(word) and len(word) > len(longest):
            return ""
    return longest


def _denied_in_words(before: str, auxiliaries: int) -> bool:
    if before.endswith(known.NEGATIONS_BEFORE) and not before.endswith(known.NO_NEGATIONS_BEFORE):
        return True
    return auxiliaries > 0 and any(
        before.endswith(word) and _denied_in_words(before[: -len(word)], auxiliaries - 1) for word in known.AUXILIARIES
    )


def denied_after(text: str, at: int) -> bool:
    """Whether the hiragana that is written on behind the place has a Japanese negative, or a Korean word behind it
    denies the one that ends there."""
    left, unstripped = seen_before(text, at), seen_after(text, at)
    right = unstripped.lstrip()
    if left and is_hangul(left[-1]):
        return _denied_in_korean(left, unstripped)
    if not left or not spaceless(left[-1]):
        return False
    for negative in known.JAPANESE_NEGATIVES:
        for cut in range(1, len(negative)):
            if left.endswith(negative[:cut]) and right.startswith(negative[cut:]):
                return True
    for i, character in enumerate(right[:10]):
        if not 0x3041 <= ord(character) <= 0x309F:
            return False
        rest = right[i:]
        if rest.startswith(known.JAPANESE_NEGATIVES) and not rest.startswith(known.JAPANESE_NO_NEGATIVES):
            return True
    return False


def _denied_in_korean(left: str, right: str) -> bool:
    """Whether a stem ends at the place, or a particle after it, and a word that denies it stands behind a blank."""
    word, _, behind = unicodedata.normalize("NFC", "".join(" " if c.isspace() else c for c in right)).partition(" ")
    if len(word) > 1:
        return False
    whole = unicodedata.normalize("NFC", left) + word
    for end in known.KOREAN_STEM_ENDS:
        stem = whole.removesuffix(end)
        if whole.endswith(end) and len(word) < len(end) and stem and is_hangul(stem[-1]):
            behind = behind.lstrip()
            return behind.startswith(known.KOREAN_DENIALS) and not behind.startswith(known.KOREAN_NO_DENIALS)
    return False
