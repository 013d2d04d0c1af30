"""Footnotes of an answer that is repaired: no note without its mark, and no mark without its note. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from schemas.citations.answer import ParsedAnswer

Span = tuple[int, int]
DEEPEST: Final = 20
"""Notes with marks of notes, and so on, that are followed."""
_MARK: Final = re.compile(r"\[\^([^\]\s]{1,200})\]")
_NOTE: Final = re.compile(r"^ {0,3}\[\^([^\]\s]{1,200})\]:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Footnote:
    notes: tuple[Span, ...]
    marks: tuple[Span, ...]


def orphans(parsed: ParsedAnswer, removed: Sequence[Span]) -> list[Span]:
    """What goes with what is removed: notes all of whose marks go, marks all of whose notes do, and what is left of a
    note that has no word any more. What was alone before stays."""
    footnotes = [one for one in _footnotes(parsed) if one.notes and one.marks]
    gone = bytearray(len(parsed.text))
    for start, end in removed:
        gone[start:end] = b"\1" * (end - start)
    more: dict[Span, None] = {}
    for _ in range(DEEPEST):
        found = [span for one in footnotes for span in _orphaned(parsed.text, one, gone) if span not in more]
        if not found:
            break
        for start, end in found:
            more[start, end] = None
            gone[start:end] = b"\1" * (end - start)
    return list(more)


def _orphaned(text: str, one: _Footnote, gone: bytearray) -> tuple[Span, ...]:
    if all(_is_gone(text, span, gone) for span in one.notes):
        return (*one.notes, *one.marks)
    return one.notes if all(_is_gone(text, span, gone) for span in one.marks) else ()


def _footnotes(parsed: ParsedAnswer) -> list[_Footnote]:
    notes: dict[str, list[Span]] = {}
    marks: dict[str, list[Span]] = {}
    for block in parsed.prose.blocks:
        begins = [(found.start(), found[1]) for found in _NOTE.finditer(parsed.text, block.start, block.end)]
        for number, (start, label) in enumerate(begins):
            end = begins[number + 1][0] if number + 1 < len(begins) else block.end
            notes.setdefault(label.casefold(), []).append((start, end))
        defining = {parsed.text.index("[", start) for start, _ in begins}
        for start, end in block.inert:
            mark = _MARK.match(parsed.text, start, end)
            if mark is not None and start not in defining:
                marks.setdefault(mark[1].casefold(), []).append(mark.span())
    return [
        _Footnote(tuple(notes.get(label, ())), tuple(marks.get(label, ()))) for label in dict.fromkeys((*notes, *marks))
    ]


def _is_gone(text: str, span: Span, gone: bytearray) -> bool:
    """Whether no word of it is left; the label of a note is none."""
    label = _NOTE.match(text, *span)
    return not any(text[at].isalnum() and not gone[at] for at in range(label.end() if label else span[0], span[1]))
