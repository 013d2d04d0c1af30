"""Percent-encoding (RFC 3986, 2.1) as far as identity needs it, and no further."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote_from_bytes, unquote_plus, unquote_to_bytes

_NOT_FOR_THE_WIRE = re.compile(r"[ \\\x80-\U0010ffff]+")
_ESCAPE = re.compile(rb"%[0-9A-Fa-f]{2}")
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_PERCENT: Final = ord("%")
_PRINTABLE: Final = bytes(byte for byte in range(0x21, 0x7F) if byte not in b"#%")


def encode_for_wire(text: str) -> str:
    """Encode a raw space, a backslash and non-ASCII (as UTF-8); leave everything else as it stands.

    What cannot travel in a request target otherwise is encoded and nothing more: `|`, `%zz`, quotes,
    brackets and dot segments stay. Expects text without lone surrogates and without controls.
    """
    if _NOT_FOR_THE_WIRE.search(text) is None:
        return text
    return _NOT_FOR_THE_WIRE.sub(lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode()), text)


def decode_key(key: str) -> str:
    """Name of a query parameter as a server reads it (application/x-www-form-urlencoded), for comparison only."""
    return unquote_plus(key) if "%" in key or "+" in key else key


def unescape_fully(data: bytes) -> bytes:
    """Undo percent-encoding until nothing is left to undo, in linear time.

    Two escapes never share a character and every step shortens the text, so the order of steps does
    not matter: one pass over a stack gives what repeated decoding gives, which takes quadratic time
    on `%252525…`.
    """
    if _PERCENT not in data:
        return data
    once = unquote_to_bytes(data)
    if _ESCAPE.search(once) is None:
        return once
    stack = bytearray()
    for byte in once:
        stack.append(byte)
        while len(stack) > 2 and stack[-3] == _PERCENT and stack[-1] in _HEX and stack[-2] in _HEX:
            stack[-3:] = bytes((int(stack[-2:], 16),))
    return bytes(stack)


def escape_once(data: bytes) -> bytes:
    """Encode what is not printable ASCII, and `#` and `%`, so that no fully unescaped text looks like another."""
    return quote_from_bytes(data, safe=_PRINTABLE).encode("ascii")
