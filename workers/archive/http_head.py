"""What the archive needs to know of a response head, read from its raw bytes.

Two rules live here: how a stripped transfer coding is marked in the head, and where WARC readers
believe that a head ends. The head is sliced, never parsed and written anew.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MARK = b"X-Archive-Orig-"
MAX_HEAD_BYTES = 32 * 1024  # FastWARC's default limit for an HTTP head

_HEAD_END = b"\r\n\r\n"
_EMPTY_LINE = re.compile(rb"\n\r?\n")
_TRANSFER_ENCODING = re.compile(rb"^transfer-encoding[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)", re.IGNORECASE | re.MULTILINE)
_CONTENT_TYPE = re.compile(rb"^content-type[ \t]*:([^\n]*)", re.IGNORECASE | re.MULTILINE)
_BLANK_LINE = re.compile(rb"^[^!-~\n]*\n", re.MULTILINE)
"""A line without any visible ASCII character. warcio strips Unicode blanks from a line before it looks whether
the head has ended, FastWARC does not: the two disagree about such lines, so they count as an end."""
_USUAL = re.compile(rb"HTTP/[^\r\n]*\r\n(?:[!-~][^\r\n]*\r\n)*\r\n")
_AFTER_VALUE = re.compile(r"[;\s]")


class MarkedHead(NamedTuple):
    """A head whose `Transfer-Encoding` lines carry the mark, and which lines these are, counted from 0."""

    head: bytes
    lines: tuple[int, ...]


def mark_transfer_encoding(head: bytes) -> MarkedHead:
    """Put `X-Archive-Orig-` before each `Transfer-Encoding` line; its own bytes stay."""
    starts = [match.start() for match in _TRANSFER_ENCODING.finditer(head)]
    if not starts:
        return MarkedHead(head, ())
    pieces: list[bytes] = []
    done = 0
    for start in starts:
        pieces += [head[done:start], MARK]
        done = start
    pieces.append(head[done:])
    return MarkedHead(b"".join(pieces), tuple(head.count(b"\n", 0, start) for start in starts))


def unmark_transfer_encoding(head: bytes, lines: tuple[int, ...]) -> bytes | None:
    """Take the mark from these lines again, or None where one does not carry it.

    The line numbers are needed, since a server may send a field of that name itself.
    """
    parts = head.split(b"\n")
    for number in lines:
        if number >= len(parts) or not parts[number].startswith(MARK):
            return None
        parts[number] = parts[number][len(MARK) :]
    return b"\n".join(parts)


def transfer_codings(head: bytes) -> tuple[str, ...]:
    """The transfer codings that a head declares, lower case, in order (RFC 9112, 6.1); `identity` is none."""
    if b"transfer-encoding" not in head.lower():
        return ()
    values = [match.group(1).decode("latin-1") for match in _TRANSFER_ENCODING.finditer(head)]
    names = [part.partition(";")[0].strip().lower() for value in values for part in value.split(",")]
    return tuple(name for name in names if name not in ("", "identity"))


def readers_disagree(head: bytes, content_bytes: int) -> str | None:
    """Why FastWARC and warcio do not both find the payload after this head; None where they do.

    Both find it where the first line that could pass for empty is the CRLF that ends the head, and the
    head is not longer than FastWARC reads. A head that was cut off before its end is taken for the
    whole block by both, so it is no exception while nothing follows it and it begins like one.
    """
    if len(head) <= MAX_HEAD_BYTES and _USUAL.fullmatch(head):
        return None  # every line begins with a visible character, but for the CRLF at the end
    return _disagreement(head, content_bytes)


def _disagreement(head: bytes, content_bytes: int) -> str | None:
    """The same for any head."""
    if not head:
        return "http/0.9"
    if len(head) > MAX_HEAD_BYTES:
        return "long-head"
    blank = _BLANK_LINE.search(head)
    if blank is None:
        whole = content_bytes == 0 and find_head_end(head) == len(head)
        return None if whole else "unfinished-head"
    if blank.start() == 0:
        return "leading-blank-line"
    if blank.end() != len(head):
        return "blank-line-in-head"
    if not head.endswith(_HEAD_END) or len(blank.group()) != len(b"\r\n"):
        return "bare-line-feeds"
    return None if find_head_end(head) else "leading-junk"


def find_head_end(block: bytes) -> int:
    """Where the head of a stored response ends: after its first empty line, CRLF or LF; 0 for HTTP/0.9.

    A block that does not begin like a status line (blank lines before it allowed) has no head. Where
    the head was cut off, it is the whole block.
    """
    text = block.lstrip(b"\r\n")
    if not text[:5].upper().startswith((b"HTTP/", b"ICY ")):
        return 0
    skipped = len(block) - len(text)
    match = _EMPTY_LINE.search(text)
    return len(block) if match is None else skipped + match.end()


def status_token(head: bytes, status: int | None) -> str:
    """The status as CDXJ gives it: the second word of the first line, where that is a number.

    Where it is not, the number that was read leniently; the bare word only where there is none.
    """
    line = head.lstrip(b"\r\n").partition(b"\n")[0]
    words = _text(line).rstrip().split(" ", 1)
    token = words[1].strip().split(" ", 1)[0] if len(words) > 1 else ""
    if status is None or (token.isascii() and token.isdigit()):
        return token
    return f"{status:03d}"


def mime(head: bytes) -> str | None:
    """The first `Content-Type` without parameters, or None where the head has none."""
    match = _CONTENT_TYPE.search(head, head.find(b"\n") + 1 or len(head))
    return None if match is None else mime_of(match.group(1))


def mime_of(content_type: bytes) -> str:
    """A Content-Type without parameters."""
    return _AFTER_VALUE.split(_text(content_type).strip(), maxsplit=1)[0]


def _text(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")
