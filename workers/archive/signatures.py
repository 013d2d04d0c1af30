"""What the first bytes of a payload say it is: the signatures of the WHATWG MIME Sniffing Standard (6.1 to 6.4, 7.1).

Pure, and never more than the resource header of 1,445 bytes is looked at. These are the rules for a
resource of *unknown* type, with scriptable types: what the server said of the type is left out, since
WARC 1.1, 5.18 wants an independent check. Where the standard finds nothing there is no answer; it would
say `application/octet-stream`, which is what every reader assumes anyway.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

HEADER_BYTES: Final = 1445
"""The standard's resource header (5.2)."""

_TAGS = (rb"!doctype html", rb"html", rb"head", rb"script", rb"iframe", rb"h1", rb"div", rb"font", rb"table")
_MORE_TAGS = (rb"a", rb"style", rb"title", rb"b", rb"body", rb"br", rb"p", rb"!--")
_HTML = re.compile(rb"[\t\n\f\r ]*<(?:" + b"|".join((*_TAGS, *_MORE_TAGS)) + rb")[ >]", re.IGNORECASE)
_XML = re.compile(rb"[\t\n\f\r ]*<\?xml")
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")

_SIGNATURES: tuple[tuple[re.Pattern[bytes], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), kind)
    for pattern, kind in (
        (rb"%PDF-", "application/pdf"),
        (rb"%!PS-Adobe-", "application/postscript"),
        (rb"\xfe\xff..|\xff\xfe..|\xef\xbb\xbf.", "text/plain"),
        (rb"\x00\x00[\x01\x02]\x00", "image/x-icon"),
        (rb"BM", "image/bmp"),
        (rb"GIF8[79]a", "image/gif"),
        (rb"RIFF....WEBPVP", "image/webp"),
        (rb"\x89PNG\r\n\x1a\n", "image/png"),
        (rb"\xff\xd8\xff", "image/jpeg"),
        (rb"FORM....AIFF", "audio/aiff"),
        (rb"ID3", "audio/mpeg"),
        (rb"OggS\x00", "application/ogg"),
        (rb"MThd\x00\x00\x00\x06", "audio/midi"),
        (rb"RIFF....AVI ", "video/avi"),
        (rb"RIFF....WAVE", "audio/wave"),
    )
)
_ARCHIVES: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b\x08", "application/x-gzip"),
    (b"PK\x03\x04", "application/zip"),
    (b"Rar!\x1a\x07\x00", "application/x-rar-compressed"),
)

_MP3_BITRATES = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)  # kbit/s, MPEG-1 layer III
_MP25_BITRATES = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)  # MPEG-2 and 2.5
_MP3_SAMPLES = (44_100, 48_000, 32_000)  # a second, MPEG-1; half of it for MPEG-2, a quarter for 2.5


def identified_type(payload: bytes) -> str | None:
    """The MIME type that the beginning of a decoded payload shows, or None where it shows none."""
    header = payload[:HEADER_BYTES]
    if not header:
        return None
    if _HTML.match(header):
        return "text/html"
    if _XML.match(header):
        return "text/xml"
    for pattern, kind in _SIGNATURES:
        if pattern.match(header):
            return kind
    for matches, kind in _STRUCTURES:
        if matches(header):
            return kind
    for signature, kind in _ARCHIVES:
        if header.startswith(signature):
            return kind
    return None if _BINARY.search(header) else "text/plain"


def _is_mp4(header: bytes) -> bool:
    """6.2.1: an `ftyp` box that is whole and names a brand that begins with `mp4`."""
    size = int.from_bytes(header[:4], "big")
    if len(header) < 12 or len(header) < size or size % 4 or header[4:8] != b"ftyp":
        return False
    return header[8:11] == b"mp4" or any(header[at : at + 3] == b"mp4" for at in range(16, size, 4))


def _is_webm(header: bytes) -> bool:
    """6.2.2: an EBML header whose DocType, in its first 38 bytes, is `webm`, zeros before it allowed."""
    if not header.startswith(b"\x1a\x45\xdf\xa3"):
        return False
    at = header.find(b"\x42\x82", 4, 39)
    while at >= 0:
        size_bytes = 9 - header[at + 2].bit_length() if at + 2 < len(header) else 0
        if 1 <= size_bytes <= 8 and header[at + 2 + size_bytes :].lstrip(b"\x00").startswith(b"webm"):
            return True
        at = header.find(b"\x42\x82", at + 1, 39)
    return False


def _is_mp3(header: bytes) -> bool:
    """6.2.3: two MPEG audio layer III frame headers, one frame apart.

    The standard's text has slips here (a bound that nothing meets, bit rates of the wrong version); what it means
    is what MPEG says and browsers do.
    """
    length = _mp3_frame_bytes(header)
    return length is not None and _mp3_frame_bytes(header[length:]) is not None


def _mp3_frame_bytes(frame: bytes) -> int | None:
    """Length of the frame that begins here, or None where none does."""
    if len(frame) < 4 or frame[0] != 0xFF or frame[1] & 0xE6 != 0xE2:  # eleven bits of sync, then layer III
        return None
    version, rate, sample = (frame[1] >> 3) & 3, frame[2] >> 4, (frame[2] >> 2) & 3
    if version == 1 or rate in (0, 15) or sample == 3:
        return None
    first = version == 3
    bits = (_MP3_BITRATES if first else _MP25_BITRATES)[rate] * 1000
    samples = _MP3_SAMPLES[sample] // {3: 1, 2: 2, 0: 4}[version]
    return (144 if first else 72) * bits // samples + ((frame[2] >> 1) & 1)


_STRUCTURES: tuple[tuple[Callable[[bytes], bool], str], ...] = (
    (_is_mp4, "video/mp4"),
    (_is_webm, "video/webm"),
    (_is_mp3, "audio/mpeg"),
)
