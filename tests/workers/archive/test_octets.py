"""Octets and text as values of warc-fields."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.archive.octets import decode_octets, encode_octets, one_line, read_fields, write_fields


@given(st.binary(max_size=300))
def test_octets_come_back(data: bytes) -> None:
    token = encode_octets(data)
    assert all(0x20 < ord(character) < 0x7F for character in token)
    assert decode_octets(token) == data


@pytest.mark.parametrize("token", ["%", "%4", "%zz", "a b", "é", "%41", "%2f", "a\r\n", "%0d"])
def test_only_the_one_form_is_read(token: str) -> None:
    """`%41` would be `A`, `%2f` is lower case: not what is written, so not what is read."""
    assert decode_octets(token) is None


@given(st.text(max_size=200))
def test_text_stays_on_its_line(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert read_fields(write_fields([("note", line)])) == (("note", line),)


@given(st.binary(max_size=200))
def test_reading_fields_never_raises(block: bytes) -> None:
    fields = read_fields(block)
    assert fields is None or write_fields(fields) == block


@pytest.mark.parametrize("block", [b"a: b", b"a:b\r\n", b": b\r\n", b"a: b\r\n\r\n", b"a: \xff\r\n", b"a\r\n"])
def test_other_forms_are_refused(block: bytes) -> None:
    assert read_fields(block) is None
