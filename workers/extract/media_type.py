"""`Content-Type` as browsers read it (WHATWG MIME Sniffing, 4.4; Fetch, "extract a MIME type").

Servers send several fields, wildcards, broken quotes. Which type and which charset win is decided
by the standard, not by us, so that our reader and the reader's browser decode the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

HTTP_BLANKS = " \t\r\n"
MAX_CHARACTERS = 8192
"""Of all fields together; a real one takes some 30."""
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)(?:"|\\?\Z)', re.DOTALL)
_PIECE = re.compile(r'(?:[^",]|"(?:[^"\\]|\\.)*(?:"|\\?\Z))*', re.DOTALL)


@dataclass(frozen=True, slots=True)
class MediaType:
    """A type such as `text/html` (lower case) with its parameters in order."""

    essence: str
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def charset(self) -> str | None:
        """The value of `charset`, as given."""
        return next((value for name, value in self.parameters if name == "charset"), None)

    def __str__(self) -> str:
        """The standard's serialisation."""
        return self.essence + "".join(f";{name}={_quoted(value)}" for name, value in self.parameters)


def parse_media_type(text: str) -> MediaType | None:
    """One value, or None where it names no type ("parse a MIME type")."""
    kind, slash, rest = text.strip(HTTP_BLANKS).partition("/")
    subtype, _, tail = rest.partition(";")
    subtype = subtype.rstrip(HTTP_BLANKS)
    if not slash or not _TOKEN.fullmatch(kind) or not _TOKEN.fullmatch(subtype):
        return None
    return MediaType(f"{kind}/{subtype}".lower(), _parameters(tail))


def extract_media_type(values: Iterable[str]) -> MediaType | None:
    """The type that all `Content-Type` fields of a message mean together ("extract a MIME type")."""
    found: MediaType | None = None
    charset: str | None = None
    for value in split_list(", ".join(values)[:MAX_CHARACTERS]):
        candidate = parse_media_type(value)
        if candidate is None or candidate.essence == "*/*":
            continue
        if found is None or candidate.essence != found.essence or candidate.charset is not None:
            charset = candidate.charset
        elif charset is not None:
            candidate = MediaType(candidate.essence, (*candidate.parameters, ("charset", charset)))
        found = candidate
    return found


def split_list(text: str) -> list[str]:
    """Comma-separated values; a comma in a quoted string is none (Fetch, "get, decode, and split")."""
    values = []
    position = 0
    while position <= len(text):
        match = _PIECE.match(text, position)
        end = match.end() if match else position
        values.append(text[position:end].strip(" \t"))
        position = end + 1
    return values


def _parameters(tail: str) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    position = 0
    while position < len(tail):
        start = position
        while start < len(tail) and tail[start] in HTTP_BLANKS:
            start += 1
        end = _end_of(tail, start, ";=")
        name = tail[start:end].lower()
        if end >= len(tail) or tail[end] == ";":
            position = end + 1
            continue
        value, position = _value(tail, end + 1)
        if value is not None and _TOKEN.fullmatch(name) and _VALUE.fullmatch(value):
            found.setdefault(name, value)
    return tuple(found.items())


def _value(tail: str, start: int) -> tuple[str | None, int]:
    """A parameter's value and where the next parameter begins."""
    if start < len(tail) and tail[start] == '"':
        match = _QUOTED.match(tail, start)
        if match is None:
            return None, len(tail)
        value = re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL)
        if tail.endswith("\\") and match.end() == len(tail) and not match[0].endswith('"'):
            value += "\\"
        return value, _end_of(tail, match.end(), ";") + 1
    end = _end_of(tail, start, ";")
    return tail[start:end].rstrip(HTTP_BLANKS) or None, end + 1


def _end_of(text: str, start: int, stops: str) -> int:
    return min((at for stop in stops if (at := text.find(stop, start)) >= 0), default=len(text))


def _quoted(value: str) -> str:
    if _TOKEN.fullmatch(value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
