"""The levels of the match lattice: what is taken to be the same spelling, and the way back to the stored text.

`exact > nfc > presentation > dehyphen > whitespace`. What carries meaning is folded at no level: signs, comparators,
digits, currencies, per cents, superscripts, letter case, dashes, brackets. Offsets are code points.

presentation: curly and straight quotation marks, the ellipsis and three dots, no-break and thin spaces, line ends,
    hyphen characters, Latin ligatures, and invisible marks (soft hyphen, zero-width space, direction marks).
dehyphen: also a hyphen at a line's end between two letters, the second of them not upper case.
whitespace: no white space at all; between two digits some and none still differ (C29).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from schemas.records.claim import MatchLevel
from schemas.text_v1.nfc import changes

_ONE_FOR_ONE = {
    **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
    **dict.fromkeys("\u2010\u2011", "-"),
    **dict.fromkeys(
        "\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f", " "
    ),
    "\u3000": " ",
    **dict.fromkeys("\r\x0b\x0c\x85\u2028\u2029", "\n"),
}
_SEVERAL = {
    "\u2026": "...",
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
_NOTHING = "\u00ad\u200b\u2060\ufeff\u200e\u200f\u061c\ufe0e\ufe0f"
_WHITE = (*range(9, 14), *range(28, 33), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B))
_WHITE_TOO = (0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
_PRESENTED = re.compile("[" + "".join((*_ONE_FOR_ONE, *_SEVERAL, *_NOTHING)) + "]")
_RESPELLED = str.maketrans(_ONE_FOR_ONE)
_LINE_END_HYPHEN = re.compile(r"(?<=[^\W\d_])-[ ]*\n\s*(?=([^\W\d_]))")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)\s+(?=\d)")

Codes = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Folded:
    """A text at one level. Character `i` came from `[first[i], last[i])` of the unfolded text, `last` without a value
    meaning one character."""

    text: str
    first: Places | None = None
    """None: every character is where it was."""
    last: Places | None = None

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """The span of the unfolded text that a span, not an empty one, came from; None where an edge is within a
        character, such as one dot of an ellipsis. What was folded away at the edges is left out."""
        if self.first is None:
            return start, end
        begin, final = int(self.first[start]), int(self.first[end - 1])
        if start and int(self.first[start - 1]) == begin:
            return None
        if end < len(self.first) and int(self.first[end]) == final:
            return None
        return begin, final + 1 if self.last is None else int(self.last[end - 1])


@dataclass(frozen=True, slots=True)
class Step:
    """A level, and whether words that a line's end had cut are joined below it."""

    level: MatchLevel
    joining: bool = False


STEPS = (*(Step(level) for level in MatchLevel), Step(MatchLevel.WHITESPACE, joining=True))
"""In the order in which they are tried: the strictest that has the passage decides."""


class Folds:
    """A text at each step; one is made when it is first asked for, and kept."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._made: dict[Step, Folded] = {Step(MatchLevel.EXACT): Folded(text)}

    def at(self, step: Step) -> Folded:
        """The text as this step reads it."""
        if step not in self._made:
            self._made[step] = self._make(step)
        return self._made[step]

    def _make(self, step: Step) -> Folded:
        match step.level, step.joining:
            case (MatchLevel.EXACT, _):
                return self._made[Step(MatchLevel.EXACT)]
            case (MatchLevel.NFC, _):
                return _composed(self.text)
            case (MatchLevel.PRESENTATION, _):
                return _presented(self.at(Step(MatchLevel.NFC)))
            case (MatchLevel.DEHYPHEN, _):
                return _joined(self.at(Step(MatchLevel.PRESENTATION)))
        below = self.at(Step(MatchLevel.PRESENTATION))
        if not step.joining:
            return _closed_up(below)
        joined = self.at(Step(MatchLevel.DEHYPHEN))
        return self.at(Step(MatchLevel.WHITESPACE)) if joined is below else _closed_up(joined)


def _composed(text: str) -> Folded:
    """NFC of Unicode 15.0. A rewritten piece is whole: each of its characters came from all of it."""
    parts: list[str] = []
    first: list[Places] = []
    last: list[Places] = []
    done = 0
    for start, end, replacement in (*changes(text), (len(text), len(text), "")):
        parts += (text[done:start], replacement)
        kept = np.arange(done, start, dtype=np.int32)
        first += (kept, np.full(len(replacement), start, dtype=np.int32))
        last += (kept + 1, np.full(len(replacement), end, dtype=np.int32))
        done = end
    if len(parts) == 2:
        return Folded(text)
    return Folded("".join(parts), np.concatenate(first), np.concatenate(last))


def _presented(below: Folded) -> Folded:
    if _PRESENTED.search(below.text) is None:
        return below
    codes = _codes(below.text)
    single, counts = _tables()
    size = counts[codes]
    carriage = np.flatnonzero(codes[:-1] == 13)
    size[carriage[codes[carriage + 1] == 10]] = 0
    changed = single[codes]
    if bool((size == 1).all()):
        return Folded(_text(changed), below.first, below.last)
    out = np.repeat(changed, size)
    ends = np.cumsum(size, dtype=np.int64)
    for character, spelled in _SEVERAL.items():
        for at in np.flatnonzero(codes == ord(character)):
            out[ends[at] - len(spelled) : ends[at]] = [ord(c) for c in spelled]
    return _over(below, _text(out), np.repeat(np.arange(len(codes), dtype=np.int32), size))


def _joined(below: Folded) -> Folded:
    """Words that a line's end had cut."""
    cuts = [m.span() for m in _LINE_END_HYPHEN.finditer(below.text) if not m[1].isupper()]
    return _without(below, cuts) if cuts else below


def _closed_up(below: Folded) -> Folded:
    """No white space, but one blank between digits."""
    codes = _codes(below.text)
    kept = _not_white()[codes]
    if bool(kept.all()):
        return below
    for match in _BETWEEN_DIGITS.finditer(below.text):
        kept[match.start()] = True
        codes[match.start()] = 32
    return _over(below, _text(codes[kept]), np.flatnonzero(kept).astype(np.int32))


def _without(below: Folded, cuts: Iterable[tuple[int, int]]) -> Folded:
    kept = np.ones(len(below.text), dtype=bool)
    for start, end in cuts:
        kept[start:end] = False
    return _over(below, _text(_codes(below.text)[kept]), np.flatnonzero(kept).astype(np.int32))


def _over(below: Folded, text: str, places: Places) -> Folded:
    if below.first is None:
        return Folded(text, places)
    return Folded(text, below.first[places], None if below.last is None else below.last[places])


def _codes(text: str) -> Codes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).copy()


def _text(codes: Codes) -> str:
    return codes.tobytes().decode("utf-32-le", "surrogatepass")


@cache
def _tables() -> tuple[Codes, npt.NDArray[np.uint8]]:
    """For each code point the one that stands for it, and how many it becomes."""
    single = np.arange(0x110000, dtype=np.uint32)
    counts = np.ones(0x110000, dtype=np.uint8)
    for character, other in _ONE_FOR_ONE.items():
        single[ord(character)] = ord(other)
    for character, spelled in _SEVERAL.items():
        counts[ord(character)] = len(spelled)
    for character in _NOTHING:
        counts[ord(character)] = 0
    return single, counts


@cache
def _not_white() -> npt.NDArray[np.bool_]:
    """For each code point whether it is no white space (`str.isspace`)."""
    table = np.ones(0x110000, dtype=bool)
    table[[*_WHITE, *_WHITE_TOO]] = False
    return table


def respelled(piece: str) -> str:
    """With one sign for each that is but another spelling of it, one for one: for showing a difference."""
    return piece if piece.isascii() else piece.translate(_RESPELLED)
