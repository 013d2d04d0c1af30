"""Legacy encodings, pointer by pointer, and where bytes are broken (Encoding Standard, 9 to 14)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.extract.legacy import decode_legacy

NAMES = [
    "utf-8", "utf-16le", "utf-16be", "big5", "shift_jis", "euc-jp", "euc-kr", "gbk", "gb18030", "iso-2022-jp",
    "replacement", "x-user-defined", "koi8-u", "x-mac-cyrillic", "macintosh", "ibm866", "windows-874", "iso-8859-8-i",
    *(f"windows-125{n}" for n in range(9)), *(f"iso-8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
]  # fmt: skip


@pytest.mark.parametrize("name", ["big5", "gb18030", "shift_jis"])
def test_every_pointer_decodes_as_the_standard_says(conformance_data: Path, name: str) -> None:
    folder = conformance_data / "http/encoding/decode"
    expected = (folder / f"{name}_in_ref.txt").read_bytes().decode("utf-8")
    assert decode_legacy((folder / f"{name}_in.txt").read_bytes(), name) == expected


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("euc-jp", b"\xad\xa1\xa1\xc1\x8f\xb0\xa1\x8e\xb1", "①～丂ｱ"),
        ("euc-jp", b"\xa4\xa2<p>", "あ<p>"),
        ("euc-kr", b"\xb0\xa1\x81\x41", "가갂"),
        ("iso-2022-jp", b'\x1b$B$"-!\x1b(Bok\n', "あ①ok\n"),
        ("iso-2022-jp", b"\x1b(J\\~\x1b(I1\x1b(B.", "¥‾ｱ."),
        ("iso-2022-jp", b"\x1b$B\x1b(B", "\ufffd"),
        ("iso-2022-jp", b'\x1b$B$"\n', "あ\ufffd"),
        ("iso-2022-jp", b"\x80\x0e\x1bx", "\ufffd\ufffd\ufffdx"),
        ("gbk", b"\x80\xc4\xe3", "€你"),
        ("gb18030", b"\x81\x30\x81\x30\xa6\xd9", "\x80︐"),
        ("koi8-u", b"\xae\xbe", "ўЎ"),
        ("x-mac-cyrillic", b"\xa2\xb6\xff", "Ґґ€"),
        ("windows-1252", b"\x80\x81\x9d\x93", "€\x81\x9d“"),
        ("windows-1255", b"\xca\xd9", "\u05ba\ufffd"),
        ("windows-1253", b"\xaa\x81", "\ufffd\x81"),
        ("x-user-defined", b"A\x80\xff", "A\uf780\uf7ff"),
        ("shift_jis", b"\x80\xa0\xb1\xfd", "\x80\ufffdｱ\ufffd"),
        ("replacement", b"anything", "\ufffd"),
        ("replacement", b"", ""),
        ("utf-8", b"\xf0\x90x", "\ufffdx"),
    ],
)
def test_sequences_where_codecs_of_the_same_name_differ(name: str, data: bytes, text: str) -> None:
    assert decode_legacy(data, name) == text


@pytest.mark.parametrize("name", ["big5", "shift_jis", "euc-jp", "euc-kr", "gbk", "gb18030"])
@pytest.mark.parametrize("lead", [b"\x81", b"\x87", b"\xa1", b"\xfe"])
def test_a_broken_character_never_swallows_markup(name: str, lead: bytes) -> None:
    if (name, lead) != ("shift_jis", b"\xa1"):  # a character of its own there
        assert decode_legacy(lead, name) == "\ufffd"
    assert decode_legacy(lead + b"<b>", name).endswith("<b>")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x81\x30\x81", "\ufffd"),
        (b"\x81\x30", "\ufffd"),
        (b"\x81\x30<b>", "\ufffd0<b>"),
        (b"\x81\x30\x81<b>", "\ufffd0\ufffd<b>"),
        (b"\xfe\x39\xfe\x39", "\ufffd"),
        (b"\xff\xffa", "\ufffd\ufffda"),
    ],
)
def test_broken_gb18030_takes_as_much_as_the_standard_says(data: bytes, text: str) -> None:
    assert decode_legacy(data, "gb18030") == text


@given(data=st.binary(max_size=200), name=st.sampled_from(NAMES))
def test_any_bytes_are_text_in_every_encoding(data: bytes, name: str) -> None:
    decode_legacy(data, name).encode("utf-8")


@given(text=st.text(st.characters(max_codepoint=0x7F, min_codepoint=0x20)), name=st.sampled_from(NAMES))
def test_ascii_is_itself_in_every_encoding_that_contains_it(text: str, name: str) -> None:
    if name not in ("utf-16le", "utf-16be", "replacement"):
        assert decode_legacy(text.encode(), name) == text


def test_a_name_that_the_standard_does_not_have_is_refused() -> None:
    with pytest.raises(LookupError):
        decode_legacy(b"\xff", "utf-7")
