"""Encodings of one byte a character (Encoding Standard, 9.1), as translation tables over Latin-1."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import webencodings

_CORRECTIONS: Final[Mapping[str, Mapping[int, str]]] = MappingProxyType(
    {
        "koi8-u": {0xAE: "\u045e", 0xBE: "\u040e"},
        "x-mac-cyrillic": {0xA2: "\u0490", 0xB6: "\u0491", 0xFF: "\u20ac"},
        "windows-1255": {0xCA: "\u05ba"},
    }
)
"""Where the standard's index and CPython's table of the same name differ."""


def decode_single_bytes(data: bytes, name: str) -> str:
    """Decode with the index of a single-byte encoding. LookupError for any other name."""
    if data.isascii():
        return data.decode("ascii")
    return data.decode("latin-1").translate(_table(name))


@functools.cache
def _table(name: str) -> Mapping[int, str]:
    encoding = webencodings.lookup(name)
    if encoding is None:
        raise LookupError(f"no encoding named {name[:40]!r}")
    corrections = _CORRECTIONS.get(name, {})
    table = {}
    for byte in range(0x80, 0x100):
        if name == "x-user-defined":
            character = chr(0xF780 + byte - 0x80)
        else:
            character = corrections.get(byte) or encoding.codec_info.decode(bytes([byte]), "replace")[0]
        if character == "\ufffd" and byte < 0xA0:
            character = chr(byte)  # the windows-125x indexes have C1 controls where CPython has nothing
        table[byte] = character
    return table
