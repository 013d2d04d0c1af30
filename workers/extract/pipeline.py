"""One payload through charset, extractor and text-v1: what the sandbox's child does, and nothing else does."""

from __future__ import annotations

from datetime import date

from schemas.records.snapshot import ReaderStatus
from workers.extract.charset import DecodedText, decode_text
from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.extract.html import NoHtml, extract_html
from workers.extract.media_type import MediaType, extract_media_type
from workers.extract.options import MAX_CHARACTERS, PLAIN_EXTRACTOR, html_extractor_id
from workers.extract.plain import clean_text, without_surrogates
from workers.extract.sniff import not_readable, reading_for

MAX_FIELD_CHARACTERS = 4096
MAX_BYTES = 4 * MAX_CHARACTERS
"""A payload of more bytes has too many characters in every encoding."""


def extract_payload(data: bytes, request: ExtractionRequest) -> Extracted | NotExtracted:
    """Text and metadata of a payload without its content codings. A function of its arguments alone."""
    declared = extract_media_type([request.content_type]) if request.content_type is not None else None
    unreadable = not_readable(request.content_type, data)
    if unreadable is not None:
        return unreadable
    reading = reading_for(declared, data)
    if len(data) > MAX_BYTES:
        return _failed(f"payload.larger-than-{MAX_BYTES}-bytes")
    decoded = decode_text(data, header=declared.charset if declared else None, markup=reading == "html")
    if decoded.charset == "replacement":
        return _failed("charset.replacement")
    if reading == "plain":
        return _plain(decoded, declared)
    return _html(decoded, declared, date.fromisoformat(request.retrieved_on))


def _plain(decoded: DecodedText, declared: MediaType | None) -> Extracted | NotExtracted:
    if len(decoded.text) > MAX_CHARACTERS:
        return _failed(f"text.larger-than-{MAX_CHARACTERS}-characters")
    return Extracted(
        extractor=PLAIN_EXTRACTOR,
        media_type=declared.essence if declared else "text/plain",
        charset=decoded.charset,
        charset_source=decoded.source,
        characters=len(decoded.text),
        broken=decoded.broken,
        text=clean_text(decoded.text),
    )


def _html(decoded: DecodedText, declared: MediaType | None, latest: date) -> Extracted | NotExtracted:
    content = extract_html(decoded.text, latest=latest)
    if isinstance(content, NoHtml):
        return _failed(content.reason)
    said = content.metadata
    return Extracted(
        extractor=html_extractor_id(),
        media_type=declared.essence if declared else "text/html",
        charset=decoded.charset,
        charset_source=decoded.source,
        characters=len(decoded.text),
        broken=decoded.broken,
        text=content.text,
        title=_field(said.title),
        author=_field(said.author),
        publisher=_field(said.publisher),
        published_at=said.published_at,
        published_source=said.published_source,
        modified_at=said.modified_at,
        language=said.language,
        canonical=_href(said.canonical),
        base=_href(said.base),
        accessible_for_free=said.accessible_for_free,
        robots_directives=said.robots_directives,
        headings=content.headings,
        links=tuple(without_surrogates(href) for href in content.links.hrefs),
        nofollow_links=tuple(without_surrogates(href) for href in content.links.nofollow),
        links_complete=content.links.complete,
        markers=content.markers,
    )


def _failed(reason: str) -> NotExtracted:
    return NotExtracted(status=ReaderStatus.EXTRACT_FAILED, reason=reason)


def _field(value: str | None) -> str | None:
    return None if value is None else without_surrogates(value)[:MAX_FIELD_CHARACTERS]


def _href(value: str | None) -> str | None:
    return None if value is None or len(value) > MAX_FIELD_CHARACTERS else without_surrogates(value)
