"""The second extractor, `visible@1`: all text that a page shows, for pages that defeat the first.

It builds no tree and knows no main text: one walk over the markup, in time that grows with its length, whatever is
nested in what. Menus and footers are in its text too; its id in the snapshot says that it was asked. Elements that are
hidden by style are read, what scripts would write is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Final

MAX_TAG_CHARACTERS: Final = 64 * 1024
"""Quotes of a tag are followed so far; a longer one ends at its first `>`."""
MAX_LINKS: Final = 2000
_MARKUP = re.compile(r"<(?:!--|!\[CDATA\[|[!?]|(/?)([A-Za-z][^\s/>]{0,60}))")
_TAG_END = re.compile(r"""(?:[^"'>]|"[^"]*"|'[^']*')*>""")
_ATTRIBUTE = re.compile(r"""\s([A-Za-z][A-Za-z0-9_:-]{0,40})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_BLANKS = re.compile(r"[ \t\r\f\n]+")
_SKIPPED: Final = frozenset(
    {"script", "style", "template", "svg", "math", "noscript", "iframe", "noembed", "noframes", "object", "select"}
)
"""Elements whose content is no text of the page; it ends at the first end tag of their name."""
_INLINE: Final = frozenset(
    {"a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img",
     "ins", "kbd", "label", "mark", "meter", "nobr", "q", "rb", "rp", "rt", "ruby", "s", "samp", "small", "span",
     "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"}
)  # fmt: skip
"""Elements that end no line; any other does."""
_CELLS: Final = frozenset({"td", "th"})


@dataclass(frozen=True, slots=True)
class VisibleText:
    """Lines of text, and what the page says of itself in a few tags. Hrefs are as they stand in the page."""

    text: str
    title: str | None = None
    language: str | None = None
    canonical: str | None = None
    base: str | None = None
    links: tuple[str, ...] = ()
    links_complete: bool = True
    metas: tuple[tuple[str, str], ...] = ()
    """Name and content of `meta` elements that have both, the first hundred."""


def read_visible(source: str) -> VisibleText:
    """Walk over a decoded page. Never raises for what is in it."""
    walk = _Walk(source)
    walk.run()
    return walk.result()


class _Walk:
    """One walk, and what it has found so far."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._pieces: list[str] = []
        self._preformatted = False
        self._title: str | None = None
        self._said: dict[str, str] = {}
        self._links: dict[str, None] = {}
        self._links_complete = True
        self._metas: list[tuple[str, str]] = []

    def run(self) -> None:
        source, position = self._source, 0
        while (found := _MARKUP.search(source, position)) is not None:
            self._take(source[position : found.start()])
            position = self._after(found)
        self._take(source[position:])

    def _take(self, text: str) -> None:
        """Line ends and tabs of the source are blanks, but for line ends of preformatted text."""
        if text:
            text = text.replace("\t", " ")
            self._pieces.append(text if self._preformatted else text.replace("\n", " "))

    def result(self) -> VisibleText:
        return VisibleText(
            text="\n".join(_lines("".join(self._pieces))),
            title=self._title,
            language=self._said.get("lang"),
            canonical=self._said.get("canonical"),
            base=self._said.get("base"),
            links=tuple(self._links),
            links_complete=self._links_complete,
            metas=tuple(self._metas),
        )

    def _after(self, found: re.Match[str]) -> int:
        """Where text goes on after what begins here."""
        source = self._source
        match found[0]:
            case "<!--":
                return _past(source, "-->", found.start() + 2)
            case "<![CDATA[":
                return found.end()
            case "<!" | "<?":
                return _past(source, ">", found.end())
        name, closing = found[2].lower(), bool(found[1])
        ended = _TAG_END.match(source, found.end(), found.end() + MAX_TAG_CHARACTERS)
        end = ended.end() if ended else _past(source, ">", found.end())
        if name == "pre":
            self._preformatted = not closing
        if name not in _INLINE and name not in _SKIPPED:
            self._pieces.append("\t" if name in _CELLS else "\n")
        if closing:
            return end
        if name in ("a", "area", "base", "html", "link", "meta"):
            self._said_by(name, source[found.end() : min(end, found.end() + MAX_TAG_CHARACTERS)])
        if name in _SKIPPED:
            return self._past_element(name, end)
        if name == "title":
            after = self._past_element(name, end)
            if self._title is None:
                self._title = _plain(source[end : source.rfind("<", end, after)])
            return after
        return end

    def _past_element(self, name: str, position: int) -> int:
        closed = re.compile(f"</{name}[\\s/>]", re.IGNORECASE).search(self._source, position)
        return len(self._source) if closed is None else _past(self._source, ">", closed.start())

    def _said_by(self, name: str, tag: str) -> None:
        values: dict[str, str] = {}
        for key, double, single, bare in _ATTRIBUTE.findall(tag):
            values.setdefault(key.lower(), unescape(double or single or bare).strip())
        href = values.get("href", "")
        if name == "html":
            self._said.setdefault("lang", values.get("lang", ""))
        elif name == "base" and href:
            self._said.setdefault("base", href)
        elif name == "link" and "canonical" in values.get("rel", "").lower().split() and href:
            self._said.setdefault("canonical", href)
        elif name == "meta" and values.get("name") and values.get("content") and len(self._metas) < 100:
            self._metas.append((values["name"], values["content"]))
        elif name in ("a", "area") and href:
            if len(self._links) < MAX_LINKS or href in self._links:
                self._links[href] = None
            else:
                self._links_complete = False


def _past(source: str, what: str, position: int) -> int:
    """Behind the next occurrence; without one the rest belongs to what was begun."""
    found = source.find(what, position)
    return len(source) if found < 0 else found + len(what)


def _lines(text: str) -> Iterator[str]:
    """Lines without blanks around them; blanks within are one each, cells are divided by ` | `."""
    for line in text.split("\n"):
        cells: Sequence[str] = [_BLANKS.sub(" ", unescape(cell)).strip() for cell in line.split("\t")]
        joined = " | ".join(cell for cell in cells if cell)
        if joined:
            yield joined


def _plain(text: str) -> str | None:
    return _BLANKS.sub(" ", unescape(text)).strip() or None
