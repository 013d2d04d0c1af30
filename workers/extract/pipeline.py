"""One payload through charset, extractor and text-v1: what the sandbox's child does, and nothing else does."""

from __future__ import annotations

import re
from datetime import date

from schemas.records.snapshot import ReaderStatus
from workers.extract.charset import DecodedText, decode_text
from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.extract.feed import FeedContent, extract_feed
from workers.extract.html import NoHtml, extract_html
from workers.extract.markers import find_markers
from workers.extract.media_type import MediaType, extract_media_type
from workers.extract.options import (
    MAX_CHARACTERS,
    PLAIN_EXTRACTOR,
    VISIBLE_EXTRACTOR,
    feed_extractor_id,
    html_extractor_id,
    pdf_extractor_id,
)
from workers.extract.plain import clean_text, without_surrogates
from workers.extract.robots_directives import meta_directives
from workers.extract.sniff import not_readable, reading_for
from workers.extract.visible import read_visible

MAX_FIELD_CHARACTERS = 4096
MAX_BYTES = 4 * MAX_CHARACTERS
"""A payload of more bytes has too many characters in every encoding."""
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,4}")


def extract_payload(data: bytes, request: ExtractionRequest) -> Extracted | NotExtracted:
    """Text and metadata of a payload without its content codings. A function of its arguments alone."""
    declared = extract_media_type([request.content_type]) if request.content_type is not None else None
    unreadable = not_readable(request.content_type, data)
    if unreadable is not None:
        return unreadable
    reading = reading_for(declared, data)
    latest = date.fromisoformat(request.retrieved_on)
    if len(data) > MAX_BYTES:
        return _failed(f"payload.larger-than-{MAX_BYTES}-bytes")
    if reading == "pdf":
        return _pdf(data, declared, latest)
    decoded = decode_text(data, header=declared.charset if declared else None, markup=reading in ("html", "xml"))
    if decoded.charset == "replacement":
        return _failed("charset.replacement")
    if reading == "plain":
        return _plain(decoded, declared)
    if reading == "xml":
        return _xml(decoded, declared, request, latest)
    return _html(decoded, declared, request, latest)


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


def _pdf(data: bytes, declared: MediaType | None, latest: date) -> Extracted | NotExtracted:
    from workers.extract.pdf import NoPdf, extract_pdf  # few pages are PDF, and its library takes 30 MB

    content = extract_pdf(data, latest=latest)
    if isinstance(content, NoPdf):
        return _failed(content.reason)
    return Extracted(
        extractor=pdf_extractor_id(),
        media_type=declared.essence if declared else "application/pdf",
        charset=None,
        charset_source=None,
        characters=len(content.text),
        broken=0,
        text=content.text,
        title=_field(content.title),
        author=_field(content.author),
        published_at=content.published_at,
        published_source="pdf:CreationDate" if content.published_at else None,
        modified_at=content.modified_at,
        headings=content.headings,
        links=tuple(without_surrogates(href) for href in content.links.hrefs),
        links_complete=content.links.complete,
        pages=content.pages,
    )


def _xml(
    decoded: DecodedText, declared: MediaType | None, request: ExtractionRequest, latest: date
) -> Extracted | NotExtracted:
    """A feed, or a page in XML's clothes. Other XML shows its reader nothing that could be quoted."""
    content = extract_feed(decoded.text, latest=latest)
    if isinstance(content, FeedContent):
        return _feed(content, decoded, declared)
    if content.root == "html":
        return _html(decoded, declared, request, latest)
    if declared is None:
        return _plain(decoded, declared)
    if content.root is None or content.reason != "feed.none":
        return _failed(content.reason)
    return NotExtracted(status=ReaderStatus.UNSUPPORTED_TYPE, reason=f"media-type.{declared.essence[:200]}")


def _feed(content: FeedContent, decoded: DecodedText, declared: MediaType | None) -> Extracted | NotExtracted:
    if len(content.text) > MAX_CHARACTERS:
        return _failed(f"text.larger-than-{MAX_CHARACTERS}-characters")
    return Extracted(
        extractor=feed_extractor_id(),
        media_type=declared.essence if declared else "application/xml",
        charset=decoded.charset,
        charset_source=decoded.source,
        characters=len(decoded.text),
        broken=decoded.broken,
        text=content.text,
        title=_field(content.title),
        author=_field(content.author),
        published_at=content.published_at,
        published_source="feed:updated" if content.published_at else None,
        language=_language(content.language),
        headings=content.headings,
        links=content.links,
        links_complete=content.links_complete,
    )


def _html(
    decoded: DecodedText, declared: MediaType | None, request: ExtractionRequest, latest: date
) -> Extracted | NotExtracted:
    if request.second:
        return _visible(decoded, declared)
    content = extract_html(decoded.text, latest=latest, focus=request.focus)
    if isinstance(content, NoHtml):
        return _failed(content.reason)
    said = content.metadata
    return Extracted(
        extractor=html_extractor_id(request.focus),
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


def _visible(decoded: DecodedText, declared: MediaType | None) -> Extracted | NotExtracted:
    """By the second extractor."""
    seen = read_visible(decoded.text)
    if len(seen.text) > MAX_CHARACTERS:
        return _failed(f"text.larger-than-{MAX_CHARACTERS}-characters")
    return Extracted(
        extractor=VISIBLE_EXTRACTOR,
        media_type=declared.essence if declared else "text/html",
        charset=decoded.charset,
        charset_source=decoded.source,
        characters=len(decoded.text),
        broken=decoded.broken,
        text=clean_text(seen.text),
        title=_field(seen.title),
        language=_language(seen.language),
        canonical=_href(seen.canonical),
        base=_href(seen.base),
        robots_directives=meta_directives(seen.metas),
        links=tuple(without_surrogates(href) for href in seen.links if len(href) <= MAX_FIELD_CHARACTERS),
        links_complete=seen.links_complete,
        markers=find_markers(decoded.text),
    )


def _failed(reason: str) -> NotExtracted:
    return NotExtracted(status=ReaderStatus.EXTRACT_FAILED, reason=reason)


def _field(value: str | None) -> str | None:
    return None if value is None else without_surrogates(value)[:MAX_FIELD_CHARACTERS]


def _language(value: str | None) -> str | None:
    return value if value is not None and _LANGUAGE.fullmatch(value) else None


def _href(value: str | None) -> str | None:
    return None if value is None or len(value) > MAX_FIELD_CHARACTERS else without_surrogates(value)
