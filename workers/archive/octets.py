"""Octets and text as values of `application/warc-fields` (WARC 1.1, 4 and 8.3).

A field's value is one line of UTF-8 whose outer blanks mean nothing, so bytes from the wire (CR, LF,
NUL, Latin-1) cannot stand in it as they are. They are percent-encoded: visible ASCII other than `%`
stands for itself, every other octet, SPACE included, is `%` and two upper-case hex digits. One form
only is written and read, so that decoding and encoding again gives the same line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote_from_bytes, unquote_to_bytes

CONTENT_TYPE = "application/warc-fields"

_VISIBLE = "".join(chr(octet) for octet in range(0x21, 0x7F) if chr(octet) != "%")
_ENCODED = re.compile(r"(?:[!-$&-~]|%[0-9A-F]{2})*")
_LINE_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")

Fields = tuple[tuple[str, str], ...]


def encode_octets(data: bytes) -> str:
    """Any bytes as one token of visible ASCII."""
    return quote_from_bytes(data, safe=_VISIBLE)


def decode_octets(token: str) -> bytes | None:
    """The bytes of a token, or None where it is not what `encode_octets` gives."""
    if _ENCODED.fullmatch(token) is None:
        return None
    data = unquote_to_bytes(token)
    return data if encode_octets(data) == token else None


def one_line(text: str) -> str:
    """Text for people as a field value: control characters and line ends become one space each run."""
    return _LINE_BREAKS.sub(" ", text).strip().encode("utf-8", "replace").decode("utf-8")


def write_fields(fields: Iterable[tuple[str, str]]) -> bytes:
    """`name: value` lines, each ended by CRLF. Values are single lines already."""
    return "".join(f"{name}: {value}\r\n" for name, value in fields).encode("utf-8")


def read_fields(block: bytes) -> Fields | None:
    """The fields of a block that `write_fields` wrote, or None where a line is not of that form."""
    try:
        text = block.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if text and not text.endswith("\r\n"):
        return None
    fields: list[tuple[str, str]] = []
    for line in text.split("\r\n")[:-1]:
        name, colon, value = line.partition(": ")
        if not colon or not name:
            return None
        fields.append((name, value))
    return tuple(fields)
