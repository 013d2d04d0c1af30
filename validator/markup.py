"""The words of an HTML document, by a scanner of our own that reads each character once.

No code of the extractor, and not `html.parser` either: on hostile markup (`<!--<!--…`, `<a<a<a…`) the
standard library's takes quadratic time in Python 3.11 and 3.12. No tree is built; for words, telling
text from markup is enough (HTML Standard, 13.2.5).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

INLINE: Final = frozenset(
    {
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i"),
        *("ins", "kbd", "mark", "nobr", "q", "rb", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike"),
        *("strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    }
)
"""Elements whose tags do not end a word."""
_TAG = re.compile(r"</?([A-Za-z][^\s/>]*)")
_UNTIL = re.compile(r"[^>=]*")
_BLANK = re.compile(r"\s*")
_RAW_END: Final = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}


SEAM: Final = "\0"
"""Stands in `Markup.seamed` where a tag was. In the document itself it is no character (HTML Standard, 13.2.6.4.7)."""


@dataclass(frozen=True, slots=True)
class Markup:
    """What a document shows, and what stands in its scripts of type JSON-LD."""

    seamed: str
    """Shown text with a `SEAM` for each tag: an extractor leaves out elements, and nothing smaller."""
    linked_data: str

    @property
    def shown(self) -> str:
        return self.seamed.replace(SEAM, "")


def read_markup(document: str, *, xml: bool = False) -> Markup:
    """Text outside tags, comments, scripts and styles, with character references resolved."""
    shown: list[str] = []
    data: list[str] = []
    for kind, piece in _scan(document.replace(SEAM, ""), xml=xml):
        if kind == "data":
            data.append(piece)
        elif kind == "gap":
            shown.append(SEAM + piece)
        else:
            shown.append((html.unescape(piece) if kind == "text" else piece).replace(SEAM, ""))
    return Markup("".join(shown), " ".join(data))


def _scan(document: str, *, xml: bool) -> Iterator[tuple[str, str]]:
    at, end = 0, len(document)
    while at < end:
        opening = document.find("<", at)
        if opening < 0:
            yield "text", document[at:]
            return
        if opening > at:
            yield "text", document[at:opening]
        tag = _TAG.match(document, opening)
        if tag is not None:
            name = tag[1].lower()
            at = _tag_end(document, tag.end())
            yield "gap", "" if name in INLINE else " "
            if name in _RAW_END and not document.startswith("</", opening):
                close = _RAW_END[name].search(document, at)
                stop = close.start() if close else end
                if "ld+json" in document[opening:at].lower():
                    yield "data", _unescaped(document[at:stop])
                at = stop
        elif xml and document.startswith("<![CDATA[", opening):
            closing = document.find("]]>", opening)
            yield "plain", document[opening + len("<![CDATA[") : closing if closing >= 0 else end]
            at = closing + 3 if closing >= 0 else end
        elif document.startswith("<!--", opening):
            closing = document.find("-->", opening + 2)
            at = closing + 3 if closing >= 0 else end
        elif document.startswith(("<!", "<?", "</"), opening):
            closing = document.find(">", opening)
            at = closing + 1 if closing >= 0 else end
        else:
            yield "text", "<"
            at = opening + 1


def _tag_end(document: str, at: int) -> int:
    """Position after the `>` of a tag. A quote counts only after `=`, and everything up to its partner is value."""
    end = len(document)
    while at < end:
        run = _UNTIL.match(document, at)
        at = run.end() if run else end
        if at >= end or document[at] == ">":
            return min(at + 1, end)
        blank = _BLANK.match(document, at + 1)
        at = blank.end() if blank else at + 1
        if at < end and document[at] in "\"'":
            closing = document.find(document[at], at + 1)
            if closing < 0:
                return end
            at = closing + 1
    return end


_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')


def _unescaped(json_text: str) -> str:
    """JSON escapes resolved where they stand; surrogate pairs come out as one character."""
    plain = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else " " if m[2] in "bfnrt" else m[2], json_text)
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
