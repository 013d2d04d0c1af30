"""One payload to one answer: which types are read, and how."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.snapshot import ReaderStatus
from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.extract.options import PLAIN_EXTRACTOR, html_extractor_id
from workers.extract.pipeline import MAX_BYTES, extract_payload


def extract(payload: bytes, content_type: str | None) -> Extracted | NotExtracted:
    return extract_payload(payload, ExtractionRequest(content_type=content_type, retrieved_on="2026-11-29"))


@pytest.mark.parametrize(
    ("content_type", "payload", "extractor"),
    [
        ("text/html", b"<p>x</p>", "html"),
        ("application/xhtml+xml", b"<html xmlns='http://www.w3.org/1999/xhtml'><body><p>x</p></body></html>", "html"),
        ("TEXT/HTML;charset=x", b"<p>x</p>", "html"),
        ("text/plain", b"<p>x</p>", "plain"),
        ("text/markdown; charset=utf-8", b"# x", "plain"),
        ("application/json", b'{"x": 1}', "plain"),
        ("application/ld+json", b'{"x": 1}', "plain"),
        (None, b" <!DOCTYPE HTML><p>x", "html"),
        (None, b"<!-- c --><p>x", "html"),
        (None, b"just text", "plain"),
        ("nonsense", b"<html >x", "html"),
    ],
)
def test_a_type_goes_to_its_extractor(content_type: str | None, payload: bytes, extractor: str) -> None:
    found = extract(payload, content_type)
    assert isinstance(found, Extracted)
    assert found.extractor == (PLAIN_EXTRACTOR if extractor == "plain" else html_extractor_id())


@pytest.mark.parametrize(
    ("content_type", "payload", "reason"),
    [
        ("application/zip", b"PK", "media-type.application/zip"),
        ("image/png", b"\x89PNG", "media-type.image/png"),
        ("application/octet-stream", b"<p>x", "media-type.application/octet-stream"),
        ("image/svg+xml", b"<svg/>", "media-type.image/svg+xml"),
        ("text/plain", b"\x00\x01\x02binary", "media-type.text/plain"),
        (None, b" %PDF-1.7", "media-type.undeclared"),
        (None, b"\x7fELF\x00", "media-type.undeclared"),
    ],
)
def test_what_nothing_reads_is_unsupported_by_name(content_type: str | None, payload: bytes, reason: str) -> None:
    assert extract(payload, content_type) == NotExtracted(status=ReaderStatus.UNSUPPORTED_TYPE, reason=reason)


def test_plain_text_is_kept_as_it_is_in_text_v1() -> None:
    found = extract("\ufeffline one  \r\nÅ\ttwo\r\n\r\n".encode(), "text/plain")
    assert isinstance(found, Extracted)
    assert (found.text, found.charset, found.charset_source) == ("line one\nÅ\ttwo\n", "utf-8", "bom")


def test_utf_16_text_is_no_binary_data() -> None:
    found = extract("\ufeffÜber uns".encode("utf-16-le"), "text/plain")
    assert isinstance(found, Extracted)
    assert found.text == "Über uns\n"


def test_the_replacement_encoding_is_refused() -> None:
    found = extract(b"<p>x", "text/html; charset=iso-2022-kr")
    assert found == NotExtracted(status=ReaderStatus.EXTRACT_FAILED, reason="charset.replacement")


def test_a_payload_above_the_limit_is_refused_before_it_is_decoded() -> None:
    found = extract(b"a" * (MAX_BYTES + 1), "text/plain")
    assert found == NotExtracted(status=ReaderStatus.EXTRACT_FAILED, reason=f"payload.larger-than-{MAX_BYTES}-bytes")


def test_a_lone_surrogate_in_metadata_becomes_a_replacement_character() -> None:
    page = b'<script type="application/ld+json">{"@type":"Article","headline":"a\\ud800b"}</script><p>x</p>'
    found = extract(page, "text/html")
    assert isinstance(found, Extracted)
    assert found.title == "a\ufffdb"


@given(st.binary(max_size=300), st.sampled_from(["text/html", "text/plain", "application/json", None]))
def test_any_payload_gives_an_answer_that_survives_the_pipe(payload: bytes, content_type: str | None) -> None:
    found = extract(payload, content_type)
    assert type(found).model_validate_json(found.model_dump_json()) == found
