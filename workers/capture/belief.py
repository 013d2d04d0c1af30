"""Whether a server's answer to a conditional request is believed. Pure; the flow fetches again where it is not.

A 304 has no content that could be looked at, so all that can be checked is whether it speaks of the representation
that we have (RFC 9110, 15.4.5). What changes under validators that stay the same shows when the content comes
in full.
"""

from __future__ import annotations

from typing import Final

from schemas.records.outcome import Outcome
from workers.capture.httpdate import parse_http_date
from workers.capture.validators import Validators, opaque, same_validators, validators_of, values
from workers.exchange import Exchange, Response
from workers.ports import KnownVersion

NOT_MODIFIED: Final = 304
ABOUT_THE_CONDITION: Final = frozenset({400, 412, 431})
"""Statuses that the condition itself may have caused: a filter that takes an ETag for an attack, a server that reads
If-None-Match as a precondition of writing (RFC 9110, 13.1.2), a head that is too large."""


def disbelief(exchange: Exchange, asked: KnownVersion | None) -> str | None:
    """Why the URL must be asked for again, without conditions; None where the answer can stand.

    `asked`: the version whose validators went out with the request, None where none did.
    """
    response = exchange.response
    if response is None or response.status is None:
        return None
    if asked is None:
        return "nobody had asked whether it had changed" if response.status == NOT_MODIFIED else None
    if response.status in ABOUT_THE_CONDITION:
        return f"status {response.status} may be about the condition, not about the page"
    if response.status != NOT_MODIFIED:
        return None
    if exchange.outcome is not Outcome.CAPTURED:
        return f"the 304 came {exchange.outcome.value}"
    return _contradiction(response, asked)


def is_whole(exchange: Exchange) -> bool:
    """Whether this is the whole content of a page: what validators are of."""
    response = exchange.response
    return response is not None and response.status == 200 and exchange.outcome is Outcome.CAPTURED


def hidden_change(exchange: Exchange, known: KnownVersion | None) -> str | None:
    """Which validator stayed the same though the content changed, as a sentence; None where none did."""
    response = exchange.response
    if known is None or response is None or not is_whole(exchange):
        return None
    if response.content.sha256 == known.content_sha256:
        return None
    found = validators_of(response, exchange.started_at)
    if not same_validators(known, found):
        return None
    name, value = ("ETag", found.etag) if known.etag and found.etag else ("Last-Modified", found.last_modified)
    shown = (value or "")[:80]
    return f"the content changed since {known.received_at} under the same {name} {shown}: not sent until it changes"


def stays_distrusted(known: KnownVersion | None, found: Validators) -> bool:
    """Validators are trusted again once they change."""
    return known is not None and known.distrusted and same_validators(known, found)


def _contradiction(response: Response, asked: KnownVersion) -> str | None:
    """What the head of a 304 says against its being about the version that we have. A Content-Length of 0 is taken to
    be of the empty message, which is what many servers mean; RFC 9110, 8.6 has it be of the representation."""
    etags = values(response, "ETag")
    if asked.etag is not None and any(opaque(etag) != opaque(asked.etag) for etag in etags):
        return f"its ETag is another one than {asked.etag[:80]}"
    if asked.last_modified is not None:
        ours = parse_http_date(asked.last_modified)
        if any(parse_http_date(theirs) != ours for theirs in values(response, "Last-Modified")):
            return f"its Last-Modified is another one than {asked.last_modified[:80]}"
    for length in (part.strip() for value in values(response, "Content-Length") for part in value.split(",")):
        if length.lstrip("0") not in ("", str(asked.content_bytes)):
            return f"its Content-Length is not the {asked.content_bytes} of the representation"
    return None
