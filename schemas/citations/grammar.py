"""The citations of a text: `[1.2]`, `[1.2][1.3]`, `[1, 2]`, ranges, full-width brackets, each with its exact span.

A citation of chunks names `<source>.<chunk>`, one of sources `<source>`, both from 1, in the decimal digits of any
script: `［１．２］` and `[١٫٢]` are `1.2`. A bracket that holds anything
else is text, so an array index `[0]`, a cluster `[2Fe-2S]` or an interval `[0.5, 1.5]` is none (C21); nor is an
interval that its words announce, as in `95% CI [1.3-1.7]`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from schemas.citations.prose import Prose, read_prose

MAX_RANGE = 50
_ID = r"(?!0)\d{1,6}(?:[.．٫](?!0)\d{1,6})?"
_CITATION = re.compile(
    rf"""
    [\[【［]\s*
    (?P<body>
        (?:(?:chunks?|sources?|来源|出典)\s*)?
        {_ID}(?:\s*[-–—~〜～]\s*{_ID})?
        (?:\s*[,;，；、،؛]\s*(?:(?:chunks?|sources?)\s+)?{_ID}(?:\s*[-–—~〜～]\s*{_ID})?)*
    )
    \s*(?:†[^\]】］]{{0,40}})?
    [\]】］]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PIECE = re.compile(rf"({_ID})(?:\s*[-–—~〜～]\s*({_ID}))?")
_ZERO = re.compile(r"\b0")
ANNOUNCED = re.compile(r"(?:\bCI|\bIQR|\brange[ds]?|\bintervals?|[=∈%]|区间|範囲)\s*[:(]?\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Citation:
    """One bracket. `[start, end)` in code points, the bracket included."""

    start: int
    end: int
    ids: tuple[str, ...]
    """Canonical, in order, ranges spelled out: `1.2` or `1`."""
    block: int
    """Number of the block that it stands in."""

    @property
    def chunk_ids(self) -> tuple[str, ...]:
        """Those that name a chunk."""
        return tuple(name for name in self.ids if "." in name)

    @property
    def source_ids(self) -> tuple[str, ...]:
        """Those that name a source as a whole, which is too broad for a claim (R107)."""
        return tuple(name for name in self.ids if "." not in name)


def find_citations(text: str, prose: Prose | None = None) -> list[Citation]:
    """Every citation of a Markdown text, in order."""
    found: list[Citation] = []
    for number, block in enumerate((prose or read_prose(text)).blocks):
        inert = iter((*block.inert, (block.end, block.end)))
        stop = next(inert)
        for match in _CITATION.finditer(text, block.start, block.end):
            while stop[1] <= match.start() and stop[0] < block.end:
                stop = next(inert)
            if stop[0] < match.end():
                continue
            ids = tuple(_ids(match["body"]))
            announced = len(ids) > 1 and ANNOUNCED.search(text, max(block.start, match.start() - 24), match.start())
            if ids and not announced:
                found.append(Citation(match.start(), match.end(), ids, number))
    return found


def _ids(body: str) -> Iterator[str]:
    """Nothing where a number begins with a zero, or a range goes backwards, over several sources, or too far."""
    names: list[str] = []
    plain = body if body.isascii() else _plain(body)
    if _ZERO.search(plain):
        return
    for first, last in _PIECE.findall(plain):
        if not last:
            names.append(first)
            continue
        spelled = _range(first, last)
        if spelled is None:
            return
        names += spelled
    yield from dict.fromkeys(names)


def _plain(body: str) -> str:
    """In ASCII digits and points."""
    return "".join(str(unicodedata.decimal(one)) if one.isdecimal() else "." if one in "．٫" else one for one in body)


def _range(first: str, last: str) -> list[str] | None:
    source, dot, low = first.rpartition(".")
    other, _, high = last.rpartition(".")
    if (dot and other not in ("", source)) or (not dot and other):
        return None
    if not int(low) <= int(high) < int(low) + MAX_RANGE:
        return None
    return [f"{source}{dot}{number}" for number in range(int(low), int(high) + 1)]
