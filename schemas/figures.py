"""Figures of a claim that none of its quotes has (C07): the page is real, the quote is exact, the number is made up.

Compared are amounts: digits with their decimals, thousands separators left out, and small English number words. A
sign that stands before a figure counts (C23). In scripts that write words onto figures (`に214点`) a letter before one
is another word; elsewhere (`B12`) both are one name. Rounding and units are beyond it, so it warns, and changes no
verdict.

A blank and a full-width comma part groups of three, and figures as well: `12 345` is one figure or two. Both readings
are taken, but the second only as a whole: who says 12 alone does not say what stands there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
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
_WIDE: Final = {"\u066b": ".", "\u066c": ",", "\uff07": "'", "\u2019": "'", "\uff0d": "-", "\u2212": "-"}
"""Marks of other scripts and widths that are nothing else; `．` and `，` end sentences and parts of them too."""
_WIDE_POINT: Final = re.compile(r"(?<=\d)\uff0e(?=\d)")
_LOOSE: Final = " \uff0c\u060c"
"""Signs that part groups of three, and figures too."""
_DIGITS: Final = (
    rf"(?:[1-9]\d{{0,2}}+(?P<group>[{_LOOSE}\u00a0\u2009\u202f])\d{{3}}(?!\d)(?:(?P=group)\d{{3}}(?!\d))*+"
    r"(?:[.,]\d++)?+(?![.,']\d)"
    r"|\d+(?:[.,']\d+)*)"
)
_FIGURE: Final = re.compile(
    rf"(?<![^\W{JOINED}])(?<![\d.,])"
    rf"(?P<sign>(?:(?<!\d[{JOINED}])-)?)"  # of `3年-5年` it is the dash of a range
    rf"(?P<digits>{_DIGITS})"
)
_RANGE_END: Final = re.compile(rf"(?<=\d)[ \u00a0\u2009\u202f]?-(?P<digits>{_DIGITS})")
"""Of `1990 -1995`: whether that is a minus the pattern above cannot tell."""
_THOUSANDS: Final = re.compile(
    r"[1-9]\d{0,2}(?:(?:,\d{3})+|(?:'\d{3})+)(?:\.\d+)?|[1-9]\d{0,2}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})"
)
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


@dataclass(frozen=True, slots=True)
class Figure:
    """An amount in one spelling."""

    whole: str
    parts: tuple[str, ...] = ()
    """Where it may be several figures as well: these."""


def read_figures(text: str) -> list[Figure]:
    """Amounts in a text, in their order."""
    return [_figure(found["sign"], found["digits"], found["group"]) for found in _FIGURE.finditer(_folded(text))]


def figures_of(text: str) -> set[str]:
    """The same, each once, with groups of three as one figure."""
    return {figure.whole for figure in read_figures(text)}


def read_said(text: str) -> list[Figure]:
    """Amounts with number words: what a quote may say a claim's figure with."""
    words = (Figure(WORDS[word]) for word in _WORD.findall(text.casefold()) if word in WORDS)
    ends = (_figure("", found["digits"], found["group"]) for found in _RANGE_END.finditer(_folded(text)))
    return [*read_figures(text), *words, *ends]


def figures_said(text: str) -> set[str]:
    """The same, each once, with groups of three as one figure."""
    return {figure.whole for figure in read_said(text)}


def missing_figures(claim: str, quotes: Iterable[str]) -> list[str]:
    """Figures of a claim that no quote says, sorted."""
    claimed = read_figures(claim)
    if not claimed:
        return []
    said = [figure for quote in quotes for figure in read_said(quote)]
    wholes = {figure.whole for figure in said}
    return unsaid(claimed, wholes.__contains__, (figure.parts for figure in said if figure.parts))


def unsaid(claimed: Iterable[Figure], said: Callable[[str], bool], split: Iterable[tuple[str, ...]]) -> list[str]:
    """Figures that are not said, sorted. `split`: parts of figures that may be several, which say their parts to a text
    that has all of them, in whatever places."""
    left = [figure for figure in claimed if not said(figure.whole)]
    if not left:
        return []
    own = {part for figure in claimed for part in (figure.parts or (figure.whole,))}
    apart = {part for parts in split if own.issuperset(parts) for part in parts}
    return sorted(
        {
            figure.whole
            for figure in left
            if not all(said(part) or part in apart for part in figure.parts or (figure.whole,))
        }
    )


@lru_cache(maxsize=1024)
def _ascii(character: str) -> str:
    return str(unicodedata.decimal(character)) if character.isdecimal() else _WIDE.get(character, character)


def _folded(text: str) -> str:
    """Digits and marks of all scripts and widths as those of ASCII, one for one; all else stays."""
    return text if text.isascii() else _WIDE_POINT.sub(".", "".join(map(_ascii, text)))


def _figure(sign: str, digits: str, group: str | None) -> Figure:
    if group is None:
        return Figure(sign + _plain(digits))
    first, *others = digits.split(group)
    whole = sign + _plain(digits.replace(group, "").replace(",", "."))
    if group not in _LOOSE or any(other.startswith("0") for other in others):
        return Figure(whole)  # no figure begins with a nought, but a group does
    return Figure(whole, (sign + _plain(first), *map(_plain, others)))


def _plain(digits: str) -> str:
    """Without separators of thousands, zeros before and after; another comma is a decimal one."""
    if _THOUSANDS.fullmatch(digits):
        digits = digits.replace("'", "")
        point = "," if re.search(r"\..*,|\..*\.", digits) else "."
        digits = digits.replace("." if point == "," else ",", "")
    whole, _, rest = digits.replace(",", ".").partition(".")
    fraction = rest.rstrip("0") if rest.isdigit() else rest
    return (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
