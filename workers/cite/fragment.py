"""Links that lead a reader to a passage: text fragments (WICG Scroll To Text Fragment) from a span of a stored text.

A fragment is a courtesy: a browser finds the words in the live page or does not, and the citation stands either way
(C33). Words are whole, and every character that has a meaning in a directive is percent-encoded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain
from urllib.parse import quote, urldefrag

from workers.cite.tokens import is_in_runs

_WORD = re.compile(r"\S+")
_MARK = re.compile(r"\s*(?:[-*+>\u2022\u25e6\u25aa\u2023\u00b7]|#{1,6})(?:\s+|$)")
"""What a text puts before a line to say what it is. A browser draws it, and no node of the page holds it."""
_BAR = re.compile(r"(?<!\S)\|(?!\S)")
_RULE = re.compile(r"[\s:|-]*")
"""The line under a table's head, or an empty cell."""
_HIRAGANA = re.compile("[\u3041-\u309f]")
_KANA = re.compile("[\u3041-\u30ff]")
WHOLE_CHARS = 200
"""A longer passage, or one of several lines, is named by its first and last words."""
EDGE_WORDS, EDGE_CHARS = 5, 40
CONTEXT = 3, 20
REACH, LONGEST_CONTEXT = 400, 200
"""Of a line before and behind a passage so much is looked at: a page may be one line of megabytes. Three words that are
longer than half of it may be cut, and name no place."""


def text_directive(text: str, start: int, end: int) -> str:
    """`text=[prefix-,]start[,end][,-suffix]` for a span of a text; empty where nothing of the span is on the page."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = len(text) if (found := text.find("\n", end)) < 0 else found
    pieces = [piece for piece in _pieces(text[start:end], at_start=not text[line_start:start].strip()) if piece]
    if not pieces:
        return ""
    edges = [_first_words(pieces[0]), _last_words(pieces[-1])]
    # A browser looks for the last words behind the first.
    if len(pieces) == 1 and len(pieces[0]) <= max(WHOLE_CHARS, sum(map(len, edges))):
        edges = pieces
    parts = [*map(_encoded, edges)]
    if before := _before(text, line_start, start):
        parts.insert(0, _encoded(before) + "-")
    if after := _behind(text, end, line_end):
        parts.append("-" + _encoded(after))
    return "text=" + ",".join(parts)


def text_fragment_url(url: str, text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The URL with a directive for each span beside its own fragment, if it has one; older directives go. A browser
    marks each, and leads to the first: of a quote in parts what it leaves out is not marked."""
    bare, fragment = urldefrag(url)
    own = fragment.partition(":~:")[0]
    directives = "&".join(filter(None, (text_directive(text, start, end) for start, end in spans)))
    if not directives:
        return f"{bare}#{own}" if own else bare
    return f"{bare}#{own}:~:{directives}"


def page_url(url: str, page: int | None) -> str:
    """The URL of a PDF, opened at a page (RFC 8118, section 3): readers of PDF know no text fragments. Without a page
    as it is."""
    return url if page is None else f"{urldefrag(url)[0]}#page={page}"


def _pieces(passage: str, *, at_start: bool) -> Iterator[str]:
    """What stands on the page as it stands here: lines without the marks that make a text of a page, and the cells of
    their tables. `at_start`: whether the first line is here from its beginning."""
    for number, line in enumerate(passage.split("\n")):
        shown = _unmarked(line) if number or at_start else line
        yield from (cell.strip() for cell in _BAR.split(shown) if not _RULE.fullmatch(cell))


def _unmarked(line: str) -> str:
    """A line, or its beginning, without the mark of a list's item, a heading or a quotation. Further on in a line the
    same signs are the page's own: `profit - loss`."""
    mark = _MARK.match(line)
    return line[mark.end() :] if mark else line


def _before(text: str, line_start: int, start: int) -> str:
    """The words of a line, or of a cell, right before a place. A mark at the line's beginning is none of them."""
    begin = max(line_start, start - REACH)
    head = text[begin:start]
    words = _last_words(_BAR.split(head if begin > line_start else _unmarked(head))[-1].strip(), *CONTEXT)
    return words if len(words) <= LONGEST_CONTEXT else ""


def _behind(text: str, end: int, line_end: int) -> str:
    """The words of a line, or of a cell, right behind a place."""
    words = _first_words(_BAR.split(text[end : min(line_end, end + REACH)])[0].strip(), *CONTEXT)
    return words if len(words) <= LONGEST_CONTEXT else ""


def _first_words(line: str, words: int = EDGE_WORDS, chars: int = EDGE_CHARS) -> str:
    found = [match.end() for match in _WORD.finditer(line)][:words]
    if not found:
        return ""
    at = None
    if found[-1] > chars:
        beyond = range(chars + 1, min(found[-1], LONGEST_CONTEXT))
        at = _parting(line, range(chars, chars // 5, -1), beyond)
    return line[:at].rstrip() if at is not None else line[: found[-1]]


def _last_words(line: str, words: int = EDGE_WORDS, chars: int = EDGE_CHARS) -> str:
    found = [match.start() for match in _WORD.finditer(line)][-words:]
    if not found:
        return ""
    size = len(line)
    at = None
    if size - found[0] > chars:
        beyond = range(size - chars - 1, max(found[0], size - LONGEST_CONTEXT), -1)
        at = _parting(line, range(size - chars, size - chars // 5), beyond)
    return line[at:].lstrip() if at is not None else line[found[0] :]


def _parting(line: str, places: range, beyond: range) -> int | None:
    """The first place where a script without blanks may be parted, as browsers look for whole words: behind a mark,
    else between hiragana and what it does not spell, else behind a mark further on, else beside any letter. None: it
    is written with blanks there."""
    beside = [at for at in places if is_in_runs(line[at - 1]) or is_in_runs(line[at])]
    if not beside:
        return None
    marked = (at for at in beside if _is_mark(line[at - 1]))
    turned = (at for at in beside if _HIRAGANA.match(line[at - 1]) and line[at].isalnum() and not _KANA.match(line[at]))
    further = (at for at in beyond if _is_mark(line[at - 1]))
    whole = (at for at in beside if unicodedata.category(line[at])[0] != "M")
    return next(chain(marked, turned, further, whole), None)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "P" and not character.isascii()


def _encoded(words: str) -> str:
    return quote(words, safe="").replace("-", "%2D")
