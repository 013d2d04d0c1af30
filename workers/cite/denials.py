"""Where a quote's end leaves off the negation of its first or last word (C19, C23).

Chinese, Japanese, Thai, Lao, Khmer and Burmese write a negation onto the word that it denies, with an auxiliary or
without; Korean puts it behind the stem of the verb. The tables are `schemas/text_v1/holding.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from schemas.text_v1 import holding as known
from workers.cite.holding import REACH, SPACELESS, is_hangul, seen, visible


def _any(words: Iterable[str]) -> str:
    return "(?:" + "|".join(map(re.escape, sorted(words, key=len, reverse=True))) + ")"


def _ranges(ranges: tuple[tuple[int, int], ...]) -> str:
    return "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges) + "]"


def _others() -> dict[str, re.Pattern[str]]:
    """Words that end like a negation, and what has to follow them."""
    follows = defaultdict(list)
    for entry in known.HAN_NO_NEGATIONS:
        word, _, behind = entry.partition("|")
        follows[word].append(re.escape(behind))
    for word in known.HAN_NO_NEGATIONS_BEFORE_KANA:
        follows[word].append(_ranges(known.KANA))
    return {word: re.compile("|".join(behind)) for word, behind in follows.items()}


_OTHERS: Final = _others()
_LONGEST: Final = max(map(len, (*_OTHERS, *known.HAN_NEGATIONS_AFTER_ALL)))
_HAN_NEGATION: Final = re.compile(_any((*known.HAN_NEGATING_WORDS, *known.HAN_NEGATIONS)))
_HAN_AUXILIARY: Final = re.compile(_any(known.HAN_AUXILIARIES) + r"\Z")
_NEGATED: Final = re.compile(
    _any(known.NEGATIONS_BEFORE)
    + "".join(f"(?<!{word})" for word in known.NO_NEGATIONS_BEFORE)
    + _any(known.AUXILIARIES)
    + r"{0,2}\Z"
)


def denied_before(text: str, at: int) -> bool:
    """Whether a word of a script without blanks stands at the place, and a negation is written onto it."""
    left, right = seen(text, at - 1, -1), seen(text, at, 1)
    left = (left or "").rstrip()
    if not left or not right or not right[0].isalpha():
        return False
    if SPACELESS.match(right[0]) is not None:
        if _han_denied(left, right):
            return True
        auxiliary = _HAN_AUXILIARY.search(left)
        if auxiliary is not None and _han_denied(left[: auxiliary.start()], auxiliary[0] + right):
            return True
    return _NEGATED.search(visible(text[max(0, at - REACH) : at])) is not None


def _han_denied(left: str, right: str) -> bool:
    """Whether the last characters are a negation, alone or with its auxiliary, and belong to no other word."""
    for at in range(max(0, len(left) - _LONGEST), len(left)):
        if _HAN_NEGATION.fullmatch(left, at) is None:
            continue
        own, rest = left[: at + 1], left[at + 1 :] + right
        other = _length_of_other(own, rest)
        cut = len(own) - other
        if not other or _han_denied(own[:cut], own[cut:] + rest):
            return True
    return False


def _length_of_other(left: str, right: str) -> int:
    """Of the longest word at the end of `left` that decides: how long it is, 0 where it denies after all."""
    for length in range(min(_LONGEST, len(left)), 1, -1):
        word = left[-length:]
        if word in known.HAN_NEGATIONS_AFTER_ALL:
            return 0
        if word in _OTHERS and _OTHERS[word].match(right):
            return length
    return 0


def denied_after(text: str, at: int) -> bool:
    """Whether a Japanese predicate goes on after the place, in hiragana, to a negative end, or a Korean stem ends there
    that the next word denies."""
    left, right = seen(text, at - 1, -1), seen(text, at, 1) or ""
    if left and right and is_hangul(left[-1]):
        composed = (unicodedata.normalize("NFC", part) for part in (left, right))
        return _KOREAN_DENIED.search("\0".join(composed)) is not None
    right = right.lstrip()
    if not left or not right or SPACELESS.match(left[-1]) is None:
        return False
    run = _HIRAGANA.match(right)
    if run is None:
        return False
    if _CUT_NEGATIVE.search(f"{left[-3:]}\0{right[:3]}"):
        return True
    for skipped in range(run.end()):
        rest = right[skipped:]
        if rest.startswith(known.JAPANESE_NEGATIVES) and not rest.startswith(known.JAPANESE_NO_NEGATIVES):
            return True
    return False


_HIRAGANA: Final = re.compile("[\u3041-\u309f]{1,10}")
_CUT_NEGATIVE: Final = re.compile(
    "|".join(f"{word[:at]}\0{word[at:]}" for word in known.JAPANESE_NEGATIVES for at in range(1, len(word)))
)
_KOREAN_DENIED: Final = re.compile(
    _ranges(known.HANGUL)
    + _any(f"{end[:at]}\0{end[at:]}" for end in known.KOREAN_STEM_ENDS for at in range(1, len(end) + 1))
    + rf"\s+(?!{_any(known.KOREAN_NO_DENIALS)})"
    + _any(known.KOREAN_DENIALS).replace(r"\ ", r"\s")
)
