"""Which extractor a payload goes to, by its declared type; by its first bytes only where none is declared.

(WHATWG MIME Sniffing, 7.1, the parts about HTML and binary data.) A declared type is believed: a
server that says `text/plain` shows its reader the source, so the source is what can be quoted.
"""

from __future__ import annotations

import re
from typing import Literal

from schemas.records.snapshot import ReaderStatus
from workers.extract.extraction import NotExtracted
from workers.extract.media_type import MediaType, extract_media_type
from workers.extract.prescan import encoding_name

HEADER_BYTES = 1445
_HTML = re.compile(
    rb"[\t\n\x0c\r ]*<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)[ >]",
    re.IGNORECASE,
)
_COMMENT = re.compile(rb"[\t\n\x0c\r ]*<!--")
_XML = re.compile(rb"(?:\xef\xbb\xbf)?[\t\n\x0c\r ]*<\?xml[\t\n\x0c\r ]")
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_BYTE_ORDER_MARKS = (b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
PLAIN_TYPES = frozenset(
    {"text/plain", "text/markdown", "text/x-markdown", "text/csv", "text/tab-separated-values", "application/json"}
)
PDF_TYPES = frozenset({"application/pdf", "application/x-pdf"})
XML_TYPES = frozenset({"text/xml", "application/xml"})
Reading = Literal["html", "plain", "pdf", "xml"]


def reading_for(declared: MediaType | None, data: bytes) -> Reading | None:
    """How to read it, or None where nothing here reads the type. What `xml` holds is seen when it is parsed."""
    if declared is None:
        return _by_content(data[:HEADER_BYTES])
    if declared.essence in HTML_TYPES:
        return "html"
    if declared.essence in PLAIN_TYPES or declared.essence.endswith("+json"):
        return "plain" if _is_utf_16(declared) or not is_binary(data[:HEADER_BYTES]) else None
    if declared.essence in PDF_TYPES:
        return "pdf"
    if declared.essence in XML_TYPES or declared.essence.endswith("+xml"):
        return "xml"
    return None


def not_readable(content_type: str | None, start: bytes) -> NotExtracted | None:
    """The answer for a payload that nothing here reads, so that it need not go to the sandbox; None for others."""
    declared = extract_media_type([content_type]) if content_type is not None else None
    if reading_for(declared, start) is not None:
        return None
    named = declared.essence[:200] if declared is not None else "undeclared"
    return NotExtracted(status=ReaderStatus.UNSUPPORTED_TYPE, reason=f"media-type.{named}")


def is_binary(start: bytes) -> bool:
    """Whether the first bytes hold controls that no text has. UTF-16 is told by its byte order mark."""
    return not start.startswith(_BYTE_ORDER_MARKS) and _BINARY.search(start) is not None


def _is_utf_16(declared: MediaType) -> bool:
    """Whose ASCII has a zero in every character, which is no sign of binary data."""
    return declared.charset is not None and encoding_name(declared.charset) in ("utf-16le", "utf-16be")


def _by_content(start: bytes) -> Reading | None:
    if _HTML.match(start) or _COMMENT.match(start):
        return "html"
    if start.startswith(b"%PDF-"):
        return "pdf"
    if _XML.match(start):
        return "xml"
    return None if is_binary(start) or start.lstrip().startswith(b"%PDF-") else "plain"
