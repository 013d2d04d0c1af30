"""PDF to text: pages and where they begin, what a document says of itself, and documents that are made to harm."""

from __future__ import annotations

import itertools
from datetime import date

import pytest

from deploy.bombs import pdfs
from schemas.text_v1 import is_normalized
from workers.cite.locator import page_of
from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.extract.links import MAX_LINKS
from workers.extract.options import MAX_PDF_PAGES, pdf_extractor_id
from workers.extract.pdf import NoPdf, PdfContent, extract_pdf
from workers.extract.pdf_links import MAX_ANNOTATIONS
from workers.extract.pipeline import extract_payload

LATEST = date(2026, 11, 29)
PAGES = [["The barrier has fourteen gates.", "Each is wide."], [], ["It was closed twice,", "in March and in May."]]
INFO = b"/Title (Of barriers) /Author (Ada Example) /CreationDate (D:20260301080910+01'00') /ModDate (D:20260302)"


def test_each_page_begins_where_the_text_says() -> None:
    found = extract_pdf(pdfs.text_document(PAGES), latest=LATEST)
    assert isinstance(found, PdfContent)
    assert is_normalized(found.text)
    assert len(found.pages) == 3
    starts = [*found.pages, len(found.text)]
    assert [found.text[start:end] for start, end in itertools.pairwise(starts)] == [
        "The barrier has fourteen gates.\nEach is wide.\n",
        "",
        "It was closed twice,\nin March and in May.\n",
    ]
    assert page_of(found.pages, found.text.index("closed")) == 3
    assert page_of(found.pages, 0) == 1


def test_a_document_says_who_wrote_it_and_when() -> None:
    found = extract_pdf(pdfs.text_document(PAGES, INFO), latest=LATEST)
    assert isinstance(found, PdfContent)
    assert (found.title, found.author) == ("Of barriers", "Ada Example")
    assert (found.published_at, found.modified_at) == ("2026-03-01T08:09:10+01:00", "2026-03-02")
    tomorrow = extract_pdf(pdfs.text_document(PAGES, INFO), latest=date(2025, 1, 1))
    assert isinstance(tomorrow, PdfContent)
    assert tomorrow.published_at is None


@pytest.mark.parametrize("content_type", ["application/pdf", None])
def test_a_pdf_is_read_by_its_type_or_where_none_is_declared_by_its_first_bytes(content_type: str | None) -> None:
    request = ExtractionRequest(content_type=content_type, retrieved_on="2026-11-29")
    found = extract_payload(pdfs.text_document(PAGES, INFO), request)
    assert isinstance(found, Extracted)
    assert (found.extractor, found.media_type, found.charset) == (pdf_extractor_id(), "application/pdf", None)
    assert found.published_source == "pdf:CreationDate"
    assert found.pages[2] == found.text.index("It was closed")


def test_what_calls_itself_a_pdf_and_is_none_has_no_text() -> None:
    request = ExtractionRequest(content_type="application/pdf", retrieved_on="2026-11-29")
    found = extract_payload(b"<html>Please log in.</html>", request)
    assert isinstance(found, NotExtracted)
    assert (found.status, found.reason) == ("extract_failed", "pdf.damaged")


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (pdfs.encrypted(), "pdf.encrypted"),
        (pdfs.looped_pages(), "pdf.damaged-page"),
        (pdfs.deep_pages(20_000), "pdf.damaged-page"),
        (pdfs.many_pages(MAX_PDF_PAGES + 1), f"pdf.more-than-{MAX_PDF_PAGES}-pages"),
        (pdfs.document([b"<< >>"], sound=False), "pdf.damaged"),
        (pdfs.deep_object(200_000), "pdf.unreadable"),
    ],
    ids=["encrypted", "loop", "deep tree", "many pages", "nothing", "deep array"],
)
def test_a_document_that_cannot_be_read_whole_has_no_text_and_says_why(document: bytes, reason: str) -> None:
    found = extract_pdf(document, latest=LATEST)
    assert isinstance(found, NoPdf)
    assert found.reason == reason or (found.reason.startswith("pdf.") and "pages" not in reason)


@pytest.mark.parametrize("document", [pdfs.giant_image(2**30), pdfs.claimed_pages(2**31 - 1)], ids=["image", "claims"])
def test_pictures_are_not_unpacked_and_claims_not_believed(document: bytes) -> None:
    found = extract_pdf(document, latest=LATEST)
    assert isinstance(found, PdfContent)
    assert (found.text, found.pages) == ("", (0,))


def test_a_table_of_places_that_names_itself_is_read_once() -> None:
    found = extract_pdf(pdfs.looped_tables(), latest=LATEST)
    assert isinstance(found, PdfContent)
    assert found.text == "words\n"


def test_a_document_links_to_what_its_annotations_name() -> None:
    """R058: copies of a document are known by what they link to, too."""
    uris = [b"https://example.org/a(1)", b"b.html", b"mailto:ada@example.org", b"https://example.org/a(1)", b"\xff/"]
    request = ExtractionRequest(content_type="application/pdf", retrieved_on="2026-11-29")
    found = extract_payload(pdfs.linked([*uris, b"x" * 3_000]), request)
    assert isinstance(found, Extracted)
    assert (found.links, found.nofollow_links, found.links_complete) == (
        ("https://example.org/a(1)", "b.html"),
        (),
        True,
    )


def test_links_of_a_document_are_bounded_and_it_says_so() -> None:
    many = extract_pdf(pdfs.linked([b"/%d" % number for number in range(MAX_LINKS + 1)]), latest=LATEST)
    assert isinstance(many, PdfContent)
    assert (len(many.links.hrefs), many.links.complete) == (MAX_LINKS, False)
    same = extract_pdf(pdfs.many_links(MAX_ANNOTATIONS + 1), latest=LATEST)
    assert isinstance(same, PdfContent)
    assert (same.links.hrefs, same.links.complete) == (("https://example.org/",), False)
