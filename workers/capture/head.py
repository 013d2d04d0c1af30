"""Reads the head of a response the way a browser does: leniently, and without changing a byte.

The grammar is RFC 9112, 4 and 5; every departure from it that servers are known to make is accepted
and named (`Anomaly`). The head's own bytes are the evidence, so nothing here rewrites them: what this
module returns is a view for deciding where the content ends and where a redirect goes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workers.capture.anomaly import Anomaly

END_OF_HEAD = re.compile(rb"\n\r?\n")
"""An empty line; a bare LF ends a line too (RFC 9112, 2.2)."""

_FIRST_LINE = re.compile(rb"[\r\n\t ]*([^\n]*)")
_STATUS = re.compile(rb"[^ \t]+[ \t]+([0-9]{1,3})(?![0-9])")
_USUAL = re.compile(
    rb"HTTP/1\.([01]) ([1-9][0-9]{2}) [^\r\n\0]*+\r\n((?:[!#-'*+.0-9A-Z^-z|~-]++:[^\r\n\0]*+\r\n)*+)\r\n"
)
"""A head with nothing odd in it. None of its parts can begin with what ends it, so nothing is ever given back."""
_FIELD = re.compile(rb"([^:]++):[ \t]*+([^\r]*+)\r\n")
"""One line of a usual head."""
_SINGULAR = frozenset(
    {
        *(b"content-length", b"transfer-encoding", b"connection", b"content-type", b"content-encoding"),
        *(b"etag", b"last-modified", b"date"),
    }
)
"""Fields that a usual head has once at most; others may come again and again, as `Set-Cookie` does."""
_VERSIONS = {b"0": (1, 0), b"1": (1, 1)}
_CUT_STATUS = re.compile(rb"[ \t][0-9]{1,2}$")
_VERSION = re.compile(rb"HTTP/([0-9])\.([0-9])(?=[ \t]|$)")
BLANKS = re.compile(rb"[\r\n\t ]*")
"""What may stand before a status line and is skipped (RFC 9112, 2.2, and some more)."""

MAX_JUNK_BYTES = 4
"""Chromium looks for `HTTP` within the first bytes and skips so many."""
_PROTOCOL = b"HTTP/"
_JUNK = re.compile(rb"[^\n]{1,4}?(?=HTTP/[0-9])")

_BLANKS = b"\r\n\t "
_STARTS = (b"http", b"icy ")

Fields = tuple[tuple[bytes, bytes], ...]


class Head(NamedTuple):
    """A parsed head. `status` is None where the first line states none; `version` where it is not HTTP/d.d."""

    status: int | None
    version: tuple[int, int] | None
    fields: Fields
    anomalies: tuple[Anomaly, ...]
    named: Mapping[bytes, bytes] | None = None
    """Of a head with nothing odd in it: the value of each field by its name in lower case (`Response.named`)."""


def may_be_head(received: bytes | bytearray, position: int = 0) -> bool:
    """Whether the bytes from here can still become a status line; False means HTTP/0.9 or no HTTP at all."""
    if received.startswith(b"HTTP/", position):
        return True
    start = bytes(received[position : position + 64]).lstrip(_BLANKS)
    return begins_head(start) or any(_may_follow(start, junk) for junk in range(1, MAX_JUNK_BYTES + 1))


def _may_follow(start: bytes, junk: int) -> bool:
    """Whether `HTTP/d` comes, or may still come, after so many bytes of the first line."""
    rest = start[junk : junk + len(_PROTOCOL) + 1]
    digit = rest[len(_PROTOCOL) :]
    return b"\n" not in start[:junk] and _PROTOCOL.startswith(rest[: len(_PROTOCOL)]) and (not digit or digit.isdigit())


def begins_head(start: bytes) -> bool:
    """Whether bytes without blanks before them are a status line as far as they go, with nothing else before it."""
    return any(known.startswith(start[:4].lower()) for known in _STARTS)


def parse_head(head: bytes) -> Head:
    """Parse one head, its empty line included or not."""
    usual = _USUAL.fullmatch(head)
    return _parse_leniently(head) if usual is None else _of_usual(usual)


def usual_head(received: bytes) -> tuple[Head, int] | None:
    """The head that these bytes begin with, and where it ends; None where it is not all there or has anything odd.

    The short way of nearly every page: what `END_OF_HEAD` and `parse_head` say, at a quarter of the time.
    """
    usual = _USUAL.match(received)
    return None if usual is None else (_of_usual(usual), usual.end())


def _of_usual(usual: re.Match[bytes]) -> Head:
    version, status, lines = usual.groups()
    fields: list[tuple[bytes, bytes]] = _FIELD.findall(lines)
    if b" \r\n" in lines or b"\t\r\n" in lines:
        fields = [(name, value.rstrip(_BLANKS)) for name, value in fields]
    return Head(int(status), _VERSIONS[version], tuple(fields), (), named(fields))


def named(fields: Sequence[tuple[bytes, bytes]]) -> Mapping[bytes, bytes] | None:
    """The (first) value of each field by its name in lower case; None where a field that must be alone is not."""
    by_name = {name.lower(): value for name, value in fields}
    if len(by_name) == len(fields):
        return by_name
    names = [name.lower() for name, _ in fields]
    if any(names.count(name) > 1 for name in _SINGULAR.intersection(names)):
        return None
    return {name: value for name, (_, value) in zip(reversed(names), reversed(fields), strict=True)}


def _parse_leniently(head: bytes) -> Head:
    found: set[Anomaly] = set()
    first = _FIRST_LINE.match(head)
    line = first.group(1).rstrip(b"\r") if first else b""
    if first and first.start(1):
        found.add(Anomaly.LEADING_BLANK)
    junk = None if begins_head(line) else _JUNK.match(line)
    if junk is not None:
        found.add(Anomaly.LEADING_JUNK)
        line = line[junk.end() :]
    status, version = _status_line(line, found)
    if first and first.end() == len(head) and _CUT_STATUS.search(line):
        status = None  # the line was cut off, perhaps within the number
    _note_bytes(head, found)
    fields = _fields(head[first.end() + 1 :] if first else b"", found)
    return Head(status, version, fields, tuple(sorted(found)))


def _status_line(line: bytes, found: set[Anomaly]) -> tuple[int | None, tuple[int, int] | None]:
    version = _VERSION.match(line)
    status = _STATUS.match(line)
    if version is None or status is None:
        found.add(Anomaly.ODD_STATUS_LINE)
    return (
        int(status.group(1)) if status else None,
        (int(version.group(1)), int(version.group(2))) if version else None,
    )


def _note_bytes(head: bytes, found: set[Anomaly]) -> None:
    pairs = head.count(b"\r\n")
    if head.count(b"\n") != pairs:
        found.add(Anomaly.LF_ONLY)
    if head.count(b"\r") - head.endswith(b"\r") != pairs:  # one at the end was cut off from its LF
        found.add(Anomaly.BARE_CR)
    if b"\0" in head:
        found.add(Anomaly.NUL)


def _fields(lines: bytes, found: set[Anomaly]) -> Fields:
    """Field lines; a folded line continues the value before it (RFC 9112, 5.2), joined by one space."""
    fields: list[tuple[bytes, bytes]] = []
    name = b""
    parts: list[bytes] = []
    for line in lines.split(b"\n"):
        if line[:1] in (b" ", b"\t"):
            if line.strip(_BLANKS):
                found.add(Anomaly.FOLDED_LINE)
                parts.append(line.strip(_BLANKS))
            continue
        if name:
            fields.append((name, parts[0] if len(parts) == 1 else b" ".join(parts)))
            name = b""
        parts = []
        key, colon, value = line.partition(b":")
        if not colon or not key:
            if line.strip(_BLANKS):
                found.add(Anomaly.LINE_WITHOUT_COLON)
            continue
        name = key.rstrip(b"\t ")
        if len(name) != len(key):
            found.add(Anomaly.SPACE_BEFORE_COLON)
        parts = [value.strip(_BLANKS)]
    if name:
        fields.append((name, b" ".join(parts)))
    return tuple(fields)
