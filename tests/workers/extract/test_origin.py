"""From a span of stored text back to the payload's bytes: exactly, or not at all."""

from __future__ import annotations

import pytest

from workers.extract.extraction import Extracted, ExtractionRequest
from workers.extract.origin import Origin, origin_of
from workers.extract.pipeline import extract_payload

WORDS = "Мост открыт снова"


@pytest.mark.parametrize(
    ("content_type", "payload", "charset"),
    [
        ("text/plain; charset=utf-8", f"Заметка.\r\n\u00adСегодня {WORDS}.\r\n".encode(), "utf-8"),
        ("text/plain", b"\xef\xbb\xbf" + f"Заметка. {WORDS}.".encode(), "utf-8"),
        ("text/plain; charset=windows-1251", f"Заметка. {WORDS}.".encode("cp1251"), "cp1251"),
        ("text/plain; charset=utf-16le", f"Заметка. {WORDS}.".encode("utf-16le"), "utf-16le"),
        ("text/html; charset=koi8-r", f"<p>Заметка.<p>Сегодня {WORDS}, говорят.".encode("koi8-r"), "koi8-r"),
    ],
)
def test_a_span_is_found_in_the_bytes(content_type: str, payload: bytes, charset: str) -> None:
    found = extract_payload(payload, ExtractionRequest(content_type=content_type, retrieved_on="2026-11-29"))
    assert isinstance(found, Extracted)
    start = found.text.index(WORDS)
    origin = origin_of(payload, content_type, found.text, start, start + len(WORDS))
    assert isinstance(origin, Origin)
    first, last = origin.payload_bytes
    assert payload[first:last].decode(charset) == WORDS


def test_tags_between_words_are_stepped_over() -> None:
    page = b"<p>It has <b>fourteen</b>&nbsp;gates.</p>"
    origin = origin_of(page, "text/html", "It has fourteen gates.\n", 7, 21)
    assert origin is not None
    assert page[slice(*origin.payload_bytes)] == b"fourteen</b>&nbsp;gates"


@pytest.mark.parametrize(
    ("content_type", "payload"),
    [
        ("text/html", b"<p>fourteen gates</p><p>fourteen gates</p>"),
        ("text/html", b"<p>fifteen gates</p>"),
        ("text/plain", b"other words than the text"),
        ("application/pdf", b"%PDF-1.7"),
    ],
    ids=["twice", "not there", "another text", "no text"],
)
def test_what_is_not_certain_is_not_told(content_type: str, payload: bytes) -> None:
    assert origin_of(payload, content_type, "fourteen gates\n", 0, 14) is None
