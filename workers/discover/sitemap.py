"""Sitemaps (sitemaps.org protocol 0.9), parsed as a stream by expat with everything refused that a sitemap needs not.

A document type is where entity bombs and references to other files come from: with one, nothing is read. Also which
sitemaps a robots.txt names (RFC 9309, 2.2.4: other records).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple
from xml.parsers import expat

from schemas.urls.error import UrlError
from schemas.urls.parse import resolve

MAX_NESTED: Final = 16
MAX_ENTRIES: Final = 50_000
MAX_BYTES: Final = 50 * 1024 * 1024
"""Of one sitemap, as the protocol has them: entries, and plain bytes."""
MAX_LOC_CHARS: Final = 128 * 1024
MAX_ROBOTS_BYTES: Final = 500 * 1024
_NAMESPACES: Final = (
    "http://www.sitemaps.org/schemas/sitemap/0.9",
    "https://www.sitemaps.org/schemas/sitemap/0.9",
    "http://www.google.com/schemas/sitemap/0.84",
    "",
)
_SCHEME: Final = re.compile("[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_NAMED: Final = re.compile(rb"[ \t]*sitemap[ \t]*:[ \t]*([^\s#]\S*)", re.IGNORECASE)


class Entry(NamedTuple):
    """A page that a sitemap names, by its address as it stands there."""

    line: int
    url: str


class Member(NamedTuple):
    """A sitemap that an index names, by its address."""

    line: int
    url: str


class Refused(NamedTuple):
    """Why a sitemap is not read on from a line."""

    line: int
    code: str
    message: str


class _Stop(Exception):  # noqa: N818 (never leaves this module)
    """The document is not read on."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class _Sitemap:
    """What the parser calls; what was found since the last piece is in `found`."""

    def __init__(self) -> None:
        self.found: list[Entry | Member] = []
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
        raise _Stop("sitemap.doctype", "a sitemap has no document type; remove the DOCTYPE")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        del attributes
        namespace, _, local = name.rpartition(" ")
        self._path.append(local if namespace in _NAMESPACES else f"other:{local}")
        if len(self._path) > MAX_NESTED:
            raise _Stop("sitemap.too-deep", f"elements are nested deeper than {MAX_NESTED}")
        if len(self._path) == 1 and self._path[0] not in ("urlset", "sitemapindex"):
            raise _Stop("sitemap.other-document", f"<{self._path[0][:40]}> is no sitemap; hand in a list of URLs")
        if self._path in (["urlset", "url", "loc"], ["sitemapindex", "sitemap", "loc"]):
            self._text, self._length, self._line = [], 0, self.parser.CurrentLineNumber

    def _end(self, _: str) -> None:
        if self._text is not None and self._path[-1] == "loc":
            url = "".join(self._text).strip()
            self._entries += 1
            if self._entries > MAX_ENTRIES:
                message = f"more than {MAX_ENTRIES} entries, which no sitemap may have; hand in a list of URLs"
                raise _Stop("sitemap.too-many-entries", message)
            self.found.append((Member if self._path[0] == "sitemapindex" else Entry)(self._line, url))
            self._text = None
        self._path.pop()

    def _characters(self, data: str) -> None:
        if self._text is not None:
            self._length += len(data)
            if self._length > MAX_LOC_CHARS:
                raise _Stop("sitemap.loc-too-long", f"a <loc> is longer than {MAX_LOC_CHARS} characters")
            self._text.append(data)


def read_sitemap(pieces: Iterable[bytes]) -> Iterator[Entry | Member | Refused]:
    """The pages of a sitemap, or the members of an index. Ends after `Refused`, since XML has no next line to go on
    from."""
    sitemap = _Sitemap()
    read = 0
    try:
        for piece in pieces:
            read += len(piece)
            if read > MAX_BYTES:
                raise _Stop("sitemap.too-large", f"more than {MAX_BYTES} bytes; hand in a list of URLs")
            sitemap.parser.Parse(piece, False)
            yield from sitemap.found
            sitemap.found.clear()
        sitemap.parser.Parse(b"", True)
    except _Stop as stop:
        refused = Refused(sitemap.parser.CurrentLineNumber, stop.code, stop.message)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        refused = Refused(error.lineno, "sitemap.not-xml", f"not well-formed XML ({reason}); correct the file")
    else:
        yield from sitemap.found
        return
    yield from sitemap.found
    yield refused


def is_relative(loc: str) -> bool:
    """Whether an address leaves out what the protocol wants of it (scheme and host), as some sites do."""
    return bool(loc) and _SCHEME.match(loc) is None


def placed(loc: str, sitemap_url: str) -> str:
    """What an address means that stands in the sitemap at this URL: a relative one is resolved as a link would be (RFC
    3986, 5). What cannot be read stays as it is."""
    if not is_relative(loc):
        return loc
    target = resolve(sitemap_url, loc)
    return loc if isinstance(target, UrlError) else target


def named_by_robots(robots: bytes) -> list[str]:
    """Addresses of sitemaps that a robots.txt names, each once; as far as such a file is read at all."""
    lines = re.split(rb"[\r\n]+", robots[:MAX_ROBOTS_BYTES].removeprefix(b"\xef\xbb\xbf"))
    named = (match[1].decode("utf-8", "replace") for line in lines if (match := _NAMED.match(line)))
    return list(dict.fromkeys(named))
