"""`Content-Type` as browsers read it, against the suites of the web platform."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.extract.media_type import MediaType, extract_media_type, parse_media_type
from workers.extract.prescan import encoding_name


@pytest.mark.parametrize("name", ["mime-types.json", "generated-mime-types.json"])
def test_a_value_is_parsed_as_mime_sniffing_says(conformance_data: Path, name: str) -> None:
    cases = [c for c in json.loads((conformance_data / "http/mimesniff" / name).read_text()) if isinstance(c, dict)]
    assert len(cases) > 30
    for case in cases:
        parsed = parse_media_type(case["input"])
        assert (str(parsed) if parsed else None) == case["output"], case["input"]
        if case.get("encoding"):
            assert parsed is not None
            assert encoding_name(parsed.charset or "") == case["encoding"].lower()


def test_several_fields_mean_what_fetch_says(conformance_data: Path) -> None:
    cases = json.loads((conformance_data / "http/wpt-fetch/content-types.json").read_text())
    assert len(cases) == 8
    for case in cases:
        values = case["input"] if isinstance(case["input"], list) else [case["input"]]
        assert str(extract_media_type(values)) == case["mimeType"], case["input"]


def test_fields_without_a_type_give_none() -> None:
    assert extract_media_type([]) is None
    assert extract_media_type(["", "html", "*/*"]) is None


def test_a_comma_in_quotes_does_not_end_a_value() -> None:
    assert extract_media_type(['text/plain;x="a,b";charset=utf-8']) == MediaType(
        "text/plain", (("x", "a,b"), ("charset", "utf-8"))
    )


def test_an_endless_header_is_read_to_a_bound() -> None:
    assert extract_media_type(["text/html" + ";a=b" * 500_000]) is not None


@given(st.text(alphabet='text/html;charset="\\utf-8, \t\r\n*xé', max_size=60))
def test_any_value_is_read_without_an_exception(value: str) -> None:
    parsed = extract_media_type([value])
    assert parsed is None or parse_media_type(str(parsed)) == parsed
