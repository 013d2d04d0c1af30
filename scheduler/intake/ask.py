"""One entry of the input as it was found, before anything is made of it, and the limits of all readers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from schemas.records.job import BadLine, SearchHit

EXCERPT_CHARS: Final = 200
_OPENING = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[/\\]*|[/\\]{2,}")
_WORD_BEFORE_AT = re.compile(r"[^\s\"'<>,;@]*@")


@dataclass(frozen=True, slots=True)
class IntakeLimits:
    """What one input may cost."""

    max_line_bytes: int = 512 * 1024
    """A URL of 65,536 characters takes up to 256 KiB of UTF-8; a search hit has some texts beside it."""
    max_total_bytes: int = 4 * 1024 * 1024 * 1024
    """Of the plain bytes; a million lines of 80 characters are 80 MB."""
    max_document_bytes: int = 64 * 1024 * 1024
    """Of a job file or bundle, which is read as one."""


class Ask(NamedTuple):
    """A URL that somebody asks for, as spelled. `hit`: the search result that brought it, if one did."""

    line: int
    url: str
    hit: SearchHit | None = None


def bad_line(line: int, code: str, message: str, text: str = "") -> BadLine:
    """A bad line with a short, printable piece of it; a password in it is left out."""
    shown = _without_password(text)[: EXCERPT_CHARS * 2].strip()
    escaped = "".join(character if character.isprintable() else _escaped(character) for character in shown)
    return BadLine(line=line, code=code, message=message, excerpt=escaped[:EXCERPT_CHARS])


def _without_password(text: str) -> str:
    """All that could be userinfo left out, rather too much than too little: the line is broken, so no parser can say
    where its password begins or ends."""
    before, at, rest = text.rpartition("@")
    if not at:
        return text
    if opening := _OPENING.search(before):
        return f"{before[: opening.end()]}…@{rest}"
    return _WORD_BEFORE_AT.sub("…@", text)


def _escaped(character: str) -> str:
    """`\\xff` for a byte that could not be decoded, `\\u2028` for a character that cannot be shown."""
    code = ord(character)
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
