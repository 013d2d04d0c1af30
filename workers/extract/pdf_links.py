"""Addresses that a page of a PDF links to: the URI actions of its link annotations (ISO 32000-1, 12.5.6.5, 12.6.4.7).

Links to another page of the document, or to a file, lead to no web page. Addresses that are only printed are text.
"""

from __future__ import annotations

import ctypes
from typing import Final

import pypdfium2
import pypdfium2.raw as pdfium

from workers.extract.links import MAX_HREF_CHARACTERS

MAX_ANNOTATIONS: Final = 20_000
"""Link annotations of a document that are looked at; a reference book has some thousands."""


def page_hrefs(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage, most: int) -> list[str]:
    """An entry for each of the first `most` link annotations, in their order; empty for one that names no address."""
    hrefs: list[str] = []
    place, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    while len(hrefs) < most and pdfium.FPDFLink_Enumerate(page, ctypes.byref(place), ctypes.byref(link)):
        hrefs.append(_href(document, pdfium.FPDFLink_GetAction(link)))
    return hrefs


def _href(document: pypdfium2.PdfDocument, action: object) -> str:
    """What is longer than an href may be, or no UTF-8 (ASCII, by the standard), is none."""
    if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
        return ""
    size = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
    if not 1 < size <= MAX_HREF_CHARACTERS + 1:  # its last byte is a NUL
        return ""
    held = ctypes.create_string_buffer(size)
    pdfium.FPDFAction_GetURIPath(document, action, held, size)
    try:
        return held.value.decode("utf-8")
    except UnicodeDecodeError:
        return ""
