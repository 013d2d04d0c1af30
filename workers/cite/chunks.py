"""A text in pieces that a model can be shown and can cite: cut at headings and lines, never searched for again (R105).

Offsets are carried from the text, so a chunk is a span of it by construction. Sizes are estimates of tokens: four
characters of a script with spaces, one of a script without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from schemas.citations.sentences import ENDS
from schemas.records.snapshot import Heading
from workers.cite.tokens import is_spaceless

TARGET_TOKENS = 200
MOST_TOKENS = 400
"""A paragraph over this is cut after a sentence, or where there is none in the middle of it."""
_LINE = re.compile(r"[^\n]+")
_SENTENCE_END = re.compile(rf"[.!?…؟][\"'”’)\]]*\s+|[{ENDS}][\"”’」』）]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of the text, without white space at its ends, and the headings above it."""

    start: int
    end: int
    section: str | None
    tokens: int


def token_estimate(text: str) -> int:
    """At least 1."""
    dense = sum(1 for character in text if not character.isascii() and is_spaceless(character))
    return max(1, dense + (len(text) - dense + 3) // 4)


def pieces_of(text: str, headings: Sequence[Heading], target: int = TARGET_TOKENS) -> list[Piece]:
    """The whole text in pieces, in order; a heading begins one, and stands in it."""
    marks = sorted(headings, key=lambda heading: heading.start)
    found: list[Piece] = []
    lines: list[tuple[int, int]] = []
    tokens = 0
    upcoming = 0
    for start, end in _lines(text, target * MOST_TOKENS // TARGET_TOKENS):
        begins = False
        while upcoming < len(marks) and marks[upcoming].start < end:
            upcoming += 1
            begins = True
        size = token_estimate(text[start:end])
        if lines and (begins or tokens + size > target):
            found.append(_piece(text, lines, marks))
            lines, tokens = [], 0
        lines.append((start, end))
        tokens += size
    if lines:
        found.append(_piece(text, lines, marks))
    return found


def section_at(marks: Sequence[Heading], place: int) -> str | None:
    """The headings above a place, outermost first."""
    path: list[Heading] = []
    for heading in marks:
        if heading.start > place:
            break
        path = [*(above for above in path if above.level < heading.level), heading]
    return " > ".join(heading.text for heading in path)[:4096] or None


def _piece(text: str, lines: list[tuple[int, int]], marks: Sequence[Heading]) -> Piece:
    start, end = lines[0][0], lines[-1][1]
    return Piece(start, end, section_at(marks, start), token_estimate(text[start:end]))


def _lines(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Lines that are not empty, trimmed; a long one in parts that end with sentences."""
    for match in _LINE.finditer(text):
        line = match[0]
        start = match.start() + len(line) - len(line.lstrip())
        end = match.start() + len(line.rstrip())
        while start < end:
            cut = end if token_estimate(text[start:end]) <= most else _cut(text, start, end, most)
            yield start, start + len(text[start:cut].rstrip())
            start = cut + len(text[cut:end]) - len(text[cut:end].lstrip())


def _cut(text: str, start: int, end: int, most: int) -> int:
    """The last sentence end within `most` tokens, else a blank, else that many characters."""
    reach = start
    room = most
    while reach < end and room > 0:
        step = min(end, reach + 4)
        room -= token_estimate(text[reach:step])
        reach = step
    ends = [match.end() for match in _SENTENCE_END.finditer(text, start, reach)]
    if ends:
        return ends[-1]
    blank = text.rfind(" ", start + 1, reach)
    return blank if blank > start else max(reach, start + 1)
