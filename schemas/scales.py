"""Scales that are written onto a figure: `3億`, `1.2万`, `5千万`, `1億2000万`, `3만`. Pure.

A figure and its scale are one amount (C07): 3億 is not 3万. A blank may stand before a scale of Han where a measure or
no word follows, as Chinese pages have it (`3 万人`; of `2024 万科` it is a name). `兆` before a unit means a million
(`500兆瓦`) and is none; `조` numbers articles of a law, and is one behind a decimal and before money or a lower amount
(`1.2조`, `3조 원`, `1조 2000억`). Not read: numerals of Han alone, and scales that are words of their own, as in
`3 million`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

SCALE: Final = "[十百千万萬亿億兆십백천만억조]"
_ZEROS: Final = dict(zip("十百千万萬亿億兆십백천만억조", (1, 2, 3, 4, 4, 8, 8, 12, 1, 2, 3, 4, 8, 12), strict=True))
_MEASURES: Final = "元人円吨名亩辆台件户个次美公平余多左以港欧日英米股字册场张只条头"
_COUNTED: Final = "여명원개건대톤석표달권곳년회척마장배인위유엔쪽킬미가"
"""What `2천` and `3백` count; before other letters they begin a word, as in `3백신`."""
_MONEY: Final = "(?:원(?![가-힣])|원[이은을의에과으도]|달러|유로|위안|엔(?![가-힣]))"
_SCALES: Final = re.compile(
    r"[十百千]?(?:[万萬亿億]|兆(?![瓦字赫帕欧歐焦伏位比]))|[百千]|[십백천]?[만억]"
    rf"|[백천](?=\d|(?!\w)|[{_COUNTED}])"
    rf"|[십백천]조|조(?:(?<=\.\d조)|(?<=\.\d\d조)|(?= ?(?:여 ?원|{_MONEY}|\d[\d,]*[십백천]?억)))"
    rf"|[ \u00a0\u2009\u202f][十百千]?[万萬亿億兆](?=[{_MEASURES}]|(?!\w))"
)
_NEXT: Final = re.compile(
    r"(?:(?<=[만억조]) (?=[\d,]+(?:[십백천]?[만억]|[백천])|(?:\d,\d{3}|\d{4})(?![\d년]|[.,']\d)))?"
    r"(?P<digits>\d,\d{3}|\d{1,4})(?!\d|[.,']\d)"
)
"""What may be added. In Korean a blank parts `1만 2천` and `1만 2000`; of `5만 2023년` it parts two figures."""
_NUMERALS: Final = "一二两兩三四五六七八九十百千万萬"
_BLANKS: Final = r"[^\S\n]{1,3}"
PARTED: Final = re.compile(
    rf"\d[십백천]?[만억조]{_BLANKS}[\d,]+[십백천]?[만억]"
    rf"|\d[십백천]?만{_BLANKS}(?:[\d,]+[백천](?=\d|(?!\w)|[{_COUNTED}])|(?:\d,\d{{3}}|\d{{4}})(?![\d년]|[.,']\d))"
    rf"|\d{_BLANKS}[十百千]?[万萬亿億兆](?=[{_MEASURES}]|(?!\w))"
    rf"|[\d{_NUMERALS}]分[之の][\d{_NUMERALS}]|\d분의 ?\d"
)
"""An amount with blanks in it, none of which ends it, and a fraction in words (`3分の1`, `百分之五`): a quote has
all of it or nothing (C23)."""
_TEN_THOUSAND: Final = 4
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
        colloquial = scale is not None and scale[0] in ("백", "천") and room > _TEN_THOUSAND  # of `1억 5천` it is 5천만
        if colloquial or len(digits) + own > room or (scale is None and len(digits) < room):
            break
        more, end, room = more + int(digits) * 10**own, scale.end() if scale else part.end(), own
    return Scale(zeros, more, end)


def _zeros(scale: str) -> int:
    return sum(_ZEROS.get(sign, 0) for sign in scale)
