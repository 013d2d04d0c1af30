"""Offsets in other units than ours: code points to and from UTF-16 code units and UTF-8 bytes (C17).

Stored offsets are code points. JavaScript counts UTF-16 code units, files count bytes; whoever hands an offset in says
which of them it is, and one that falls within a character is refused, never rounded.
"""

from __future__ import annotations

from enum import StrEnum


class OffsetUnit(StrEnum):
    """What an offset counts."""

    CODE_POINT = "unicode_code_point"
    UTF16 = "utf16_code_unit"
    UTF8 = "utf8_byte"


_WIDTH = {OffsetUnit.UTF16: ("utf-16-le", 2), OffsetUnit.UTF8: ("utf-8", 1)}


def to_code_points(text: str, offset: int, unit: OffsetUnit) -> int | None:
    """Code points before an offset of another unit. None: outside of the text, or within a character."""
    if unit is OffsetUnit.CODE_POINT:
        return offset if 0 <= offset <= len(text) else None
    encoding, width = _WIDTH[unit]
    # A character has at least one unit, so that many characters reach as far as the offset.
    data = text[: max(0, offset)].encode(encoding)
    if not 0 <= offset * width <= len(data):
        return None
    try:
        return len(data[: offset * width].decode(encoding))
    except UnicodeDecodeError:
        return None


def from_code_points(text: str, offset: int, unit: OffsetUnit) -> int:
    """The same place in another unit. ValueError outside of the text."""
    if not 0 <= offset <= len(text):
        raise ValueError(f"no place {offset} in a text of {len(text)} code points")
    if unit is OffsetUnit.CODE_POINT:
        return offset
    encoding, width = _WIDTH[unit]
    return len(text[:offset].encode(encoding)) // width
