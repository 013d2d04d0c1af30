"""Links that lead a reader to a passage: text fragments (WICG Scroll To Text Fragment) from a span of a stored text.

A fragment is a courtesy: a browser finds the words in the live page or does not, and the citation stands either way
(C33). Words are whole, and every character that has a meaning in a directive is percent-encoded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote, urldefrag

from workers.cite.tokens import is_spaceless

_WORD = re.compile(r"\S+")
WHOLE_CHARS = 200
"""A longer passage, or one of several lines, is named by its first and last words."""
EDGE_WORDS, EDGE_CHARS = 5, 40
CONTEXT_WORDS, CONTEXT_CHARS = 3, 20


def text_directive(text: str, start: int, end: int) -> str:
    """`text=[prefix-,]start[,end][,-suffix]` for a span of a text, not empty."""
    passage = text[start:end].strip()
    lines = [line.strip() for line in passage.split("\n") if line.strip()]
    if len(lines) == 1 and len(passage) <= WHOLE_CHARS:
        parts = [_encoded(lines[0])]
    else:
        parts = [_encoded(_first_words(lines[0])), _encoded(_last_words(lines[-1]))]
    before = _last_words(text[text.rfind("\n", 0, start) + 1 : start].rstrip(), CONTEXT_WORDS, CONTEXT_CHARS)
    line_end = text.find("\n", end)
    after = _first_words(text[end : len(text) if line_end < 0 else line_end].lstrip(), CONTEXT_WORDS, CONTEXT_CHARS)
    if before:
        parts.insert(0, _encoded(before) + "-")
    if after:
        parts.append("-" + _encoded(after))
    return "text=" + ",".join(parts)


def text_fragment_url(url: str, text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The URL with a directive for each span beside its own fragment, if it has one; older directives go. A browser
    marks each, and leads to the first: of a quote in parts what it leaves out is not marked."""
    bare, fragment = urldefrag(url)
    own = fragment.partition(":~:")[0]
    directives = "&".join(text_directive(text, start, end) for start, end in spans)
    return f"{bare}#{own}:~:{directives}"


def _first_words(line: str, words: int = EDGE_WORDS, chars: int = EDGE_CHARS) -> str:
    found = [match.end() for match in _WORD.finditer(line)][:words]
    if not found:
        return ""
    if found[0] > chars and is_spaceless(line[0]):
        return line[:chars]
    return line[: found[-1]]


def _last_words(line: str, words: int = EDGE_WORDS, chars: int = EDGE_CHARS) -> str:
    found = [match.start() for match in _WORD.finditer(line)][-words:]
    if not found:
        return ""
    if len(line) - found[-1] > chars and is_spaceless(line[-1]):
        return line[-chars:]
    return line[found[0] :]


def _encoded(words: str) -> str:
    return quote(words, safe="").replace("-", "%2D")
