"""Sitemaps (sitemaps.org protocol 0.9), parsed as a stream by expat with everything refused that a sitemap needs not.

A document type is where entity bombs and references to other files come from: with one, nothing is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple
from xml.parsers import expat

from scheduler.intake.ask import Ask, bad_line
from scheduler.intake.pieces import Broken
from schemas.records.job import BadLine

MAX_DEPTH: Final = 16
MAX_ENTRIES: Final = 50_000
MAX_BYTES: Final = 50 * 1024 * 1024
"""Of one sitemap, as the protocol has them: entries, and plain bytes."""
MAX_LOC_CHARS: Final = 128 * 1024
_SITEMAP_NAMESPACES: Final = (
    "http://www.sitemaps.org/schemas/sitemap/0.9",
    "https://www.sitemaps.org/schemas/sitemap/0.9",
    "http://www.google.com/schemas/sitemap/0.84",
    "",
)


class _Refused(Exception):  # noqa: N818 (never leaves this module)
    """The document is not read on."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Member(NamedTuple):
    """A sitemap that an index names, by its address."""

    line: int
    url: str


class _Sitemap:
    """Handlers of one parse; what was found since the last piece is in `found`."""

    def __init__(self) -> None:
        self.found: list[Ask | BadLine | Member] = []
        self._entries = 0
        self._path: list[str] = []
        self._text: list[str] | None = None
        self._length = 0
        self._line = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def _doctype(self, *_: object) -> None:
        raise _Refused("sitemap.doctype", "a sitemap has no document type; remove the DOCTYPE")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        del attributes
        namespace, _, local = name.rpartition(" ")
        self._path.append(local if namespace in _SITEMAP_NAMESPACES else f"other:{local}")
        if len(self._path) > MAX_DEPTH:
            raise _Refused("sitemap.too-deep", f"elements are nested deeper than {MAX_DEPTH}")
        if len(self._path) == 1 and self._path[0] not in ("urlset", "sitemapindex"):
            raise _Refused("sitemap.other-document", f"<{self._path[0][:40]}> is no sitemap; hand in a list of URLs")
        if self._path in (["urlset", "url", "loc"], ["sitemapindex", "sitemap", "loc"]):
            self._text, self._length, self._line = [], 0, self.parser.CurrentLineNumber

    def _end(self, _: str) -> None:
        if self._text is not None and self._path[-1] == "loc":
            url = "".join(self._text).strip()
            self._entries += 1
            if self._entries > MAX_ENTRIES:
                message = f"more than {MAX_ENTRIES} entries, which no sitemap may have; hand in a list of URLs"
                raise _Refused("sitemap.too-many-entries", message)
            self.found.append((Member if self._path[0] == "sitemapindex" else Ask)(self._line, url))
            self._text = None
        self._path.pop()

    def _characters(self, data: str) -> None:
        if self._text is not None:
            self._length += len(data)
            if self._length > MAX_LOC_CHARS:
                raise _Refused("sitemap.loc-too-long", f"a <loc> is longer than {MAX_LOC_CHARS} characters")
            self._text.append(data)


def read_sitemap(pieces: Iterator[bytes | Broken]) -> Iterator[Ask | BadLine | Member]:
    """The URLs of a sitemap, or the members of an index. After an error nothing more is read, since XML has no next
    line to go on from."""
    sitemap = _Sitemap()
    read = 0
    try:
        for piece in pieces:
            if isinstance(piece, Broken):
                raise _Refused(piece.code, piece.message)
            read += len(piece)
            if read > MAX_BYTES:
                raise _Refused("sitemap.too-large", f"more than {MAX_BYTES} bytes; hand in a list of URLs")
            sitemap.parser.Parse(piece, False)
            yield from sitemap.found
            sitemap.found.clear()
        sitemap.parser.Parse(b"", True)
    except _Refused as refused:
        failure = bad_line(sitemap.parser.CurrentLineNumber, refused.code, refused.message)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        failure = bad_line(error.lineno, "sitemap.not-xml", f"not well-formed XML ({reason}); correct the file")
    else:
        yield from sitemap.found
        return
    yield from sitemap.found
    yield failure
