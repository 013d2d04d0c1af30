"""PDF to text, page by page, by PDFium; where each page begins is kept, so that a locator can name it (R078).

A document is read whole or not at all: a text without some of its pages would be cited as the document's. Scans have no
text and are `empty`; nothing here recognises letters in pictures. Scripts and forms of a document are not run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

import pypdfium2
import pypdfium2.raw as pdfium

from schemas.records.snapshot import Heading
from schemas.text_v1 import normalize
from workers.extract.dates import iso_date
from workers.extract.headings import locate_headings
from workers.extract.links import Links, collect_links
from workers.extract.options import MAX_CHARACTERS, MAX_PDF_PAGES
from workers.extract.pdf_links import MAX_ANNOTATIONS, page_hrefs
from workers.extract.plain import without_surrogates

MAX_OUTLINE: Final = 500
"""Entries of the outline that are looked for in the text."""
_LINE_BREAK_HYPHEN = "\ufffe"
"""What PDFium writes for a hyphen at a line's end, after which it joins the lines."""
_DATE = re.compile(r"D:(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?(Z|[+-]\d{2}'?\d{2})?")
_REASONS: Final = {
    pdfium.FPDF_ERR_PASSWORD: "pdf.encrypted",
    pdfium.FPDF_ERR_SECURITY: "pdf.encrypted",
    pdfium.FPDF_ERR_FORMAT: "pdf.damaged",
}


@dataclass(frozen=True, slots=True)
class PdfContent:
    """`text` is in text-v1; `pages[i]` is where page i + 1 begins in it, in code points."""

    text: str
    pages: tuple[int, ...]
    headings: tuple[Heading, ...]
    title: str | None
    author: str | None
    published_at: str | None
    modified_at: str | None
    links: Links


@dataclass(frozen=True, slots=True)
class NoPdf:
    """Why nothing could be made of a document."""

    reason: str


def extract_pdf(data: bytes, *, latest: date) -> PdfContent | NoPdf:
    """Read a document that was retrieved on the day `latest` (UTC)."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        return NoPdf(_REASONS.get(getattr(error, "err_code", None) or 0, "pdf.unreadable"))
    try:
        return _read(document, latest)
    except pypdfium2.PdfiumError:
        return NoPdf("pdf.damaged-page")
    finally:
        document.close()


def _read(document: pypdfium2.PdfDocument, latest: date) -> PdfContent | NoPdf:
    if len(document) > MAX_PDF_PAGES:
        return NoPdf(f"pdf.more-than-{MAX_PDF_PAGES}-pages")
    texts: list[str] = []
    starts: list[int] = []
    hrefs: list[str] = []
    position = 0
    for number in range(len(document)):
        page = document[number]
        raw = _page_text(page, MAX_CHARACTERS - position)
        hrefs += page_hrefs(document, page, MAX_ANNOTATIONS - len(hrefs))
        page.close()
        if raw is None:
            return NoPdf(f"text.larger-than-{MAX_CHARACTERS}-characters")
        starts.append(position)
        texts.append(normalize(without_surrogates(raw).strip()).text)
        position += len(texts[-1])
    text = "".join(texts)
    said = document.get_metadata_dict()
    return PdfContent(
        text=text,
        pages=tuple(starts),
        headings=locate_headings(_outline(document), text),
        title=said.get("Title") or None,
        author=said.get("Author") or None,
        published_at=_iso(said.get("CreationDate", ""), latest),
        modified_at=_iso(said.get("ModDate", ""), latest),
        links=_links(hrefs),
    )


def _links(hrefs: list[str]) -> Links:
    found = collect_links((href, "") for href in hrefs)
    return found if len(hrefs) < MAX_ANNOTATIONS else replace(found, complete=False)


def _page_text(page: pypdfium2.PdfPage, most: int) -> str | None:
    """None where it has more characters than that."""
    part = page.get_textpage()
    try:
        count = part.count_chars()
        if count > most:
            return None
        return str(part.get_text_range()).replace(_LINE_BREAK_HYPHEN, "") if count else ""
    finally:
        part.close()


def _outline(document: pypdfium2.PdfDocument) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for bookmark in document.get_toc(max_depth=6):
        title = " ".join(without_surrogates(bookmark.get_title() or "").split())
        if title:
            found.append((min(6, bookmark.level + 1), title))
        if len(found) == MAX_OUTLINE:
            break
    return found


def _iso(value: str, latest: date) -> str | None:
    """`D:20260102030405+01'00'` (ISO 32000-1, 7.9.4) as ISO 8601."""
    found = _DATE.match(value)
    if found is None:
        return None
    day = f"{found[1]}-{found[2]}-{found[3]}"
    if found[4] is None:
        return iso_date(day, latest)
    zone = (found[7] or "").replace("'", "")
    zone = f"{zone[:3]}:{zone[3:]}" if len(zone) == 5 else zone
    return iso_date(f"{day}T{found[4]}:{found[5]}:{found[6] or '00'}{zone}", latest)
