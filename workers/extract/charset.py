"""Bytes to text in the order of the WHATWG standards, and a note of who decided.

Byte order mark, HTTP header, declaration in the document (HTML, 13.2.3.2); where nothing is declared,
valid UTF-8 is UTF-8, then statistics guess, then windows-1252. A declaration is followed even where
it is wrong, since the reader's browser follows it; how much of the text was broken is counted, and
`workers.extract.reader` judges by it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

import charset_normalizer

from workers.extract.legacy import decode_legacy
from workers.extract.prescan import declared_in_markup, declared_in_xml, encoding_name

PRESCAN_BYTES = 1024
LATE_BYTES = 64 * 1024
"""How far a `meta` beyond the prescan is looked for: a browser's parser finds it too, and starts anew."""
SAMPLE_BYTES = 16 * 1024
MIN_HIGH_BYTES = 16
UTF8_PER_BROKEN = 10
_HIGH = bytes(range(0x80, 0x100))
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_MARKUP = re.compile(rb"<(?:script|style)\b.*?</(?:script|style)\b[^>]*>|<[^>]*>", re.IGNORECASE | re.DOTALL)
_LAST_BOUNDARY = re.compile(rb"[\x00-\x2f][^\x00-\x2f]*\Z")
_CANDIDATES = {
    "cp1251": "windows-1251",
    "koi8_r": "koi8-r",
    "cp932": "shift_jis",
    "euc_jp": "euc-jp",
    "gb18030": "gb18030",
    "big5": "big5",
    "cp949": "euc-kr",
    "cp1250": "windows-1250",
    "cp1252": "windows-1252",
    "cp1253": "windows-1253",
    "cp1254": "windows-1254",
    "cp1255": "windows-1255",
    "cp1256": "windows-1256",
    "cp1257": "windows-1257",
    "cp874": "windows-874",
}
"""Encodings that undeclared pages are in, by their names here and in the standard."""


class CharsetSource(StrEnum):
    """Who decided the encoding."""

    BOM = "bom"
    HEADER = "header"
    META = "meta"
    XML = "xml"
    LATE_META = "late_meta"
    UTF8 = "utf8"
    DETECTED = "detected"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text without its byte order mark; `charset` is the standard's name in lower case."""

    text: str
    charset: str
    source: CharsetSource
    broken: int
    """Sequences that could not be decoded, each a U+FFFD in the text (one that was written as such counts too)."""


def decode_text(data: bytes, *, header: str | None, markup: bool) -> DecodedText:
    """Decode a whole body. `header` is the `charset` of Content-Type; `markup` says that it is HTML or XML."""
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], name, CharsetSource.BOM)
    named = encoding_name(header) if header is not None else None
    if named is not None:
        return _decoded(data, named, CharsetSource.HEADER)
    declared = declaration(data) if markup else None
    if declared is not None:
        return _decoded(data, *declared)
    try:
        return DecodedText(data.decode("utf-8"), "utf-8", CharsetSource.UTF8, 0)
    except UnicodeDecodeError as error:
        return _decoded(data, *_guess(data, error.start, markup=markup))


def declaration(data: bytes) -> tuple[str, CharsetSource] | None:
    """What the document itself says: `meta` in the first 1,024 bytes, XML declaration, `meta` further down."""
    start = data[:PRESCAN_BYTES]
    if (name := declared_in_markup(start)) is not None:
        return name, CharsetSource.META
    if (name := declared_in_xml(start)) is not None:
        return name, CharsetSource.XML
    if (name := declared_in_markup(data[:LATE_BYTES])) is not None:
        return name, CharsetSource.LATE_META
    return None


def _guess(data: bytes, first_broken: int, *, markup: bool) -> tuple[str, CharsetSource]:
    """Statistics over a sample around the first byte that is no UTF-8, tags left out.

    A few odd bytes prove nothing: where most of what is not ASCII is UTF-8, it is UTF-8, and of a handful
    of bytes any language can be made.
    """
    text = data[:LATE_BYTES].decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if len(text) - broken - len(text.encode("ascii", "ignore")) >= UTF8_PER_BROKEN * broken > 0:
        return "utf-8", CharsetSource.UTF8
    start = max(0, first_broken - 256)
    sample = data[start : start + (4 * SAMPLE_BYTES if markup else SAMPLE_BYTES)]
    if markup:
        sample = _MARKUP.sub(b" ", sample)
    if len(sample) - len(sample.translate(None, _HIGH)) < MIN_HIGH_BYTES:
        return "windows-1252", CharsetSource.DEFAULT
    for cut in _cuts(sample):
        best = charset_normalizer.from_bytes(cut, cp_isolation=list(_CANDIDATES)).best()
        if best is not None and (name := _CANDIDATES.get(best.encoding)) is not None:
            return name, CharsetSource.DETECTED
    return "windows-1252", CharsetSource.DEFAULT


def _cuts(sample: bytes) -> list[bytes]:
    """A sample that ends between two characters. A byte below 0x30 is no second byte in any candidate; where there
    is none, one of two neighbouring cuts is right."""
    if len(sample) <= SAMPLE_BYTES:
        return [sample]
    cut = sample[:SAMPLE_BYTES]
    match = _LAST_BOUNDARY.search(cut, SAMPLE_BYTES // 2)
    return [cut[: match.start()]] if match else [cut, cut[:-1]]


def _decoded(data: bytes, name: str, source: CharsetSource) -> DecodedText:
    text = decode_legacy(data, name)
    return DecodedText(text, name, source, text.count("\ufffd"))
