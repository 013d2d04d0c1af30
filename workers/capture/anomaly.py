"""What can be odd about a received response, as a closed vocabulary.

A browser shows many of these pages without a word, so none of them makes us lose a byte. Each is
noted beside the record; those that leave the extent or nature of the content in doubt also make the
outcome `malformed`.
"""

from __future__ import annotations

from enum import StrEnum


class Anomaly(StrEnum):
    """An oddity of one received message; the value is what stands in the metadata record."""

    LEADING_BLANK = "leading-blank"  # empty lines or blanks before the status line
    LEADING_JUNK = "leading-junk"  # up to four other bytes before `HTTP/`, such as a byte order mark
    NO_STATUS_LINE = "no-status-line"  # HTTP/0.9, or bytes that are no HTTP at all
    ODD_STATUS_LINE = "odd-status-line"  # `ICY 200 OK`, `HTTP/2 200`, a status that is no number
    UNFINISHED_HEAD = "unfinished-head"  # the bytes ended before the empty line
    LF_ONLY = "lf-only"  # a line of the head ends without CR
    BARE_CR = "bare-cr"
    NUL = "nul"
    LINE_WITHOUT_COLON = "line-without-colon"
    SPACE_BEFORE_COLON = "space-before-colon"
    FOLDED_LINE = "folded-line"  # obs-fold, RFC 9112 5.2
    CONTENT_LENGTH_INVALID = "content-length-invalid"
    CONTENT_LENGTH_CONFLICT = "content-length-conflict"
    CONTENT_LENGTH_REPEATED = "content-length-repeated"
    LENGTH_AND_CODING = "content-length-beside-transfer-encoding"
    CODING_UNKNOWN = "transfer-encoding-unknown"  # ignored, as browsers do
    CODING_KEPT = "transfer-encoding-kept"  # more than `chunked`: the content keeps its transfer coding
    CODING_NOT_FOR_VERSION = "transfer-encoding-in-http-1.0"
    CHUNKS_BROKEN = "chunks-broken"
    CHUNKS_TOO_MANY = "chunks-too-many"  # not wrong, but kept as they came to bound memory
    BODY_NOT_ALLOWED = "body-not-allowed"  # a 204 or 205 that announces or sends content
    SWITCHED_PROTOCOL = "switched-protocol"  # a 101 that nobody asked for
    SURPLUS = "surplus"  # bytes after the end of the message


IN_DOUBT = frozenset(
    {
        Anomaly.NO_STATUS_LINE,
        Anomaly.CONTENT_LENGTH_CONFLICT,
        Anomaly.CODING_KEPT,
        Anomaly.CHUNKS_BROKEN,
        Anomaly.SWITCHED_PROTOCOL,
        Anomaly.SURPLUS,
    }
)
"""Where these are present a reader may see other content than we do, so the outcome is `malformed`."""

NEVER_REUSE = IN_DOUBT | {
    Anomaly.LEADING_JUNK,
    Anomaly.CONTENT_LENGTH_INVALID,
    Anomaly.LENGTH_AND_CODING,
    Anomaly.CODING_NOT_FOR_VERSION,
    Anomaly.BODY_NOT_ALLOWED,
    Anomaly.UNFINISHED_HEAD,
    Anomaly.NUL,
    Anomaly.BARE_CR,
}
"""After these the connection is closed: what follows on it may belong to this message."""
