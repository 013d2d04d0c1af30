"""Reading a captured document for what it needs: codings off, charset known, then the search. Nothing of it is stored.

The same rules as for extraction, so that the addresses that are found are those that a reader's browser finds.
What cannot be decoded names nothing: the document is archived all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.records.requisite import RequisiteKind
from workers.capture.requisites.css import css_text, find_in_css
from workers.capture.requisites.found import Findings
from workers.capture.requisites.html import find_in_html
from workers.exchange import Exchange
from workers.extract.charset import decode_text
from workers.extract.decode import DecodeFailure, DecodeLimits, read_codings, remove_codings
from workers.extract.media_type import MediaType, extract_media_type
from workers.extract.sniff import reading_for

DECODED = DecodeLimits(max_bytes=16 * 1024 * 1024)
"""Of a document that is searched: twice what the search looks at."""
NOTHING = Findings((), complete=True)
NOT_SEARCHED = Findings((), complete=False)


@dataclass(frozen=True, slots=True)
class Document:
    """What came back for one address, as far as a search for requisites looks at it."""

    url: str
    content_types: Sequence[str]
    content_encodings: Sequence[str]
    content: bytes
    """What there is of it, codings intact, at most `DECODED.max_bytes`."""
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Searched:
    """What a document names, and the charset that it is in."""

    findings: Findings
    charset: str | None = None


def document_of(exchange: Exchange, kind: RequisiteKind = RequisiteKind.FRAME) -> Document | None:
    """The document of an exchange; None where there is none, or one that names nothing by its type. A page is a frame
    here. Only what may be searched is brought into memory."""
    response = exchange.response
    if response is None:
        return None
    types = _values(exchange, b"content-type")
    declared = extract_media_type(types) if types else None
    if declared is not None and _is_html(declared) is not (kind is RequisiteKind.FRAME):
        return None
    return Document(
        exchange.url,
        types,
        _values(exchange, b"content-encoding"),
        response.content.read(0, DECODED.max_bytes),
        whole=response.content.size <= DECODED.max_bytes,
    )


def search_page(document: Document, *, frames: bool) -> Searched:
    """Requisites of an HTML document; nothing of any other. `frames`: whether frames of it count."""
    declared = extract_media_type(document.content_types) if document.content_types else None
    data = _decoded(document)
    if data is None:
        return Searched(NOT_SEARCHED if _is_html(declared) else NOTHING)
    if reading_for(declared, data) != "html":
        return Searched(NOTHING)
    decoded = decode_text(data, header=declared.charset if declared else None, markup=True)
    return Searched(_as_whole(find_in_html(decoded.text, document.url, frames=frames), document), decoded.charset)


def search_sheet(document: Document, *, charset: str | None) -> Searched:
    """Requisites of a style sheet. `charset`: of the document that asks for it. What says of itself that it is HTML is
    an error page, and no sheet to any browser."""
    declared = extract_media_type(document.content_types) if document.content_types else None
    data = None if _is_html(declared) else _decoded(document)
    if data is None:
        return Searched(NOTHING if _is_html(declared) else NOT_SEARCHED)
    text = css_text(data, protocol=declared.charset if declared else None, environment=charset)
    return Searched(_as_whole(find_in_css(text, document.url), document), charset)


def search(document: Document, kind: RequisiteKind, *, charset: str | None, frames: bool = False) -> Searched:
    """What a requisite names in its turn: sheets and the documents of frames name others."""
    if kind is RequisiteKind.STYLE:
        return search_sheet(document, charset=charset)
    if kind is RequisiteKind.FRAME:
        return search_page(document, frames=frames)
    return Searched(NOTHING)


def _as_whole(findings: Findings, document: Document) -> Findings:
    return findings if document.whole else Findings(findings.found, complete=False)


def _is_html(declared: MediaType | None) -> bool:
    return declared is not None and declared.essence in ("text/html", "application/xhtml+xml")


def _decoded(document: Document) -> bytes | None:
    decoded = remove_codings(document.content, read_codings(document.content_encodings), DECODED)
    return None if isinstance(decoded, DecodeFailure) else decoded.data


def _values(exchange: Exchange, name: bytes) -> list[str]:
    headers = exchange.response.headers if exchange.response is not None else ()
    return [value.decode("latin-1") for key, value in headers if key.lower() == name]
