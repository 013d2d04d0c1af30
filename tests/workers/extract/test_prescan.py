"""Declarations in the document (HTML Standard, 13.2.3.2) and labels (Encoding Standard, 4.2)."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.extract.charset import PRESCAN_BYTES, CharsetSource, declaration, decode_text
from workers.extract.prescan import declared_in_markup, declared_in_xml, encoding_name


def test_every_label_names_the_encoding_that_the_standard_says(conformance_data: Path) -> None:
    labels = json.loads((conformance_data / "http/encoding/labels.json").read_text())
    assert len(labels) > 100
    for entry in labels:
        assert encoding_name(f" {entry['label'].upper()}\n") == entry["name"].lower()


@pytest.mark.parametrize("suite", ["html5lib-tests1.json", "html5lib-tests2.json"])
def test_pages_declare_what_html5lib_expects(conformance_data: Path, suite: str) -> None:
    cases = json.loads((conformance_data / "http/encoding" / suite).read_text())
    assert len(cases) >= 10
    for case in cases:
        page = case["data_latin1"].encode("latin-1")
        decoded = decode_text(page, header=None, markup=True)
        # The suite ends in windows-1252 where nothing is declared; here valid UTF-8 comes before that.
        undeclared = decoded.source in (CharsetSource.UTF8, CharsetSource.DETECTED, CharsetSource.DEFAULT)
        assert encoding_name(case["encoding"]) == ("windows-1252" if undeclared else decoded.charset), page[:200]


def test_a_meta_beyond_the_prescan_is_found_and_told_apart() -> None:
    page = b"<html><head>" + b"<!-- " + b"x" * PRESCAN_BYTES + b" --><meta charset=koi8-r>"
    assert declaration(page) == ("koi8-r", CharsetSource.LATE_META)
    assert declaration(b"<meta charset=koi8-r>") == ("koi8-r", CharsetSource.META)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b'<?xml version="1.0" encoding="Shift_JIS"?><html>', "shift_jis"),
        (b"<?xml encoding = 'windows-1251' ?><html>", "windows-1251"),
        (b'<?xml version="1.0" encoding="utf-16"?><html>', "utf-8"),
        (b'<?xml version="1.0"?><html encoding="koi8-r">', None),
        (b'<?xml encoding="ko i8-r"?>', None),
        (b'<?xml encoding="koi8-r"', None),
        (b' <?xml encoding="koi8-r"?>', None),
        ('<?xml version="1.0"?>'.encode("utf-16-le"), "utf-16le"),
        ('<?xml version="1.0"?>'.encode("utf-16-be"), "utf-16be"),
    ],
)
def test_an_xml_declaration_is_read(page: bytes, expected: str | None) -> None:
    assert declared_in_xml(page) == expected


def test_user_defined_and_utf_16_cannot_be_declared_within() -> None:
    assert declared_in_markup(b"<meta charset=x-user-defined>") == "windows-1252"
    assert declared_in_markup(b"<meta charset=utf-16be>") == "utf-8"


def test_a_label_that_is_none_gives_none() -> None:
    assert encoding_name("no-such") is None
    assert encoding_name("utf-8\u212a") is None
    assert encoding_name("x" * 1000) is None


@given(st.text(alphabet="<>!-/?metachrs= \"'utf-8;", max_size=80))
def test_any_markup_is_scanned_without_an_exception(text: str) -> None:
    declared_in_markup(text.encode())


def test_an_endless_tag_is_scanned_in_bounded_time() -> None:
    assert declaration(b"<meta " + b"a" * 10_000_000) is None
    assert declaration(b"<a b='" * 1_000_000) is None
