"""Archive and checker turn bytes into words by code of their own: for every encoding of the web they see the same.

A quote is words of the text that `workers.extract` read. Where the checker reads other words, an honest capture is
refused by `bundle.quote-not-in-payload`.
"""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from webencodings.labels import LABELS

from validator.charset import readings
from validator.payload_words import Match, PayloadWords, read_words
from workers.extract.charset import decode_text
from workers.extract.legacy import decode_legacy
from workers.extract.prescan import encoding_name

NAMES = sorted({str(encoding_name(label)) for label in LABELS} - {"replacement"})
"""The standard's names; of `replacement` no text is made."""
TWO_BYTES = ["big5", "euc-jp", "euc-kr", "gb18030", "gbk", "shift_jis"]
SENTENCES = {
    "big5": "閥門在四十毫秒內關閉，堃先生說。",
    "euc-jp": "弁は①秒で閉まる、と髙橋﨑氏は言う。ﾊﾞﾙﾌﾞ",
    "euc-kr": "밸브는 사십 밀리초 안에 닫힌다. 똠방각하",
    "gb18030": "阀门在四十毫秒内关闭，㐀𠀀说。",
    "gbk": "阀门在四十毫秒内关闭，镕先生说。",
    "iso-2022-jp": "弁は①秒で閉まる。",
    "shift_jis": "弁は①秒で閉まる、と髙橋﨑氏は言う。ﾊﾞﾙﾌﾞ",
    "koi8-u": "Клапан закривається за сорок мілісекунд",
    "ibm866": "Клапан закрывается за сорок миллисекунд",
    "iso-8859-2": "Zawór zamyka się w ciągu czterdziestu milisekund",
    "iso-8859-5": "Клапан закрывается",
    "iso-8859-6": "يغلق الصمام",
    "iso-8859-7": "Η βαλβίδα κλείνει",
    "iso-8859-8": "השסתום נסגר",
    "iso-8859-15": "L’œuvre coûte 40 €".replace("’", "'"),
    "macintosh": "La vanne se ferme à l’été",
    "utf-8": "Das Ventil schließt in 40 ms 🤔",
    "utf-16be": "Das Ventil schließt — 弁",
    "utf-16le": "Das Ventil schließt — 弁",
    "windows-1250": "Ventil se zavře za čtyřicet milisekund",
    "windows-1251": "Клапан «закрывается» за сорок миллисекунд",
    "windows-1252": "Das Ventil „schließt“ — naïve",
    "windows-1253": "Η βαλβίδα κλείνει",
    "windows-1254": "Vana kırk milisaniyede kapanır, ğüşİ",
    "windows-1255": "השסתום נסגר",
    "windows-1256": "يغلق الصمام",
    "windows-1257": "Vārsts aizveras četrdesmit",
    "windows-1258": "Van đóng",
    "windows-874": "วาล์วปิดใน",
    "x-mac-cyrillic": "Клапан закрывается",
}
CODECS = {"big5": "big5hkscs", "shift_jis": "cp932", "euc-kr": "cp949", "macintosh": "mac_roman", "ibm866": "cp866"}
CODECS |= {"windows-874": "cp874", "x-mac-cyrillic": "mac_cyrillic", "utf-16be": "utf-16-be", "utf-16le": "utf-16-le"}


def encode(text: str, name: str) -> bytes:
    """Bytes that mean `text`; characters that Python's codec lacks in the vendors' rows by way of CP932."""
    if name in ("euc-jp", "iso-2022-jp"):
        pairs = [encode_jis(c) for c in text]
        if name == "euc-jp":
            return b"".join(bytes(b | 0x80 for b in pair) if len(pair) == 2 else b"\x8e" + pair for pair in pairs)
        return b"\x1b$B" + b"".join(pairs) + b"\x1b(B"
    return text.encode(CODECS.get(name, name))


def encode_jis(character: str) -> bytes:
    data = character.encode("cp932")
    if len(data) == 1:
        return data
    lead, trail = data[0] - (0x81 if data[0] < 0xA0 else 0xC1), data[1]
    if data[0] >= 0xFA:  # of IBM's rows EUC-JP has NEC's selection
        return {"髙": b"\x7c\x62", "﨑": b"\x79\x53"}[character]
    row, cell = (2 * lead + 2, trail - 0x9E) if trail >= 0x9F else (2 * lead + 1, trail - 0x3F - (trail > 0x7F))
    return bytes((row + 0x20, cell + 0x20))


def words(text: str) -> str:
    return "".join(re.findall(r"\w", text))


@pytest.mark.parametrize("name", SENTENCES)
def test_a_sentence_is_found_under_the_charset_that_the_archive_records(name: str) -> None:
    """The text that the archive reads stands in the payload as the checker reads it."""
    sentence = SENTENCES[name]
    tag = CODECS[name] if name.startswith("utf-16") else "ascii"
    data = "<p>".encode(tag) + encode(sentence, name) + "</p>".encode(tag)
    text = decode_text(data, header=name, markup=True)
    assert text.charset == name
    assert text.broken == 0
    assert text.text == f"<p>{sentence}</p>"
    found = read_words(data, f"text/html; charset={name}", text.charset)
    assert isinstance(found, PayloadWords), found
    assert found.find(sentence) is Match.ADJACENT


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_the_standard_is_known(name: str) -> None:
    assert readings(b"plain", name) if not name.startswith("utf-16") else readings(b"p\0", name)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("utf-")])
def test_every_byte_gives_the_same_letters(name: str) -> None:
    for byte in range(0x80, 0x100):
        data = bytes((0x20, byte, 0x20, 0x20))
        assert words(readings(data, name)[0]) == words(decode_legacy(data, name)), data


@pytest.mark.parametrize("name", TWO_BYTES)
def test_every_pair_of_bytes_gives_the_same_letters(name: str) -> None:
    different = []
    for lead in range(0x80, 0x100):
        for trail in range(0x20, 0x100):
            data = bytes((0x20, lead, trail)) + b"  a"
            if words(readings(data, name)[0]) != words(decode_legacy(data, name)):
                different.append(data)
    assert not different


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=30), st.sampled_from([*NAMES]))
def test_where_a_broken_sequence_ends_is_seen_alike(data: bytes, name: str) -> None:
    """Also of a page with some broken characters the rest is quoted. The end is a whole one: no page stops within."""
    whole = b" " + data.replace(b"\x1b", b"") + b"    "
    if name.startswith("utf-16"):
        whole = whole[: len(whole) // 2 * 2]
    assert words(readings(whole, name)[0]) == words(decode_legacy(whole, name))
