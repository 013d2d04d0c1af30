"""Decides from a head how the message content ends (RFC 9112, 6.3), as leniently as browsers do.

Where the RFC has a client give up, we read on: the bytes are wanted even when their extent is in doubt.
The rules for repeated and broken `Content-Length` are those of the Fetch standard, which the
web-platform tests pin: equal values count once, values that are no number are ignored, differing values
leave the length unknown.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from workers.capture.anomaly import Anomaly
from workers.capture.head import Head

MAX_LENGTH_DIGITS = 19  # 10^19 bytes is beyond any disk, and int() of a longer string costs time

_DIGITS = re.compile(rb"[0-9]+")
_OTHERWISE = frozenset({None, 101, 204, 304})
"""Statuses for which a Content-Length says nothing of what follows, and heads without one."""
_KNOWN_CODINGS = frozenset({b"gzip", b"x-gzip", b"compress", b"x-compress", b"deflate", b"br", b"zstd"})

How = Literal["none", "length", "chunked", "close", "uncertain"]


class Plan(NamedTuple):
    """How the content ends. `uncertain`: until the server closes or falls silent, all bytes kept as they come.

    `keep_coding`: read chunks to find the end, but keep the content as it came, since another transfer
    coding lies beneath them that we do not undo.
    """

    how: How
    length: int = 0
    keep_coding: bool = False
    keeps_alive: bool = False
    anomalies: tuple[Anomaly, ...] = ()


def plan_content(head: Head, method: str = "GET") -> Plan:
    """How the content of the final response with this head is delimited."""
    return _usual_plan(head, method) or _any_plan(head, method)


def _usual_plan(head: Head, method: str) -> Plan | None:
    """Of a page as servers send it: one length, on a connection that stays. The short way; None for all others."""
    named = head.named
    if named is None or head.version != (1, 1) or method == "HEAD" or head.status in _OTHERWISE:
        return None
    length = named.get(b"content-length", b"")
    if not length.isdigit() or len(length) > MAX_LENGTH_DIGITS or b"transfer-encoding" in named:
        return None
    if named.get(b"connection", b"keep-alive").lower() != b"keep-alive":
        return None
    return Plan("length", int(length), keeps_alive=True)


def _any_plan(head: Head, method: str) -> Plan:
    found: set[Anomaly] = set()
    said = _said(head)
    keeps_alive = _keeps_alive(head, said.options)
    plan = _plan(head, method, said, keeps_alive, found)
    return Plan(plan.how, plan.length, plan.keep_coding, keeps_alive and plan.how != "close", tuple(sorted(found)))


class _Said(NamedTuple):
    """Members of the three lists that bear on framing, in order, blanks removed."""

    lengths: list[bytes]
    codings: list[bytes]
    options: list[bytes]


def _said(head: Head) -> _Said:
    said = _Said([], [], [])
    for name, value in head.fields:
        match name.lower():
            case b"content-length":
                said.lengths.extend(part.strip() for part in value.split(b","))
            case b"transfer-encoding":
                said.codings.extend(part.partition(b";")[0].strip().lower() for part in value.split(b","))
            case b"connection":
                said.options.extend(part.strip().lower() for part in value.split(b","))
            case _:
                pass
    return said


def _plan(head: Head, method: str, said: _Said, keeps_alive: bool, found: set[Anomaly]) -> Plan:
    if method == "HEAD" or head.status == 304:
        return Plan("none")
    if head.status == 204:
        if said.codings or any(length != b"0" for length in said.lengths):
            found.add(Anomaly.BODY_NOT_ALLOWED)
        return Plan("none")
    if head.status == 101:
        found.add(Anomaly.SWITCHED_PROTOCOL)
        return Plan("uncertain")
    if b"chunked" in said.codings:
        return _chunked(head, said, found)
    if said.codings:
        found.add(Anomaly.CODING_KEPT if _KNOWN_CODINGS.intersection(said.codings) else Anomaly.CODING_UNKNOWN)
    return _by_length(said.lengths, keeps_alive, found)


def _chunked(head: Head, said: _Said, found: set[Anomaly]) -> Plan:
    if said.lengths:
        found.add(Anomaly.LENGTH_AND_CODING)
    if head.version is not None and head.version < (1, 1):
        found.add(Anomaly.CODING_NOT_FOR_VERSION)
    beneath = [coding for coding in said.codings if coding not in (b"chunked", b"identity", b"")]
    if beneath:
        found.add(Anomaly.CODING_KEPT)
    return Plan("chunked", keep_coding=bool(beneath))


def _by_length(lengths: list[bytes], keeps_alive: bool, found: set[Anomaly]) -> Plan:
    if not lengths:
        return Plan("close")
    if len(lengths) > 1:
        found.add(Anomaly.CONTENT_LENGTH_REPEATED)
    if any(length != lengths[0] for length in lengths):
        found.add(Anomaly.CONTENT_LENGTH_CONFLICT)
        return Plan("uncertain")
    if not _DIGITS.fullmatch(lengths[0]) or len(lengths[0]) > MAX_LENGTH_DIGITS:
        found.add(Anomaly.CONTENT_LENGTH_INVALID)
        return Plan("uncertain" if keeps_alive else "close")
    return Plan("length", int(lengths[0]))


def _keeps_alive(head: Head, options: list[bytes]) -> bool:
    """RFC 9112, 9.3: persistent unless `close`, and in HTTP/1.0 only with `keep-alive`."""
    if b"close" in options or head.version is None:
        return False
    return head.version >= (1, 1) or b"keep-alive" in options
