"""From a span of stored text back to the bytes of the payload that it was read from, where that is possible.

Plain text and JSON are carried over one for one: text-v1 gives its map to the decoded text, and the charset that to
the bytes. An extractor of HTML takes pieces of a page and joins them, so the words of the span are looked for in the
source, and only a place that is the only one counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from schemas.text_v1 import normalize
from workers.extract.charset import DecodedText, decode_text
from workers.extract.media_type import extract_media_type
from workers.extract.plain import without_surrogates
from workers.extract.sniff import reading_for

MAX_WORDS: Final = 200
"""Of a span that is looked for in markup."""
_WORD = re.compile(r"\w+")
_BETWEEN: Final = r"(?:[^\w<]|<[^>]{0,2000}>|&#?\w{1,31};){1,400}"
"""What may stand between two words in the source: signs, tags, references."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Half-open spans: code points of the decoded payload, and its bytes without content codings."""

    characters: tuple[int, int]
    payload_bytes: tuple[int, int]


def origin_of(payload: bytes, content_type: str | None, text: str, start: int, end: int) -> Origin | None:
    """Where `text[start:end]` of the stored text came from; None where no single place can be told."""
    declared = extract_media_type([content_type]) if content_type is not None else None
    reading = reading_for(declared, payload)
    if reading not in ("plain", "html"):
        return None
    decoded = decode_text(payload, header=declared.charset if declared else None, markup=reading == "html")
    if reading == "plain":
        normalized = normalize(without_surrogates(decoded.text))
        found = normalized.offsets.span_to_input(start, end) if normalized.text == text else None
    else:
        found = _in_markup(decoded.text, text[start:end])
    if found is None:
        return None
    places = _bytes_of(payload, decoded, *found)
    return None if places is None else Origin(found, places)


def _in_markup(source: str, span: str) -> tuple[int, int] | None:
    """The only place where these words follow each other."""
    words = _WORD.findall(span)
    if not words or len(words) > MAX_WORDS:
        return None
    pattern = re.compile(_BETWEEN.join(f"{re.escape(word)}" for word in words))
    places = [match.span() for _, match in zip(range(2), pattern.finditer(source), strict=False)]
    return places[0] if len(places) == 1 else None


def _bytes_of(payload: bytes, decoded: DecodedText, start: int, end: int) -> tuple[int, int] | None:
    """By encoding again what stands before and within; only where that gives the payload's own bytes."""
    mark = next((len(bom) for bom in (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe") if payload.startswith(bom)), 0)
    mark = mark if decoded.source == "bom" else 0
    try:
        before = len(decoded.text[:start].encode(decoded.charset))
        within = decoded.text[start:end].encode(decoded.charset)
    except (UnicodeEncodeError, LookupError):
        return None
    first = mark + before
    return (first, first + len(within)) if payload[first : first + len(within)] == within else None
