"""What of a Markdown text is prose: block structure by a CommonMark parser, the rest by a scan of each block's source.

Fenced and indented code, a fence that nobody closes, HTML blocks and link definitions are no prose; nor are code spans,
links, images, automatic links, tags and footnote marks within it. Offsets are code points of the source as it is, so
that whoever rewrites a citation leaves every other byte alone (C11).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
FOOTNOTE = r"\[\^[^\]\s]{1,200}\]"
_INERT = re.compile(
    r"""
      (?P<escape> \\[!-/:-@\[-`{-~] )
    | (?P<ticks> `+ )
    | (?P<auto> <(?P<address>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)> )
    | (?P<tag> </?[A-Za-z][^<>]{0,2000}> )
    | (?P<comment> <!-- )
    | (?P<footnote> {FOOTNOTE}:? )
    | (?P<bare> (?:https?://|www\.)(?:[^\s<>"'`\[\]【】［］，。、；）]|\[[^\[\]\s]{0,40}\](?=[=&/\w]))+ )
    | (?P<image> !?\[ )
    """.replace("{FOOTNOTE}", FOOTNOTE),
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_DESTINATION = re.compile(
    r"""
      \(
      (?: \s*+
          (?: <(?P<angled>[^<>\n]*+)> | (?P<plain> (?: [^\s()\\] | \\. | \([^\s()]*+\) )*+ ) )
          (?: \s++ (?: "[^"]*+" | '[^']*+' | \([^()]*+\) ) )?+
          \s*+ \)
        | \s++ (?: "[^"]*+" | '[^']*+' | \([^()]*+\) ) \s*+ \)
      )
    """,
    re.VERBOSE,
)
"""What follows the words of a link. It never goes back over what it has read: it costs as much as it is long."""
_LONGEST_LABEL = 999
_REFERENCE = re.compile(r"\[(?P<label>[^\[\]]{0,999})\]")
_DEFINITION = re.compile(r" {0,3}(?:>\s*)*\[([^\[\]]{1,999})\]:\s*<?(https?://[^\s<>]+)", re.IGNORECASE)
_TICKS = re.compile(r"`+")
_BRACKETS = re.compile(r"\\.|[\[\]]", re.DOTALL)
_CLOSERS = ".,;:!?)*_~"


@dataclass(frozen=True, slots=True)
class Address:
    """A URL that stands in the text, and where: `[start, end)` is all that a reader would lose with it."""

    url: str
    start: int
    end: int
    text: tuple[int, int] | None = None
    """The words of a link, which may stay without it."""


@dataclass(frozen=True, slots=True)
class Block:
    """A `paragraph` (a list item's text too), `heading`, table `header` or `row`: whole lines. `inert`: what of it is
    no prose, in order."""

    start: int
    end: int
    kind: str
    inert: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """The blocks of a text in their order, and the addresses that stand anywhere but in code."""

    blocks: tuple[Block, ...]
    addresses: tuple[Address, ...]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # where an answer is read, and not where a command is looked up

    return MarkdownIt("commonmark").enable("table").disable("inline")


def read_prose(text: str) -> Prose:
    """Blocks and addresses. A text that no parser can make sense of is still prose, line by line."""
    starts = [match.start() for match in _LINE.finditer(text)]
    environment: dict[str, dict[str, dict[str, str]]] = {}
    tokens = _parser().parse(text, environment)
    labels = frozenset(environment.get("references", {}))
    blocks: list[Block] = []
    addresses: list[Address] = []
    done = 0
    row: tuple[int, int] | None = None
    kind, header = "paragraph", False
    for token in tokens:
        if token.type == "tr_open" and token.map is not None:
            row, kind = (token.map[0], token.map[1]), "header" if header else "row"
        elif token.type in ("thead_open", "thead_close"):
            header = token.type == "thead_open"
        elif token.type == "tr_close":
            row = None
        elif token.type.endswith("_open") and token.type in ("paragraph_open", "heading_open"):
            kind = token.type.removesuffix("_open")
        if token.type != "inline":
            continue
        lines = row or (None if token.map is None else (token.map[0], token.map[1]))
        if lines is None or lines[0] < done:
            continue
        done = lines[1]
        start, end = _offset(starts, lines[0], text), _offset(starts, lines[1], text)
        inert, found = _scan(text, start, end, labels)
        blocks.append(Block(start, end, kind, tuple(inert)))
        addresses += found
    addresses += _definitions(text, starts, tokens, environment.get("references", {}))
    return Prose(tuple(blocks), tuple(sorted(addresses, key=lambda one: one.start)))


def _offset(starts: list[int], line: int, text: str) -> int:
    return starts[line] if line < len(starts) else len(text)


def _scan(text: str, start: int, end: int, labels: frozenset[str]) -> tuple[list[tuple[int, int]], list[Address]]:
    inert: list[tuple[int, int]] = []
    addresses: list[Address] = []
    if _INERT.search(text, start, end) is None:
        return inert, addresses
    pairs = _brackets(text, start, end)
    ticks = _runs(text, start, end)
    closed = True  # whether a comment that begins from here on can end
    at = start
    while (found := _INERT.search(text, at, end)) is not None:
        at = found.end()
        match found.lastgroup:
            case "ticks":
                close = _closing(ticks, at, len(found[0]))
                if close is not None:
                    inert.append((found.start(), close))
                    at = close
                continue
            case "comment":
                close = text.find("-->", at, end) if closed else -1
                closed = close >= 0
                if not closed:
                    continue
                at = close + len("-->")
            case "address" | "auto":
                addresses.append(Address(found["address"], *found.span()))
            case "bare":
                shown = found[0].rstrip(_CLOSERS) if "(" not in found[0] else found[0].rstrip(_CLOSERS.replace(")", ""))
                at = found.start() + len(shown)
                addresses.append(Address(shown, found.start(), at))
            case "image":
                link = _link(text, found.start(), end, labels, pairs)
                if link is None:
                    at = found.end()
                    continue
                addresses += link[1]
                at = link[0]
            case _:
                pass
        inert.append((found.start(), at))
    return inert, addresses


def _runs(text: str, start: int, end: int) -> dict[int, list[int]]:
    """Where runs of backticks begin, by their lengths."""
    runs: dict[int, list[int]] = {}
    for run in _TICKS.finditer(text, start, end):
        runs.setdefault(len(run[0]), []).append(run.start())
    return runs


def _closing(runs: dict[int, list[int]], at: int, length: int) -> int | None:
    """Where the next run of this length ends."""
    starts = runs.get(length, [])
    number = bisect_left(starts, at)
    return starts[number] + length if number < len(starts) else None


def _link(
    text: str, start: int, end: int, labels: frozenset[str], pairs: dict[int, int]
) -> tuple[int, list[Address]] | None:
    """Where a link that begins here ends, with its address; None: the bracket is no link."""
    opened = start + (2 if text[start] == "!" else 1)
    close = pairs.get(opened - 1)
    if close is None:
        return None
    destination = _DESTINATION.match(text, close + 1, end)
    if destination is not None:
        url = destination["angled"] if destination["angled"] is not None else destination["plain"] or ""
        address = Address(url, start, destination.end(), (opened, close))
        return destination.end(), [address] if url.lower().startswith(("http://", "https://")) else []
    reference = _REFERENCE.match(text, close + 1, end)
    if (
        reference is not None
        and _label(reference["label"] or text[opened : min(close, opened + _LONGEST_LABEL + 1)]) in labels
    ):
        return reference.end(), []
    if close - opened > _LONGEST_LABEL:
        return None
    return (close + 1, []) if _label(text[opened:close]) in labels else None


def _brackets(text: str, start: int, end: int) -> dict[int, int]:
    """Which bracket closes which, with those between them in pairs."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for match in _BRACKETS.finditer(text, start, end):
        if match[0] == "[":
            opened.append(match.start())
        elif match[0] == "]" and opened:
            pairs[opened.pop()] = match.start()
    return pairs


def _label(text: str) -> str:
    """As the parser keeps labels: case folded its way, white space in one."""
    return re.sub(r"\s+", " ", text.strip()).lower().upper()


def _definitions(
    text: str, starts: list[int], tokens: object, references: dict[str, dict[str, str]]
) -> Iterator[Address]:
    """Addresses of link definitions, which are the list at the bottom that no claim leads to (R123)."""
    for number, start in enumerate(starts if references else ()):
        end = _offset(starts, number + 1, text)
        found = _DEFINITION.match(text[start:end])
        if found is not None and _label(found[1]) in references:
            yield Address(found[2], start, end)
