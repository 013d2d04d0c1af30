"""Figures of a claim that none of its quotes has (C07): the page is real, the quote is exact, the number is made up.

Compared are amounts: digits with their decimals, thousands separators left out, and small English number words. A
sign that stands before a figure counts (C23). In scripts that write words onto figures (`に214点`) a letter before one
is another word; elsewhere (`B12`) both are one name. Rounding and units are beyond it, so it warns, and changes no
verdict.

A blank and a full-width comma part groups of three, and figures as well: `12 345` is one figure or two. Both readings
are taken, but the second only as a whole: who says 12 alone does not say what stands there.

A scale that is written onto its figure is a part of it (`scales.py`): 3億 is 300000000, and not 3万.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from schemas.scales import SCALE, Scale, read_scale
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
    r"(?P<tail>(?:[.,']\d++)*+)"
    r"|\d+(?:[.,']\d+)*)"
)
_FIGURE: Final = re.compile(
    rf"(?<![^\W{JOINED}])(?<![\d.,])"
    # of `3年-5年` and `3千万円-5千万円` it is the dash of a range
    rf"(?P<sign>(?:(?<!\d[{JOINED}])(?<!\d{SCALE}[{JOINED}])(?<!\d{SCALE}{SCALE}[{JOINED}])-)?)"
    rf"(?P<digits>{_DIGITS})"
)
_RANGE_END: Final = re.compile(rf"(?<=\d)[ \u00a0\u2009\u202f]?-(?P<sign>)(?P<digits>{_DIGITS})")
"""Of `1990 -1995`: whether that is a minus the pattern above cannot tell."""
_MARKS: Final = re.compile("[.,']")
_THOUSANDS: Final = re.compile(
    r"[1-9]\d{0,2}(?:(?:,\d{3})+|(?:'\d{3})+)(?:\.\d+)?|[1-9]\d{0,2}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})"
)
MOST_ALIKE: Final = 200
"""Figures of a text that may be several and have a part in common; of more of them the parts are not told apart."""
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
    return [*_read(_FIGURE, _folded(text))]


def figures_of(text: str) -> set[str]:
    """The same, each once, with groups of three as one figure."""
    return {figure.whole for figure in read_figures(text)}


def read_said(text: str) -> list[Figure]:
    """Amounts with number words: what a quote may say a claim's figure with."""
    words = (Figure(WORDS[word]) for word in _WORD.findall(text.casefold()) if word in WORDS)
    folded = _folded(text)
    return [*_read(_FIGURE, folded), *words, *_read(_RANGE_END, folded)]


def figures_said(text: str) -> set[str]:
    """The same, each once, with groups of three as one figure."""
    return {figure.whole for figure in read_said(text)}


def missing_figures(claim: str, quotes: Iterable[str]) -> list[str]:
    """Figures of a claim that no quote says, sorted."""
    claimed = read_figures(claim)
    if not claimed:
        return []
    said = [figure for quote in quotes for figure in read_said(quote)]
    wholes, by_part = {figure.whole for figure in said}, parted(said)
    return unsaid(claimed, wholes.__contains__, lambda part: by_part.get(part, ()))


def parted(figures: Iterable[Figure]) -> dict[str, set[frozenset[str]]]:
    """Of figures that may be several: by each of their parts all that stand together with it."""
    found: dict[str, set[frozenset[str]]] = {}
    for figure in figures:
        parts = frozenset(figure.parts)
        for part in parts:
            alike = found.setdefault(part, set())
            if len(alike) < MOST_ALIKE:
                alike.add(parts)
    return found


def unsaid(
    claimed: Iterable[Figure], said: Callable[[str], bool], split: Callable[[str], Iterable[Set[str]]]
) -> list[str]:
    """Figures that are not said, sorted. `split`: of a part those that stand together with it in figures which may be
    several. These say their parts to a text that has all of them, in whatever places."""
    each = set(claimed)
    left = [figure for figure in each if not said(figure.whole)]
    if not left:
        return []
    own = {part for figure in each for part in (figure.parts or (figure.whole,))}

    @cache
    def told(part: str) -> bool:
        return said(part) or any(parts <= own for parts in split(part))

    return sorted({figure.whole for figure in left if not all(map(told, figure.parts or (figure.whole,)))})


@lru_cache(maxsize=1024)
def _ascii(character: str) -> str:
    return str(unicodedata.decimal(character)) if character.isdecimal() else _WIDE.get(character, character)


def _folded(text: str) -> str:
    """Digits and marks of all scripts and widths as those of ASCII, one for one; all else stays."""
    return text if text.isascii() else _WIDE_POINT.sub(".", "".join(map(_ascii, text)))


def _read(pattern: re.Pattern[str], folded: str) -> Iterator[Figure]:
    """The figures of a folded text, each with the scale that is written onto it."""
    at = 0
    while (found := pattern.search(folded, at)) is not None:
        scale = read_scale(folded, found.end())
        yield from _figures(found["sign"], found["digits"], found["group"], found["tail"], scale)
        at = scale.end if scale else found.end()


def _figures(sign: str, digits: str, group: str | None, tail: str | None, scale: Scale | None) -> Iterator[Figure]:
    """One; or several, where no figure goes on as the last of the groups does: `12 345.6.7`."""
    if group is None:
        yield Figure(sign + _scaled(digits, scale))
        return
    first, *others, last = digits.split(group)
    if tail and (tail[0] == "'" or len(_MARKS.findall(tail)) > 1):
        yield Figure(sign + _plain(first))
        yield from (Figure(_plain(other)) for other in others)
        yield Figure(_scaled(last, scale))
        return
    whole = sign + _scaled(digits.replace(group, "").replace(",", "."), scale)
    if group not in _LOOSE or any(other.startswith("0") for other in (*others, last)):
        yield Figure(whole)  # no figure begins with a nought, but a group does
    else:
        yield Figure(whole, (sign + _plain(first), *map(_plain, others), _scaled(last, scale)))


def _scaled(digits: str, scale: Scale | None) -> str:
    return scale.of(_plain(digits)) if scale else _plain(digits)


def _plain(digits: str) -> str:
    """Without separators of thousands, zeros before and after; another comma is a decimal one."""
    if _THOUSANDS.fullmatch(digits):
        digits = digits.replace("'", "")
        point = "," if re.search(r"\..*,|\..*\.", digits) else "."
        digits = digits.replace("." if point == "," else ",", "")
    whole, _, rest = digits.replace(",", ".").partition(".")
    fraction = rest.rstrip("0") if rest.isdigit() else rest
    return (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
