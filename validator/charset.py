"""Bytes to characters by an encoding label, as the WHATWG Encoding Standard maps the common ones.

A fixed list: Python knows codecs that are no character encodings, or that take quadratic time, and
the label is a stranger's.
"""

from __future__ import annotations

import re
from typing import Final

from validator import double_byte

_OTHER: Final = {
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "iso8859-1": "cp1252",
    "iso-8859-9": "cp1254",
    "iso-8859-11": "cp874",
    "tis-620": "cp874",
    "windows-874": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "big5": "big5",
    "big5-hkscs": "big5",
    "shift_jis": "shift_jis",
    "shift-jis": "shift_jis",
    "sjis": "shift_jis",
    "windows-31j": "shift_jis",
    "euc-jp": "euc-jp",
    "iso-2022-jp": "iso-2022-jp",
    "euc-kr": "euc-kr",
    "ks_c_5601-1987": "euc-kr",
    "utf8": "utf-8",
    "utf-16": "utf-16-le",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "iso-8859-8-i": "iso8859-8",
    "ibm866": "cp866",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "x-user-defined": "ascii",  # its other characters are of private use, which is in no word
}
_KOI8_U: Final = {0x255D: 0x045E, 0x256C: 0x040E}
"""Where Python has box drawing, the standard's index has a Belarusian letter."""
_SAME: Final = re.compile(r"utf-8|windows-125[0-8]|iso-8859-(?:[2-8]|10|1[3-6])|koi8-[ru]")
_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


def readings(data: bytes, label: str | None) -> list[str]:
    """The texts that these bytes may be, the likeliest first; none where the label is not known here.

    A byte-order mark outranks the label (Encoding Standard, 6). Without a label: UTF-8, or else windows-1252.
    """
    mark = next((codec for start, codec in _MARKS if data.startswith(start)), None)
    codec = _codec(label) if label is not None else None
    if label is not None and codec is None and mark is None:
        return []
    if label is None and mark is None:
        codec = "utf-8" if _is_utf8(data) else "cp1252"
    return [_decoded(data, name) for name in dict.fromkeys((mark, codec)) if name is not None]


def _decoded(data: bytes, codec: str) -> str:
    if codec in double_byte.names():
        return double_byte.decode_double_byte(data, codec)
    if codec == "iso-2022-jp":
        return double_byte.decode_iso_2022_jp(data)
    text = data.decode(codec, "replace")
    return text.translate(_KOI8_U) if codec == "koi8-u" else text


def _codec(label: str) -> str | None:
    name = label.strip().lower()
    return name if _SAME.fullmatch(name) else _OTHER.get(name)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
