"""What looks like a citation in an answer and is none, and why: who wrote it believes that the sentence is cited.

Brackets of citations with ids that are none; brackets of other kinds, and ids among other words. A round bracket may
hold a measure as well, so it is told only where it has ids of the map and its sentence has no citation; so are ids
among words. An interval that its words announce, and one that begins below 1, are none (C21).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schemas.citations.grammar import ANNOUNCED, MAX_RANGE
from schemas.citations.prose import Block

if TYPE_CHECKING:
    from schemas.citations.answer import ParsedAnswer

_BRACKET: Final = re.compile(r"[\[【［〔〖({（｛]([^\[\]【】［］〔〕〖〗(){}（）｛｝\n]{1,80})[\]】］〕〗)}）｝]")
_ROUND: Final = "({（｛"
_NAMED: Final = re.compile(r"(?:chunks?|sources?|来源|出典)\s*", re.IGNORECASE)
_DASH: Final = r"\s*[-–—~〜～]\s*"
_NUMBER: Final = r"\d{1,9}(?:\.\d{1,9})*"
_ITEM: Final = rf"{_NUMBER}(?:{_DASH}{_NUMBER})?"
_IDS: Final = re.compile(rf"\s*{_ITEM}(?:\s*[,;，；、،؛]\s*{_ITEM})*\s*")
_RANGE: Final = re.compile(rf"({_NUMBER}){_DASH}({_NUMBER})")
_CHUNK: Final = re.compile(r"(?<![\w.])\d{1,6}\.\d{1,6}(?![\w.])")


@dataclass(frozen=True, slots=True)
class Lookalike:
    """`[start, end)` in code points; `wanted`: what a citation would have there."""

    start: int
    end: int
    wanted: str


def find_lookalikes(parsed: ParsedAnswer, known: Collection[str]) -> list[Lookalike]:
    """In order. `known`: the ids of the map."""
    cited = {one.start for one in parsed.citations}
    begins = [one.start for one in parsed.sentences]
    found: list[Lookalike] = []
    for block in parsed.prose.blocks:
        for match in _brackets(parsed.text, block):
            if match.start() in cited:
                continue
            sentence = bisect_right(begins, match.start()) - 1
            bare = sentence < 0 or not parsed.sentences[sentence].citations
            if match[0][0] in _ROUND and not bare:
                continue
            announced = ANNOUNCED.search(parsed.text, max(block.start, match.start() - 24), match.start())
            wanted = None if announced else _wanted(match[0][0], match[0][-1], _plain(match[1]), known, bare)
            if wanted is not None:
                found.append(Lookalike(*match.span(), wanted))
    return found


def _brackets(text: str, block: Block) -> Iterator[re.Match[str]]:
    ends = [end for _, end in block.inert]
    for match in _BRACKET.finditer(text, block.start, block.end):
        at = bisect_right(ends, match.start())
        if at == len(ends) or block.inert[at][0] >= match.end():
            yield match


def _wanted(opened: str, closed: str, body: str, known: Collection[str], bare: bool) -> str | None:
    """None: it looks like no citation."""
    ids = _CHUNK.findall(body)
    ours = bool(ids) and bare and all(name in known for name in ids)
    if _IDS.fullmatch(body) is None or "." not in body:
        return "ids and nothing else in the bracket, as in [1.2, 1.3]" if ours and opened in "[【［〔〖" else None
    if ours and (opened in _ROUND or closed not in "]】］〕〗"):
        return "square brackets, as in [1.2]"
    if opened in _ROUND:
        return None
    return _wrong_ids(body) or ("square brackets, as in [1.2]" if opened in "〔〖" else None)


def _wrong_ids(body: str) -> str | None:
    numbers = [name.split(".") for name in re.findall(_NUMBER, body)]
    if any(number[0] == "0" for number in numbers):
        return None
    if any(len(number) > 2 for number in numbers):
        return "ids of one source and one chunk, as in [1.2]"
    if any(part.startswith("0") for number in numbers for part in number):
        return "numbers from 1, without a nought before them, as in [1.2]"
    for first, last in _RANGE.findall(body):
        source, _, low = first.rpartition(".")
        other, _, high = last.rpartition(".")
        if other not in ("", source):
            return "a range within one source, as in [1.2-1.4]"
        if int(low) > int(high):
            return "a range from the lower number to the higher, as in [1.2-1.4]"
        if int(high) - int(low) >= MAX_RANGE:
            return f"a range of at most {MAX_RANGE}"
    return None


def _plain(body: str) -> str:
    """In ASCII digits and points, without the word `chunk` before ids."""
    plain = "".join(str(unicodedata.decimal(one)) if one.isdecimal() else "." if one in "．٫" else one for one in body)
    return _NAMED.sub("", plain)
