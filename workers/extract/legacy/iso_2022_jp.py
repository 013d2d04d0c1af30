"""ISO-2022-JP (Encoding Standard, 12.2): escape sequences switch between ASCII, Roman, katakana and JIS X 0208."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from workers.extract.legacy.double_byte import REPLACEMENT, jis_x_0208

_Mode = Literal["ascii", "roman", "katakana", "pairs"]
_ESCAPES: Final[Mapping[bytes, _Mode]] = MappingProxyType(
    {b"\x1b(B": "ascii", b"\x1b(J": "roman", b"\x1b(I": "katakana", b"\x1b$@": "pairs", b"\x1b$B": "pairs"}
)
_ROMAN: Final = {0x5C: "\u00a5", 0x7E: "\u203e"}


def decode_iso_2022_jp(data: bytes) -> str:
    """Decode, what is broken as U+FFFD."""
    out: list[str] = []
    mode: _Mode = "ascii"
    position = 0
    just_switched = False
    while position < len(data):
        escape = _ESCAPES.get(data[position : position + 3])
        if escape is not None:
            if just_switched:
                out.append(REPLACEMENT)  # an escape without text behind it is an error of the standard
            mode, just_switched = escape, True
            position += 3
            continue
        text, taken = _character(data, position, mode)
        out.append(text)
        just_switched = False
        position += taken
    return "".join(out)


def _character(data: bytes, position: int, mode: _Mode) -> tuple[str, int]:
    """The text at a position, and how many bytes it took."""
    byte = data[position]
    if byte >= 0x80 or byte in (0x0E, 0x0F, 0x1B):
        return REPLACEMENT, 1
    if mode == "katakana":
        return (chr(0xFF61 + byte - 0x21) if 0x21 <= byte <= 0x5F else REPLACEMENT), 1
    if mode == "pairs":
        if not 0x21 <= byte <= 0x7E:
            return REPLACEMENT, 1
        second = data[position + 1] if position + 1 < len(data) else 0
        if second == 0x1B:
            return REPLACEMENT, 1
        if not 0x21 <= second <= 0x7E:
            return REPLACEMENT, 2
        return jis_x_0208(byte - 0x20, second - 0x20) or REPLACEMENT, 2
    if mode == "roman":
        return _ROMAN.get(byte, chr(byte)), 1
    return chr(byte), 1
