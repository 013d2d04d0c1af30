"""Big5, EUC-JP, EUC-KR, GB 18030 and Shift_JIS as the WHATWG Encoding Standard reads them, for words.

Python's codecs know nearly all characters, but not where a broken sequence ends: there the standard reads an ASCII
byte again and no other (10 to 13), and a decoder that does otherwise loses the characters that follow. So
sequences are cut here, and only whole ones are given to a codec.
"""

from __future__ import annotations

import functools
import re
from typing import Final

_PAIR: Final = "[\x81-\xfe][\x00-\xff]?|[\x80-\xff]"
_SEQUENCES: Final = {
    "big5": _PAIR,
    "euc-jp": "\x8f[\xa1-\xfe][\x00-\xff]?|[\x8e\x8f\xa1-\xfe][\x00-\xff]?|[\x80-\xff]",
    "euc-kr": _PAIR,
    "gb18030": f"[\x81-\xfe][0-9][\x81-\xfe][0-9]|{_PAIR}",
    "shift_jis": "[\x81-\x9f\xe0-\xfc][\x00-\xff]?|[\x80-\xff]",
}
_CODECS: Final = {
    "big5": "big5hkscs",
    "euc-jp": "euc_jp",
    "euc-kr": "cp949",
    "gb18030": "gb18030",
    "shift_jis": "cp932",
}
_SETS: Final = (b"(B", b"(J", b"(I", b"$@", b"$B")
_GB18030: Final = str.maketrans(
    "\ue5e5\ue7c7\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
    "\u3000\u1e3f\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
)
"""Letters that Python still has in the private use area, where an older edition put them."""
_BIG5_LETTERS: Final = (
    ("87", "7a㡵 7b𡵓 7c𣚞 7d𦀡 7e㻬 a1𥣞 a2㫵 a3竼 a4龗 a5𤅡 a6𨤍 a7𣇪 a8𠪊 a9𣉞 aa䌊 ab蒄 ac龖 ad鐯"),
    ("87", "ae䤰 af蘓 b0墖 b1靊 b2鈘 b3秐 b4稲 b5晠 b6権 b7袝 b8瑌 b9篅 ba枂 bb稬 bc剏 bd遆 be㓦 bf珄"),
    ("87", "c0𥶹 c1瓆 c2鿇 c3垳 c4䤯 c5呌 c6䄱 c7𣚎 c8堘 c9穲 ca𧭥 cb讏 cc䚮 cd𦺈 ce䆁 cf𥶙 d0箮 d1𢒼"),
    ("87", "d2鿈 d3𢓁 d4𢓉 d5𢓌 d6鿉 d7蔄 d8𣖻 d9䂴 da鿊 db䓡 dc𪷿 dd拁 de灮 df鿋"),
    ("8e", "69箸 6f簆 7e糎 ab緒 b4縝 cd者 d0耨"),
    ("8f", "57菁 69蒨 6e萏 cb覦 cc覩 fe起"),
    ("90", "6d都 7a銹 dc靜 f1響"),
    ("91", "bf鼖"),
    ("92", "44蔃 af兙 b0兛 b1兝 b2兞 c8鍮 d1瑹"),
    ("94", "47浧 ca禛"),
    ("95", "d9邗"),
    ("96", "44靝 ed瀞 fc嬨"),
    ("9b", "76爁 78矗 7b纇 c6駖 de釔 ec惞 f6澶"),
    ("9c", "42輶 53侻 62營 68鄄 6b鷰 77菏 bc尐 bd秣 d0婧"),
    ("9d", "57輋 5a筑 c4拐"),
    ("9e", "a9恢 ef痹 fd汊"),
    ("9f", "60鬮 66鼗 cb僭 d8弌"),
    ("a0", "63蠏 77拎 d5瑨 df煢 e4牐"),
    ("c6", "cf廴 d3无 d5癶 d7隶 df仝"),
    ("fa", "5f倩 66偽 bd包 c5卄 d5卿"),
    ("fb", "48嘅 b8婷 f3幵 f9廐"),
    ("fc", "4f彘 6c悤 b9撐 e2晴 f1杞"),
    ("fd", "b7沜 b8渝 bb港 f1煮"),
    ("fe", "52猪 6f瑜 aa瓩 dd砉"),
)
"""By first byte the second bytes and letters of the standard's index that Python's codec lacks."""


def names() -> frozenset[str]:
    """The encodings that are read here; GBK is read as GB 18030, of which it is a part."""
    return frozenset(_SEQUENCES)


def decode_double_byte(data: bytes, name: str) -> str:
    """Decode, what is broken as U+FFFD."""
    read = functools.partial(_character, name)
    return re.sub(_SEQUENCES[name], lambda match: read(match[0]), data.decode("latin-1"), flags=re.DOTALL)


def decode_iso_2022_jp(data: bytes) -> str:
    """The 7-bit form (12.2): escapes say in which set the bytes up to the next escape are."""
    out = []
    chosen = b"(B"
    for part in re.split(rb"\x1b(\([BJI]|\$[@B])", data):
        if part in _SETS:
            chosen = part
        elif chosen.startswith(b"$"):
            out.append(decode_double_byte(bytes(byte | 0x80 for byte in part), "euc-jp"))
        elif chosen == b"(I":
            out.append(decode_double_byte(bytes(byte | 0x80 for byte in part), "shift_jis"))
        else:
            out.append(part.decode("ascii", "replace"))
    return "".join(out)


@functools.lru_cache(maxsize=100_000)
def _character(name: str, sequence: str) -> str:
    data = sequence.encode("latin-1")
    if name == "gb18030" and data == b"\x80":
        return "\u20ac"
    if name == "big5" and (letter := _big5_letters().get(data)) is not None:
        return letter
    if name == "euc-jp" and len(data) == 2 and data[0] >= 0xA1:
        data, codec = _as_shift_jis(data), "cp932"
    else:
        codec = _CODECS[name]
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return "\ufffd" + (sequence[-1] if sequence[-1] < "\x80" else "")
    return text.translate(_GB18030) if name == "gb18030" else text


def _as_shift_jis(pair: bytes) -> bytes:
    """The same cell of JIS X 0208: Python's EUC-JP lacks the vendors' rows 13 and 89 to 92, its CP932 has them."""
    row, cell = pair[0] - 0xA0, pair[1] - 0xA0
    if not 1 <= cell <= 94:
        return b"\x81"  # the half of one, which decodes in neither
    lead = (row + 1) // 2 + (0x80 if row < 63 else 0xC0)
    if row % 2 == 0:
        return bytes((lead, cell + 0x9E))
    return bytes((lead, cell + (0x3F if cell < 64 else 0x40)))


@functools.cache
def _big5_letters() -> dict[bytes, str]:
    return {
        bytes.fromhex(lead + entry[:2]): entry[2:] for lead, entries in _BIG5_LETTERS for entry in entries.split(" ")
    }
