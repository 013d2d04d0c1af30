"""NFC (UAX #15) of Unicode 15.0, from tables that ship with the package.

The interpreter's `unicodedata` follows its Python: U+0301 U+10EFD is reordered by 3.12 and left
alone by 3.11. A code point that 15.0 does not assign has combining class 0 and no decomposition,
so it is left where it stands.

A text is cut before every code point that cannot interact with what comes before it (class 0 and
NFC_Quick_Check=Yes, UAX #15, 9.1); most texts have little else, and only the rest is looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

# Hangul is arithmetic (The Unicode Standard 15.0, 3.12): syllable = base + (l * 21 + v) * 28 + t.
_S, _L, _V, _T = 0xAC00, 0x1100, 0x1161, 0x11A7
_V_COUNT, _T_COUNT = 21, 28
_SYLLABLES = 19 * _V_COUNT * _T_COUNT

CACHED_CHARACTERS = 8  # segments up to this length recur; longer ones are not worth remembering


@dataclass(frozen=True, slots=True)
class Tables:
    """What NFC needs to know of Unicode 15.0."""

    combining: dict[str, int]
    decomposition: dict[str, str]
    """Canonical, expanded to the end; without Hangul syllables."""
    composition: dict[str, str]
    """Two code points to their primary composite."""
    unsafe: frozenset[str]
    """Code points that may interact with what stands before them."""
    suspect: re.Pattern[str]
    """One of them, or of a few more that are cheaper to look at than to tell apart."""
    suspects: re.Pattern[str]


class Change(NamedTuple):
    """Code points `[start, end)` are replaced."""

    start: int
    end: int
    replacement: str


@cache
def tables() -> Tables:
    """Read the pinned data once, when the first text needs it."""
    source = json.loads((files("schemas.text_v1") / "unicode-15.0.0.json").read_text("ascii"))
    combining = {chr(point): value for first, last, value in source["combining"] for point in range(first, last + 1)}
    direct = {chr(int(k, 16)): _characters(v) for k, v in source["decomposition"].items()}
    excluded = set(_characters(" ".join(source["excluded"])))
    composition = {v: k for k, v in direct.items() if len(v) == 2 and k not in excluded}
    changed = {k for k, v in direct.items() if len(v) == 1 or k in excluded}
    second = {pair[1] for pair in composition}
    jamo = {chr(point) for point in (*range(_V, _V + _V_COUNT), *range(_T + 1, _T + _T_COUNT))}
    unsafe = frozenset(combining.keys() | changed | second | jamo)
    found = _ranges(sorted(ord(c) for c in unsafe))
    return Tables(combining, _expand(direct), composition, unsafe, re.compile(f"[{found}]"), re.compile(f"[{found}]+"))


def changes(text: str) -> Iterator[Change]:
    """What NFC changes, left to right: each piece of the text that changes, without common prefix and suffix."""
    if text.isascii():
        return
    known = tables()
    remembered: dict[str, tuple[Change, ...]] = {}
    done = 0
    while (first := known.suspect.search(text, done)) is not None:  # a single class is searched for fastest
        run = known.suspects.match(text, first.start())
        done = first.end() if run is None else run.end()
        start = max(first.start() - 1, 0)  # the code point before is the one that may take part
        stretch = text[start:done]
        found = remembered.get(stretch)
        if found is None:
            found = tuple(_changes_of(stretch, known))
            if len(stretch) <= CACHED_CHARACTERS:
                remembered[stretch] = found
        for change in found:
            yield Change(start + change.start, start + change.end, change.replacement)


def _changes_of(stretch: str, known: Tables) -> Iterator[Change]:
    """Changes within one stretch, piece by piece: a piece begins at every code point that is not unsafe."""
    cuts = [at for at, character in enumerate(stretch) if at and character not in known.unsafe]
    for start, end in zip([0, *cuts], [*cuts, len(stretch)], strict=True):
        old = stretch[start:end]
        new = compose(decompose(old, known), known)
        if new != old:
            yield _trim(start, old, new)


def decompose(text: str, known: Tables) -> str:
    """NFD: every code point expanded, then marks in canonical order (stable by combining class)."""
    expanded: list[str] = []
    for character in text:
        offset = ord(character) - _S
        if 0 <= offset < _SYLLABLES:
            expanded.append(chr(_L + offset // (_V_COUNT * _T_COUNT)))
            expanded.append(chr(_V + offset // _T_COUNT % _V_COUNT))
            if offset % _T_COUNT:
                expanded.append(chr(_T + offset % _T_COUNT))
        else:
            expanded.extend(known.decomposition.get(character, character))
    out: list[str] = []
    marks: list[str] = []
    for character in expanded:
        if character in known.combining:
            marks.append(character)
            continue
        out += sorted(marks, key=known.combining.__getitem__)
        marks.clear()
        out.append(character)
    out += sorted(marks, key=known.combining.__getitem__)
    return "".join(out)


def compose(text: str, known: Tables) -> str:
    """Canonical composition of an ordered text (D117): a code point joins the last starter unless blocked."""
    out: list[str] = []
    starter = -1
    before = 0  # combining class of what stands last after the starter
    for character in text:
        value = known.combining.get(character, 0)
        adjacent = starter == len(out) - 1
        if starter >= 0 and (adjacent or 0 < before < value):
            composite = _pair(out[starter], character, known)
            if composite is not None:
                out[starter] = composite
                continue
        if value == 0:
            starter = len(out)
        before = value
        out.append(character)
    return "".join(out)


def _pair(first: str, second: str, known: Tables) -> str | None:
    """The primary composite of two code points, Hangul included."""
    lead, vowel = ord(first) - _L, ord(second) - _V
    if 0 <= lead < 19 and 0 <= vowel < _V_COUNT:
        return chr(_S + (lead * _V_COUNT + vowel) * _T_COUNT)
    syllable, tail = ord(first) - _S, ord(second) - _T
    if 0 <= syllable < _SYLLABLES and syllable % _T_COUNT == 0 and 0 < tail < _T_COUNT:
        return chr(_S + syllable + tail)
    return known.composition.get(first + second)


def _trim(start: int, old: str, new: str) -> Change:
    """Cut the common prefix, then the common suffix of what is left."""
    limit = min(len(old), len(new))
    left = 0
    while left < limit and old[left] == new[left]:
        left += 1
    right = 0
    while right < limit - left and old[-1 - right] == new[-1 - right]:
        right += 1
    return Change(start + left, start + len(old) - right, new[left : len(new) - right])


def _expand(direct: dict[str, str]) -> dict[str, str]:
    """Apply decompositions to their own results until nothing changes; three rounds suffice in 15.0."""
    full = dict(direct)
    while True:
        following = {k: "".join(direct.get(c, c) for c in v) for k, v in full.items()}
        if following == full:
            return full
        full = following


def _characters(points: str) -> str:
    """`0041 0300` to the two characters."""
    return "".join(chr(int(point, 16)) for point in points.split())


def _ranges(points: list[int]) -> str:
    """The inside of a character class for sorted code points, none of which is special in one.

    Beyond the BMP the engine tries range after range on every character, so those are joined over
    gaps: looking at a code point too many costs time and changes nothing.
    """
    spans: list[list[int]] = []
    for point in points:
        reach = 1 if point < 0x10000 else 0x800
        if spans and point <= spans[-1][1] + reach and (spans[-1][0] >= 0x10000) == (point >= 0x10000):
            spans[-1][1] = point
        else:
            spans.append([point, point])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in spans)
