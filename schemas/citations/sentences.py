"""The sentences of a text's prose, and which citations speak of which.

A citation speaks of the sentence that it stands in; one that follows the end of a sentence speaks of that sentence, and
never of what comes after it or of a full stop alone (C13). `。`, `！`, `？` and the full stops of Hindi, Urdu, Burmese,
Khmer and Amharic end sentences without a blank. Emphasis is a part of what it marks: `**It rose.** It fell.` are two.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from schemas.citations.grammar import Citation
from schemas.citations.prose import FOOTNOTE, Prose

UNJUDGED: Final = ("heading", "header")
"""Kinds of blocks: headings, and the first row of a table. They name what follows and claim nothing."""
ENDS: Final = "。！？｡।॥۔။។።"
"""Marks that end a sentence and nothing else, whatever follows."""
_END = re.compile(rf"""(?:(?<![.!?…؟])[.!?…؟]+["'”’)\]*_~]*(?=\s|$)|[{ENDS}]+["”’」』）]*|\n\s*\n)""")
_ABBREVIATION = re.compile(
    r"(?:(?<![^\W_])(?:[A-Z]|e\.g|i\.e|etc|vs|cf|al|approx|ca|Dr|Mr|Mrs|Ms|Prof|St|No|Nr|Fig|Eq|Sec|Vol|pp?|ed|eds|Inc|Ltd|Co|bzw|z\.B|u\.a)\.[*_~]*|[*_]\d{1,3}\.[*_]+)$"
)
_WORD = re.compile(r"\w")
_MARKER = re.compile(r"(?:\s|[>+#|:-]|\*(?=\s)|\d{1,9}[.)]\s|\[[ xX]\]\s" + rf"|{FOOTNOTE}:)*")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its citations, by number in the list that was given."""

    start: int
    end: int
    block: int
    kind: str
    citations: tuple[int, ...]


def read_sentences(text: str, prose: Prose, citations: list[Citation]) -> list[Sentence]:
    """In order. Without the marks of lists, headings and notes; citations after the end belong to a sentence."""
    found: list[Sentence] = []
    cited: dict[int, list[tuple[int, Citation]]] = {}
    for place, one in enumerate(citations):
        cited.setdefault(one.block, []).append((place, one))
    for number, block in enumerate(prose.blocks):
        own = cited.get(number, [])
        masked = _masked(text, block.start, block.end, [one for _, one in own])
        spans = _spans(masked)
        bound: list[list[int]] = [[] for _ in spans]
        reach = [end for _, end in spans]
        for place, one in own:
            at = _speaks_of(spans, one.start - block.start)
            if at is not None:
                bound[at].append(place)
                reach[at] = max(reach[at], one.end - block.start)
        for (start, _), end, names in zip(spans, reach, bound, strict=True):
            found.append(Sentence(block.start + start, block.start + end, number, block.kind, tuple(names)))
    return found


def _masked(text: str, start: int, end: int, citations: list[Citation]) -> str:
    """The block with blanks in the place of citations, so that these end no sentence and begin none."""
    parts: list[str] = []
    done = start
    for one in citations:
        parts += (text[done : one.start], " " * (one.end - one.start))
        done = one.end
    return "".join((*parts, text[done:end]))


def _spans(masked: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    marker = _MARKER.match(masked)
    start = marker.end() if marker else 0
    for match in _END.finditer(masked, start):
        if _ABBREVIATION.search(masked, max(start, match.start() - 12), match.end()):
            continue
        start = _taken(spans, masked, start, match.end())
    _taken(spans, masked, start, len(masked))
    return spans


def _taken(spans: list[tuple[int, int]], masked: str, start: int, end: int) -> int:
    """Add a sentence; what has no word in it is the end of the one before."""
    piece = masked[start:end]
    if _WORD.search(piece):
        left = start + len(piece) - len(piece.lstrip())
        spans.append((left, start + len(piece.rstrip())))
    return end


def _speaks_of(spans: list[tuple[int, int]], place: int) -> int | None:
    """The last sentence that begins before the citation; with none before it, the one that follows."""
    before = bisect_left(spans, place, key=itemgetter(0))
    return max(0, before - 1) if spans else None
