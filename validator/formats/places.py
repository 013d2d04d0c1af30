"""From JSON Pointers to places in the document's text: code-point offsets, lines and columns, for editors and CI.

A small scanner of our own, since no JSON reader of the standard library tells where a value stands. It runs over
documents that were read strictly before, so it need not judge, and it keeps places of wanted pointers only.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from schemas.pointer import pointer

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True)
class Region:
    """Half-open span in code points; lines and columns count from 1, as SARIF has them."""

    offset: int
    length: int
    line: int
    column: int
    end_line: int
    end_column: int


class Lines:
    """Where lines begin."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]

    def region(self, start: int, end: int) -> Region:
        first, last = bisect_right(self._starts, start), bisect_right(self._starts, end)
        columns = start - self._starts[first - 1] + 1, end - self._starts[last - 1] + 1
        return Region(start, end - start, first, columns[0], last, columns[1])


def find_places(text: str, wanted: Collection[str]) -> dict[str, Region]:
    """Places of the values that these pointers name; one that names nothing is left out."""
    lines = Lines(text)
    return {where: lines.region(start, end) for where, start, end in _values(text) if where in wanted}


def _values(text: str) -> Iterator[tuple[str, int, int]]:
    """Every value with its pointer, an object or list after what is in it."""
    path: list[str | int] = []
    open_at: list[int] = []
    expects_name = False
    for match in _TOKEN.finditer(text):
        piece = match[0]
        if piece in "{[":
            open_at.append(match.start())
            path.append("" if piece == "{" else 0)
            expects_name = piece == "{"
        elif piece in "}]":
            path.pop()
            yield pointer(path), open_at.pop(), match.end()
        elif piece == ",":
            last = path[-1]
            if isinstance(last, int):
                path[-1] = last + 1
            expects_name = isinstance(last, str)
        elif piece == ":":
            expects_name = False
        elif expects_name:
            path[-1] = str(json.loads(piece))
        else:
            yield pointer(path), match.start(), match.end()
