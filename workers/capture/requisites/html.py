"""What an HTML document names, by libxml2's tokenizer (HTML Standard, 13.2.5, since libxml2 2.14).

No tree is built: start tags and the text of `style` elements are all that is looked at, so a page costs
what its bytes cost. Elements in a `template` are not rendered and do not count; those in `noscript` do, since
they are what is seen where scripts do not run. `srcdoc` is read like a frame's document, relative to the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lxml import etree

from workers.capture.requisites.css import read_css
from workers.capture.requisites.elements import read_element
from workers.capture.requisites.found import Findings, References

MAX_CHARACTERS = 8_000_000  # few pages have one million, most of those inline pictures
PIECE_CHARACTERS = 8 * 1024
MAX_DEPTH = 256
"""An end tag is looked for through all open elements, so a deep document costs its length times this. Beyond it reading
goes on with a parser that knows of no open element, which changes nothing for who looks at start tags."""
MAX_STYLE_CHARACTERS = 2_000_000  # of all `style` elements and attributes of a document
LEAST_STYLE_CHARACTERS = 64  # what a short attribute counts as: reading it has a price of its own


def find_in_html(text: str, document_url: str, *, frames: bool = True) -> Findings:
    """Requisites of a document. `frames`: whether frames count, which they do one level deep."""
    references = References()
    target = _read(text, references, frames=frames, style_characters=MAX_STYLE_CHARACTERS)
    return references.resolved(document_url, target.base)


def _read(text: str, references: References, *, frames: bool, style_characters: int) -> _Target:
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS]
        references.complete = False
    target = _Target(references, frames=frames, style_characters=style_characters)
    parser = _parser(target)
    fed = False
    for piece in _pieces(text):
        if target.depth > MAX_DEPTH and not target.within_style:
            parser.close()
            target.start_over()
            parser = _parser(target)
        parser.feed(piece.encode("utf-8", "replace"))
        fed = True
    if fed:
        parser.close()
    return target


def _parser(target: _Target) -> etree.HTMLParser:
    return etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True)  # type: ignore[arg-type]  # stubs want bytes


def _pieces(text: str) -> Iterator[str]:
    """Pieces that end before a `<` where they can, so that a parser that starts over begins with a tag."""
    position = 0
    while position < len(text):
        end = position + PIECE_CHARACTERS
        if end < len(text):
            tag = text.rfind("<", position + 1, end)
            end = end if tag < 0 else tag
        yield text[position:end]
        position = end


class _Target:
    """Takes what the parser meets."""

    def __init__(self, references: References, *, frames: bool, style_characters: int) -> None:
        self.base: str | None = None
        self.depth = 0
        self.style_left = style_characters
        self._references = references
        self._frames = frames
        self._templates = 0
        self._style: list[str] | None = None

    @property
    def within_style(self) -> bool:
        """Whether the text that comes is a style sheet."""
        return self._style is not None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A start tag. Attribute names are in lower case, values without references."""
        self.depth += 1
        name = tag.rpartition(":")[2]
        if name == "template" and (self._templates or "shadowrootmode" not in attributes):
            self._templates += 1
        if self._templates:
            return
        if name == "base" and self.base is None:
            self.base = attributes.get("href")
        elif name == "style":
            self._style = []
        if not attributes:
            return
        read_element(name, attributes, self._references, frames=self._frames)
        if (style := attributes.get("style")) is not None:
            self._css(style, f"{name}/@style")
        if self._frames and name == "iframe" and (inner := attributes.get("srcdoc")) is not None:
            target = _read(inner, self._references, frames=False, style_characters=self.style_left)
            self.style_left = target.style_left

    def end(self, tag: str) -> None:
        """An end tag, or where one is implied."""
        self.depth -= 1
        name = tag.rpartition(":")[2]
        if name == "template" and self._templates:
            self._templates -= 1
        elif name == "style" and self._style is not None:
            text, self._style = "".join(self._style), None
            self._css(text, "style")

    def data(self, text: str) -> None:
        """Text, in pieces."""
        if self._style is not None:
            self._style.append(text)

    def close(self) -> None:
        """The end of what the parser was fed."""

    def start_over(self) -> None:
        """Another parser goes on; what this one had open is forgotten."""
        self.depth = self._templates = 0

    def _css(self, text: str, where: str) -> None:
        if len(text) > self.style_left:
            text = text[: max(0, self.style_left)]
            self._references.complete = False
        self.style_left -= max(len(text), LEAST_STYLE_CHARACTERS)
        read_css(text, where, self._references)
