"""GB18030, and GBK which the standard decodes by the same rules (Encoding Standard, 10)."""

from __future__ import annotations

import codecs
import functools
from collections.abc import Mapping
from typing import Final

_DIFFERENCES: Final = (
    ("a3a0", "\u3000"),
    ("a6d9", "\ufe10"),
    ("a6da", "\ufe12"),
    ("a6db", "\ufe11"),
    ("a6dc", "\ufe13"),
    ("a6dd", "\ufe14"),
    ("a6de", "\ufe15"),
    ("a6df", "\ufe16"),
    ("a6ec", "\ufe17"),
    ("a6ed", "\ufe18"),
    ("a6f3", "\ufe19"),
    ("a8bc", "\u1e3f"),
    ("fe59", "\u9fb4"),
    ("fe61", "\u9fb5"),
    ("fe66", "\u9fb6"),
    ("fe67", "\u9fb7"),
    ("fe6d", "\u9fb8"),
    ("fe7e", "\u9fb9"),
    ("fe90", "\u9fba"),
    ("fea0", "\u9fbb"),
)
"""Sequences that CPython gives private-use characters for, which no other sequence of the standard gives."""
_DIGITS = range(0x30, 0x3A)
_ERRORS = "citevault-gb18030"


def decode_gb18030(data: bytes) -> str:
    """Decode, what is broken as U+FFFD by the standard's rules of how much a broken sequence takes."""
    if data.isascii():
        return data.decode("ascii")
    codecs.register_error(_ERRORS, _resume)  # again is harmless, and an import must not do it
    return data.decode("gb18030", _ERRORS).translate(_corrections())


@functools.cache
def _corrections() -> Mapping[int, str]:
    return {ord(bytes.fromhex(pair).decode("gb18030")): character for pair, character in _DIFFERENCES}


def _resume(error: UnicodeError) -> tuple[str, int]:
    """What stands for a broken sequence, and where to read on."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data, start = error.object, error.start
    if data[start] == 0x80:
        return "\u20ac", start + 1
    second = data[start + 1] if start + 1 < len(data) else None
    if data[start] == 0xFF or second is None or (second < 0x80 and second not in _DIGITS):
        return "\ufffd", start + 1
    if second >= 0x80:
        return "\ufffd", start + 2
    rest = data[start + 2 : start + 4]
    if len(rest) == 2 and 0x81 <= rest[0] <= 0xFE and rest[1] in _DIGITS:
        return "\ufffd", start + 4  # a whole sequence that means nothing
    return "\ufffd", len(data) if _cut_off(rest) else start + 1


def _cut_off(rest: bytes) -> bool:
    """Whether the data ends within a four-byte sequence that was right so far."""
    return len(rest) == 0 or (len(rest) == 1 and 0x81 <= rest[0] <= 0xFE)
