"""Scales that are written onto a figure: `3億`, `1.2万`, `5千万`, `1億2000万`, `3만`. Pure.

A figure and its scale are one amount (C07): 3億 is not 3万. A blank may stand before a scale of Han where a measure or
no word follows, as Chinese pages have it (`3 万人`; of `2024 万科` it is a name). `兆` before a unit means a million
(`500兆瓦`) and is none. Not read: numerals of Han alone, Korean `조` (an article of a law as well), and scales that are
words of their own, as in `3 million`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

SCALE: Final = "[十百千万萬亿億兆십백천만억]"
_ZEROS: Final = dict(zip("十百千万萬亿億兆십백천만억", (1, 2, 3, 4, 4, 8, 8, 12, 1, 2, 3, 4, 8), strict=True))
_MEASURES: Final = "元人円吨名亩辆台件户个次美公平余多左以港欧日英米股字册场张只条头"
_SCALES: Final = re.compile(
    r"[十百千]?(?:[万萬亿億]|兆(?![瓦字赫帕欧歐焦伏位比]))|[百千]|[십백천]?[만억]"
    rf"|[ \u00a0\u2009\u202f][十百千]?[万萬亿億兆](?=[{_MEASURES}]|(?!\w))"
)
_NEXT: Final = re.compile(r"(?P<blank> (?=\d+[십백천]?만))?(?P<digits>\d,\d{3}|\d{1,4})(?![\d.,'])")
_LONGEST: Final = 30
"""Digits of an amount to which a smaller one is added."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What stands behind a figure, up to `end`: so many noughts, and a smaller amount of the same (`2000万`)."""

    zeros: int
    more: int
    end: int

    def of(self, figure: str) -> str:
        """A figure in plain ASCII digits with this scale; what is no number, as `1.2.3`, stays as it is."""
        whole, _, rest = figure.partition(".")
        if rest and not rest.isdigit():
            return figure
        moved = (whole + rest[: self.zeros].ljust(self.zeros, "0")).lstrip("0") or "0"
        if self.more and len(moved) <= _LONGEST:
            moved = str(int(moved) + self.more)
        left = rest[self.zeros :].rstrip("0")
        return f"{moved}.{left}" if left else moved


def read_scale(folded: str, at: int) -> Scale | None:
    """The scale of the figure that ends there, in a text of ASCII digits; None: it has none."""
    found = _SCALES.match(folded, at)
    if found is None:
        return None
    zeros, end, more, room = _zeros(found[0]), found.end(), 0, _zeros(found[0])
    while (part := _NEXT.match(folded, end)) is not None:
        scale = _SCALES.match(folded, part.end())
        own = _zeros(scale[0]) if scale else 0
        digits = part["digits"].replace(",", "")
        if len(digits) + own > room or (scale is None and len(digits) < room):
            break
        more, end, room = more + int(digits) * 10**own, scale.end() if scale else part.end(), own
    return Scale(zeros, more, end)


def _zeros(scale: str) -> int:
    return sum(_ZEROS.get(sign, 0) for sign in scale)
