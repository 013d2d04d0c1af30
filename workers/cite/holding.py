"""Where a text holds together: whether a place lies within a word or figure (C19, C23).

The characters around the place are read as kinds, one character each, with invisible ones and combining marks left
out; what holds together is then a handful of patterns over kinds. The tables are `schemas/text_v1/holding.py`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from schemas.scales import PARTED
from schemas.text_v1 import holding as known

REACH: Final = 24
"""Characters that are looked at on either side of a place."""
MOST_UNSEEN: Final = 256
"""Invisible characters and marks that are passed over; more of them than that hide what stands there: a cut."""

_KINDS: Final = {
    **dict.fromkeys(known.HYPHENS, "-"),
    **dict.fromkeys(known.DASHES, "–"),
    **dict.fromkeys(known.PLUS, "+"),
    **dict.fromkeys(known.TOLERANCES, "±"),
    **dict.fromkeys(known.COMPARATORS, "<"),
    **dict.fromkeys(known.SHARES, "%"),
    **dict.fromkeys(known.PRIMES, "p"),
    **dict.fromkeys(known.APOSTROPHES, "q"),
    **dict.fromkeys(known.POINTS, "."),
    **dict.fromkeys(known.SLASHES, "f"),
    **dict.fromkeys(known.POWERS, "^"),
    **dict.fromkeys(known.TIMES, "*"),
    **dict.fromkeys(known.RAISED_SIGNS, "r"),
    **dict.fromkeys(known.GROUP_BLANKS, "g"),
    **dict.fromkeys(known.OTHER_BLANKS, "b"),
    **dict.fromkeys(known.HAN_NUMERALS, "z"),
    **dict.fromkeys(known.ORDINALS, "d"),
    **dict.fromkeys("\n\r\x0b\x0c\x85\u2028\u2029", "l"),
    **dict.fromkeys("eE", "e"),
    **dict.fromkeys("xX", "x"),
    "_": "_",
    "!": "!",
    ")": ")",
    "]": ")",
    "(": "(",
    "[": "(",
}
SPACELESS: Final = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_FIGURE: Final = r"(?:[-–+±$%<][gb]{0,3})*[.]?[9n]"
_HOLDING: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"[9naAexh][9naAexh]",  # letters and digits: report, 15, 5kg, x²
        r"[9naAexh][-qf_][9naAexh]",  # non-toxic, didn't, 5-year, mg/kg
        r"[aAexh]-g?lg?[aexh]",  # a word that a line's end cut
        r"[9n][.q][9n]",  # 1.5, 3:1
        r"[9naAexh)]\^[-–+(]?[9naAexh]",  # 10^-5, x^(n
        r"[9n]e[-–+][9n]",  # 1e-5
        r"(?<!9)9{1,3}g9{3}(?!9)",  # 1 500 000
        r"[9n][gb]n",  # 1 ½
        r"9g9{1,2}f9",  # 1 1/2
        r"[9n][gb]{0,3}[-–±+][gb]{0,3}\$?[.]?[9n]",  # 3-5, 15 ± 5
        r"[9n][gb]{0,3}[*x][gb]{0,3}[9n]",  # 5 × 10⁶
        r"[9n]\+",  # 5+ people
        rf"[<±][gbl]{{0,3}}{_FIGURE}",
        rf"\$[gb]{{0,3}}{_FIGURE}",
        rf"(?<![9naAexh])[-–+]{_FIGURE}",  # a sign, not the hyphen of a compound
        rf"(?<![9naAexhl])(?<!lg)[-–+][gb]{{1,3}}{_FIGURE}",  # at a line's start it marks an item of a list
        r"(?<![9n])(?<![9n][gb])%[9n]",
        r"[aAex]\$[gb]{0,3}[9n]",  # US$5
        r"(?<=[gbl$<–+(-])\.[9n]",  # .5
        r"[9n][gbl]{0,3}%",
        r"[9n][gb]{0,3}%[aAexh]",  # 5 °C
        r"!<",
        r"[9n]\$",
        r"[9n][gb]{1,3}\$(?![gb]{0,3}[.]?[9n])",  # 5 €, but not the € of €6
        r"[9n]p",
        r"[9naAexh]r",  # Na⁺
        r"rn",  # 10⁻⁵
        r"kk",  # テレビゲーム
        r"d[9nz]",  # 第3回
        r"[9nz][9nz]",
    )
)
_FARTHEST: Final = 16


def is_held(text: str, at: int) -> bool:
    """Whether the place before `text[at]`, neither end of the text, lies within a word or figure."""
    left, right = seen(text, at - 1, -1), seen(text, at, 1)
    if left is None or right is None or _is_mark(text, at) or _parts_syllable(text, at):
        return True
    if not left or not right:
        return False
    kinds = "".join(map(_kind, left)) + "".join(map(_kind, right))
    if len(left) < REACH:
        kinds = "l" + kinds
    return _reaches_over(kinds, len(kinds) - len(right))


@lru_cache(maxsize=4096)
def _reaches_over(kinds: str, edge: int) -> bool:
    for pattern in _HOLDING:
        for start in range(max(0, edge - _FARTHEST), edge):
            match = pattern.match(kinds, start)
            if match is not None and match.end() > edge:
                return True
    return False


def parts_number_words(text: str, at: int) -> bool:
    """Whether the place parts a figure from the word that multiplies it, or from its currency, or what is added to it:
    `5 million`, `EUR 5`, `1만 2천`."""
    left = visible(text[max(0, at - REACH) : at])
    around = left + visible(text[at : at + REACH])
    found = (match for rule in (_NUMBER_WORD, _PAID, _BRACKETED, PARTED) for match in rule.finditer(around))
    return any(match.start() < len(left) < match.end() for match in found)


_WORDS: Final = "(?:" + "|".join(sorted(known.NUMBER_WORDS, key=len, reverse=True)) + r")\b"
_NUMBER_WORD: Final = re.compile(rf"\d[^\S\n]{{1,3}}{_WORDS}", re.IGNORECASE)
_BRACKETED: Final = re.compile(
    rf"(?<!\w)[(\[][{re.escape(known.HYPHENS + known.DASHES + known.PLUS)}]?\d[\d.,]{{0,14}}[)\]]"
    rf"(?:[^\S\n]{{0,3}}[{re.escape(known.SHARES)}]|[^\S\n]{{1,3}}{_WORDS})",
    re.IGNORECASE,
)
"""A loss as accountants write it: `(5) million`, `(1.5) %`."""


_CODES: Final = "(?:" + "|".join(known.CURRENCY_CODES) + ")"
_PAID: Final = re.compile(rf"(?<!\w){_CODES}[^\S\n]{{1,3}}\d|\d[^\S\n]{{1,3}}{_CODES}(?!\w)(?![^\S\n]{{1,3}}\d)")


_HAN: Final = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in known.HAN) + "]")
_SILENCED: Final = re.compile(rf"[^\W\d_]\W{{0,3}}?[{known.SILENCERS}]")


def _parts_syllable(text: str, at: int) -> bool:
    """Whether the place lies within what one letter makes with its vowel signs: neither half of it is a word."""
    left, right = visible(text[max(0, at - REACH) : at]), visible(text[at : at + REACH])
    if not left or not right or not (left[-1].isalpha() or _is_unseen(left[-1])) or not right[0].isalpha():
        return False
    open_ended = left.rstrip(known.TONES)[-1:] or left[-1]
    if open_ended in known.STACKERS + known.SYLLABLE_OPENERS or right[0] in known.SYLLABLE_CLOSERS:
        return True
    silenced = _SILENCED.match(right)
    return silenced is not None and all(_is_unseen(mark) for mark in silenced[0][1:])


def counts_what_follows(text: str, at: int) -> bool:
    """Whether a figure is before the place, and an ideograph, which says what is counted, directly behind it."""
    left, right = seen(text, at - 1, -1) or "", seen(text, at, 1) or ""
    return bool(left and right) and _kind(left[-1]) == "9" and _HAN.match(right) is not None


def particle_follows(text: str, at: int) -> bool:
    """Whether a Korean noun ends at the place, and only a particle is written onto it."""
    left, right = seen(text, at - 1, -1), seen(text, at, 1)
    if not left or not right or not is_hangul(right[0]):
        return False
    rest = 0
    while rest < len(right) and is_hangul(right[rest]):
        rest += 1
    if right[:rest] in known.HANGUL_MEASURES and left.rstrip(known.HANGUL_STEPS)[-1:].isdecimal():
        return False
    return right[:rest] in known.HANGUL_PARTICLES and (rest == len(right) or not right[rest].isalnum())


def seen(text: str, at: int, step: int) -> str | None:
    """The letters, digits and marks of punctuation from `at` on, in the order of the text; None where none is near."""
    found: list[str] = []
    unseen = 0
    while 0 <= at < len(text) and len(found) < REACH:
        character = text[at]
        if _is_unseen(character):
            unseen += 1
            if unseen > MOST_UNSEEN:
                return "".join(found if step > 0 else reversed(found)) or None
        else:
            found.append(character)
        at += step
    return "".join(found if step > 0 else reversed(found))


def _is_mark(text: str, at: int) -> bool:
    while at < len(text) and (unicodedata.category(text[at]) == "Cf" or _is_selector(text[at])):
        at += 1
    return at < len(text) and unicodedata.category(text[at])[0] == "M"


def visible(text: str) -> str:
    return "".join(c for c in text if unicodedata.category(c) != "Cf")


@lru_cache(maxsize=4096)
def _is_unseen(character: str) -> bool:
    category = unicodedata.category(character)
    return category == "Cf" or category[0] == "M"


def _is_selector(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in known.SELECTORS)


def is_hangul(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in known.HANGUL)


@lru_cache(maxsize=4096)
def _kind(character: str) -> str:
    """One character for the kind of a character."""
    if character in _KINDS:
        return _KINDS[character]
    category = unicodedata.category(character)
    if category == "Sc":
        return "$"
    if category == "Nd":
        return "9"
    if category in ("No", "Nl"):
        return "n"
    if category[0] != "L":
        return "o"
    if is_hangul(character):
        return "h"
    if any(first <= ord(character) <= last for first, last in known.KATAKANA):
        return "k"
    if SPACELESS.match(character):
        return "s"
    return "A" if category == "Lu" else "a"
