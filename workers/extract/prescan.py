"""What a document says of its own encoding: HTML "prescan a byte stream", and the XML declaration before it.

(HTML Standard, 13.2.3.2 to 13.2.3.4.) The search is bounded by the caller, skips comments and
quoted attributes as the standard does, and knows nothing of `script` or `style`, as the standard does not.
"""

from __future__ import annotations

import re

import webencodings

_BLANKS = b"\t\n\x0c\r "
_META = re.compile(rb"<meta[\t\n\x0c\r /]", re.IGNORECASE)
_TAG = re.compile(rb"</?[A-Za-z]")
_AFTER_NAME = re.compile(rb"[\t\n\x0c\r >]")
_CHARSET = re.compile(
    rb"charset[\t\n\x0c\r ]*=[\t\n\x0c\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\"'\t\n\x0c\r ;][^\t\n\x0c\r ;]*))", re.I
)
_XML_ENCODING = re.compile(rb"""encoding[\x00-\x20]*=[\x00-\x20]*(?:"([^"]*)"|'([^']*)')""")
_UTF_16 = ("utf-16le", "utf-16be")


class _EndOfBytesError(Exception):
    """The prescan ran out of bytes: it has no answer."""


def declared_in_markup(data: bytes) -> str | None:
    """The encoding that a `meta` element names, by its WHATWG name, or None. Searches all of `data`."""
    position = 0
    try:
        while (position := data.find(b"<", position)) >= 0:
            if data.startswith(b"<!--", position):
                position = _after(data, b"-->", position + 2)
            elif _META.match(data, position):
                name, position = _meta(data, position + 5)
                if name is not None:
                    return name
            elif _TAG.match(data, position):
                position = _after_tag(data, position)
            elif data[position + 1 : position + 2] in (b"!", b"/", b"?"):
                position = _after(data, b">", position + 1)
            else:
                position += 1
    except _EndOfBytesError:
        return None
    return None


def declared_in_xml(data: bytes) -> str | None:
    """The encoding of an XML declaration, or what its first bytes show for UTF-16 without a byte order mark."""
    if data.startswith(b"<\x00?\x00x\x00"):
        return "utf-16le"
    if data.startswith(b"\x00<\x00?\x00x"):
        return "utf-16be"
    end = data.find(b">")
    if not data.startswith(b"<?xml") or end < 0:
        return None
    match = _XML_ENCODING.search(data, 5, end)
    if match is None:
        return None
    label = match[1] if match[1] is not None else match[2]
    if any(byte <= 0x20 for byte in label):
        return None
    name = encoding_name(label.decode("latin-1"))
    return "utf-8" if name in _UTF_16 else name


def encoding_name(label: str) -> str | None:
    """The standard's name, in lower case, for a label ("get an encoding"); None for an unknown one."""
    if len(label) > 256 or not label.isascii():
        return None
    found = webencodings.lookup(label)
    return None if found is None else str(found.name)


def _meta(data: bytes, position: int) -> tuple[str | None, int]:
    seen: set[bytes] = set()
    pragma = False
    needs_pragma: bool | None = None
    name: str | None = None
    while (attribute := _attribute(data, position)) is not None:
        key, value, position = attribute
        if key in seen:
            continue
        seen.add(key)
        if key == b"http-equiv":
            pragma = value == b"content-type"
        elif key == b"content" and needs_pragma is None:
            match = _CHARSET.search(value)
            label = next((group for group in match.groups() if group is not None), None) if match else None
            found = None if label is None else encoding_name(label.decode("latin-1"))
            if found is not None:
                name, needs_pragma = found, True
        elif key == b"charset":
            name, needs_pragma = encoding_name(value.decode("latin-1")), False
    if name is None or needs_pragma is None or (needs_pragma and not pragma):
        return None, position
    # A document that could be read this far is not in UTF-16.
    return {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}.get(name, name), position


def _after_tag(data: bytes, position: int) -> int:
    match = _AFTER_NAME.search(data, position)
    if match is None:
        raise _EndOfBytesError
    position = match.start()
    while (attribute := _attribute(data, position)) is not None:
        position = attribute[2]
    return data.find(b">", position) if data.find(b">", position) >= 0 else len(data)


def _attribute(data: bytes, position: int) -> tuple[bytes, bytes, int] | None:
    """Name and value in lower case, and the position after them; None at the end of the tag ("get an attribute")."""
    position = _skip(data, position, _BLANKS + b"/")
    if data[position] == 0x3E:
        return None
    start = position
    while data[position] not in _BLANKS + b"/>" and not (data[position] == 0x3D and position > start):
        position = _next(data, position)
    name = data[start:position].lower()
    position = _skip(data, position, _BLANKS)
    if data[position] != 0x3D:
        return name, b"", position
    position = _skip(data, _next(data, position), _BLANKS)
    if data[position] in b"\"'":
        end = data.find(data[position : position + 1], position + 1)
        if end < 0:
            raise _EndOfBytesError
        return name, data[position + 1 : end].lower(), end + 1
    start = position
    while data[position] not in _BLANKS + b">":
        position = _next(data, position)
    return name, data[start:position].lower(), position


def _skip(data: bytes, position: int, what: bytes) -> int:
    while position < len(data) and data[position] in what:
        position += 1
    if position >= len(data):
        raise _EndOfBytesError
    return position


def _next(data: bytes, position: int) -> int:
    if position + 1 >= len(data):
        raise _EndOfBytesError
    return position + 1


def _after(data: bytes, what: bytes, position: int) -> int:
    found = data.find(what, position)
    if found < 0:
        raise _EndOfBytesError
    return found + len(what)
