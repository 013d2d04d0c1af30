"""Which validators of a response may be sent back later (RFC 9110, 8.8), and whether two responses share theirs.

R082 keeps ETag and Last-Modified in the snapshot as they came, whatever they are. To be sent back they must be
more than that: an ETag by the RFC's grammar, so that `*`, a list or a second header line in its place cannot turn
the question into another one; a date that is a date, and older than the response by a minute, since a page can
change twice within the second that it names.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

from workers.capture.httpdate import parse_http_date
from workers.exchange import Response
from workers.light import light
from workers.ports import KnownVersion

MAX_CHARACTERS: Final = 512
SETTLED: Final = timedelta(seconds=60)
"""RFC 9110, 8.8.2.2 and RFC 9111, 4.3.1: how much older than its response a Last-Modified must be to tell of changes
in spite of clocks that differ."""
SENDABLE: Final = re.compile(r"[\x21-\x7e\x80-\xff](?:[\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?")

_ENTITY_TAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')


@light
class Validators:
    """What a capture of a URL said of its representation, verbatim. False where there is neither."""

    etag: str | None = None
    last_modified: str | None = None

    def __bool__(self) -> bool:
        return self.etag is not None or self.last_modified is not None


def validators_of(response: Response, asked_at: str) -> Validators:
    """Those worth sending back. `asked_at`: when the request was sent, RFC 3339."""
    if (named := response.named) is not None:
        modified, date = named.get(b"last-modified"), named.get(b"date", b"")
        return Validators(
            _sound(_text(named.get(b"etag"))), _settled(_text(modified), date.decode("latin-1"), asked_at)
        )
    etag: set[bytes] = set()
    last_modified: set[bytes] = set()
    date = b""
    for name, value in response.headers:
        match name.lower():
            case b"etag":
                etag.add(value)
            case b"last-modified":
                last_modified.add(value)
            case b"date":
                date = date or value
            case _:
                pass
    return Validators(_sound(_only(etag)), _settled(_only(last_modified), date.decode("latin-1"), asked_at))


def same_validators(known: KnownVersion, found: Validators) -> bool:
    """Whether a conditional request would have been answered with 304: the ETag decides where both have one
    (RFC 9110, 13.2.2), Last-Modified where one of them has none."""
    if known.etag is not None and found.etag is not None:
        return opaque(known.etag) == opaque(found.etag)
    return known.last_modified is not None and known.last_modified == found.last_modified


def opaque(etag: str) -> str:
    """What the weak comparison looks at, which If-None-Match uses (RFC 9110, 8.8.3.2)."""
    return etag.removeprefix("W/")


def values(response: Response, name: str) -> list[str]:
    """All values of a field, as Latin-1, in order."""
    wanted = name.lower().encode("ascii")
    return [value.decode("latin-1") for key, value in response.headers if key.lower() == wanted]


def _sound(etag: str | None) -> str | None:
    return etag if etag is not None and _ENTITY_TAG.fullmatch(etag) else None


def _settled(text: str | None, date: str, asked_at: str) -> str | None:
    modified = parse_http_date(text) if text is not None and SENDABLE.fullmatch(text) else None
    if modified is None:
        return None
    moment = datetime.fromisoformat(asked_at)
    answered = parse_http_date(date) if date else None
    if answered is not None:
        moment = min(moment, answered)
    return text if modified + SETTLED <= moment else None


def _only(lines: set[bytes]) -> str | None:
    """The value of a field that has one: where lines disagree, nobody knows which a server would compare."""
    return _text(next(iter(lines))) if len(lines) == 1 else None


def _text(value: bytes | None) -> str | None:
    """Longer than any validator is worth: none."""
    return value.decode("latin-1") if value is not None and len(value) <= MAX_CHARACTERS else None
