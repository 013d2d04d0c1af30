"""Figures of a claim that none of its quotes has (C07): the page is real, the quote is exact, the number is made up.

Compared are amounts: digits with their decimals, thousands separators left out, and small English number words. A
sign that stands before a figure counts (C23). In scripts that write words onto figures (`に214点`) a letter before one
is another word; elsewhere (`B12`) both are one name. Rounding and units are beyond it, so it warns, and changes no
verdict.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from schemas.text_v1.holding import HAN, HANGUL, KANA

_BLOCKS: Final = (
    (0x0E00, 0x0FFF),  # Thai, Lao, Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    *(*HAN, *KANA, *HANGUL),
)
JOINED: Final = "".join(f"{chr(first)}-{chr(last)}" for first, last in _BLOCKS)
"""The inside of a class: letters (and digits) of scripts whose words are written onto a figure."""
_DIGITS: Final = r"(\d+(?:[.,'\u2019\u00a0\u202f]\d+)*)"
_FIGURE: Final = re.compile(
    rf"(?<![^\W{JOINED}])(?<![\d.,])"
    rf"((?:(?<!\d[{JOINED}])[-\u2212])?)"  # of `3年-5年` it is the dash of a range
    rf"{_DIGITS}"
)
_RANGE_END: Final = re.compile(rf"(?<=\d)\s?[-\u2212]{_DIGITS}")
"""Of `1990 -1995`: whether that is a minus the pattern above cannot tell."""
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:[,'\u2019\u00a0\u202f]\d{3})+(?:\.\d+)?")
_WORD: Final = re.compile(r"[a-z]+")
_TEENS: Final = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty")
_SMALL: Final = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
WORDS: Final = {word: str(number) for number, word in enumerate((*_SMALL, *_TEENS))}


def figures_of(text: str) -> set[str]:
    """Amounts in a text, each in one spelling."""
    return {_plain(sign, digits) for sign, digits in _FIGURE.findall(text)}


def figures_said(text: str) -> set[str]:
    """The same with number words: what a quote may say a claim's figure with."""
    words = {WORDS[word] for word in _WORD.findall(text.casefold()) if word in WORDS}
    return figures_of(text) | words | {_plain("", digits) for digits in _RANGE_END.findall(text)}


def missing_figures(claim: str, quotes: Iterable[str]) -> list[str]:
    """Figures of a claim that no quote says, sorted."""
    claimed = figures_of(claim)
    return sorted(claimed.difference(*(figures_said(quote) for quote in quotes))) if claimed else []


def _plain(sign: str, digits: str) -> str:
    """In ASCII digits, without separators of thousands, zeros before and after; another comma is a decimal one."""
    digits = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in digits)
    if _THOUSANDS.fullmatch(digits):
        digits = re.sub(r"[,'\u2019\u00a0\u202f]", "", digits)
    whole, _, rest = digits.replace(",", ".").partition(".")
    fraction = rest.rstrip("0") if rest.isdigit() else rest
    number = (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
    return ("-" if sign else "") + number
