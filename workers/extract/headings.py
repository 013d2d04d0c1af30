"""Headings and where they stand in the text, so that a locator can name the section of a quote (R078)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lxml import etree

from schemas.records.snapshot import Heading
from schemas.text_v1 import normalize

MAX_HEADINGS = 500
MAX_HEADING_CHARACTERS = 1000


def headings_of(body: etree._Element) -> Iterator[tuple[int, str]]:
    """Level and text of the headings in an extracted body, in order."""
    for element in body.iter("head"):
        text = " ".join("".join(str(piece) for piece in element.itertext()).split())
        rend = str(element.get("rend") or "")
        level = int(rend[1]) if len(rend) == 2 and rend[0] == "h" and rend[1] in "123456" else 2
        if text:
            yield level, text


def locate_headings(headings: Iterable[tuple[int, str]], text: str) -> tuple[Heading, ...]:
    """Each heading that is a line of the text-v1 text, in order; `text[start:start + len(h.text)] == h.text`.

    A heading that the text writes otherwise (in a table cell, joined with other text) has no place, so
    it is left out rather than guessed.
    """
    found: list[Heading] = []
    position = 0
    for level, raw in headings:
        wanted = normalize(raw).text.removesuffix("\n")
        if not wanted or len(wanted) > MAX_HEADING_CHARACTERS:
            continue
        start = _line(text, wanted, position)
        if start is None:
            continue
        found.append(Heading(level=level, text=wanted, start=start))
        position = start + len(wanted)
        if len(found) >= MAX_HEADINGS:
            break
    return tuple(found)


def _line(text: str, wanted: str, position: int) -> int | None:
    """Where a whole line equal to `wanted` begins, from a position on."""
    if position == 0 and text.startswith(wanted + "\n"):
        return 0
    at = text.find(f"\n{wanted}\n", max(0, position - 1))
    return None if at < 0 else at + 1
