"""Encoding name to decoder. UTF-8 and UTF-16 are here too, so that one function decodes everything."""

from __future__ import annotations

from workers.extract.legacy.double_byte import decode_pairs, pair_table
from workers.extract.legacy.gb18030 import decode_gb18030
from workers.extract.legacy.iso_2022_jp import decode_iso_2022_jp
from workers.extract.legacy.single_byte import decode_single_bytes

_PAIRS = frozenset({"big5", "shift_jis", "euc-jp", "euc-kr"})
_UNICODE = frozenset({"utf-8", "utf-16le", "utf-16be"})


def decode_legacy(data: bytes, name: str) -> str:
    """Decode by the standard's name of an encoding (lower case), what is broken as U+FFFD; a byte order mark stays.

    Raises LookupError for a name that the standard does not have.
    """
    if name in _UNICODE:
        return data.decode(name, "replace")
    if name in _PAIRS:
        return decode_pairs(data, pair_table(name))
    if name in ("gbk", "gb18030"):
        return decode_gb18030(data)
    if name == "iso-2022-jp":
        return decode_iso_2022_jp(data)
    if name == "replacement":
        return "\ufffd" if data else ""
    return decode_single_bytes(data, name)
