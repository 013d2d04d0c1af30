"""What a receipt says of the visit that nearly all are: one answer, whole, in full, of a URL that nobody knew anything
about. Where robots.txt was fetched on the way, its records are made in the general way, before those of the page.

It is what `outcomes.py` makes of it by its general way, record for record and byte for byte, in a fifth of the time:
nothing in it comes from outside but the URL and three fields of the head, which are looked at here. The JSON is made
once, for journal and receipt. Tests hold the two ways together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pydantic_core import to_json

from schemas.records.outcome import Hop, Outcome, RecordLocation, Revalidation, UrlOutcome
from schemas.records.trusted import trusted
from workers.archive.message import StoredMessage
from workers.archive.record import NewId, Record, new_record_id, target_uri
from workers.archive.usual_exchange import usual_records
from workers.capture.validators import Validators, validators_of
from workers.exchange import Exchange, Response
from workers.flows.capture.recall import Recall, is_plain
from workers.flows.capture.visit import Visit
from workers.light import light
from workers.ports import Original

MOST_BYTES = 256 * 1024
"""Of a page that is written among others while everybody waits; a larger one is packed in a thread."""
MOST_CHARACTERS = 8192
"""Of an address: far below what a record may hold."""
_NEEDS_NO_ESCAPE = re.compile(r"[ !#-\[\]-~]*")
_NOTHING_KNOWN = (Recall(),)


@light
class UsualVisit:
    """A visit of that kind, with what its records are made of."""

    visit: Visit
    exchange: Exchange
    response: Response
    message: StoredMessage
    digest: str
    """SHA-256 of the payload."""

    def records(self, warcinfo_id: str, new_id: NewId = new_record_id) -> tuple[Record, Record] | None:
        """Request and response; None where that is not all that must be written."""
        url = target_uri(self.exchange.url)
        return usual_records(self.exchange, self.message, url, warcinfo_id=warcinfo_id, new_id=new_id)

    def told(self, places: Sequence[RecordLocation], job_id: str) -> Told:
        """What the receipt says, whose two records lie there."""
        request, response = places
        return _told(self, request, response, job_id)


@light
class Told:
    """The outcome of such a visit, the one hop in it, and the JSON of all."""

    outcome: UrlOutcome
    hop: Hop
    original: Original
    json: bytes


def usual_visit(visit: object, messages: Sequence[StoredMessage | None]) -> UsualVisit | None:
    """The same visit where it is of that kind; None: it goes the general way. Whether a payload like its own is stored
    already is not looked at here."""
    if not isinstance(visit, Visit) or len(visit.exchanges) != 1 or visit.recalls != _NOTHING_KNOWN:
        return None
    exchange, message, queued = visit.exchanges[0], messages[-1], visit.queued
    response = exchange.response
    if (
        visit.remarks
        or visit.failure is not None
        or visit.outcome is not Outcome.CAPTURED
        or exchange.outcome is not Outcome.CAPTURED
        or exchange.failure is not None
        or exchange.truncated is not None
        or response is None
        or response.status != 200
        or response.named is None
        or message is None
        or message.payload_sha256 is None
        or not 0 < message.payload_bytes <= MOST_BYTES
        or queued.via
        or max(len(exchange.url), len(queued.requested_url), len(queued.normalized_url)) > MOST_CHARACTERS
        or not is_plain(response.header("Content-Type"))
    ):
        return None
    return UsualVisit(visit, exchange, response, message, message.payload_sha256)


def _told(usual: UsualVisit, request: RecordLocation, response: RecordLocation, job_id: str) -> Told:
    queued, exchange, digest = usual.visit.queued, usual.exchange, usual.digest
    size, at = usual.message.payload_bytes, exchange.started_at
    content_type = usual.response.header("Content-Type") or None
    found = validators_of(usual.response, at)
    hop = trusted(
        Hop,
        {
            "url": exchange.url,
            "outcome": Outcome.CAPTURED,
            "http_status": 200,
            "retrieved_at": at,
            "content_sha256": digest,
            "content_bytes": size,
            "content_type": content_type,
            "location": None,
            "records": (request, response),
            "reusable": True,
            "refers_to": None,
            "revalidation": _revalidation(found) if found else None,
            "failure": None,
        },
    )
    outcome = trusted(
        UrlOutcome,
        {
            "requested_url": queued.requested_url,
            "normalized_url": queued.normalized_url,
            "visit": queued.visit,
            "outcome": Outcome.CAPTURED,
            "tries": queued.tries + 1,
            "calls": 0,
            "retry_at": None,
            "hops": (hop,),
            "failure": None,
            "remarks": (),
            "job_id": job_id,
            "depth": queued.depth,
            "via": (),
        },
    )
    url = _text(exchange.url)
    requested = url if queued.requested_url == exchange.url else _text(queued.requested_url)
    normalized = url if queued.normalized_url == exchange.url else _text(queued.normalized_url)
    said = "null"
    if found:
        said = (
            f'{{"etag":{_text(found.etag)},"last_modified":{_text_again(found.last_modified)},'
            f'"distrusted":false,"representation":null}}'
        )
    json = (
        f'{{"requested_url":{requested},"normalized_url":{normalized},"visit":{queued.visit},"outcome":"captured",'
        f'"tries":{queued.tries + 1},"calls":0,"retry_at":null,"hops":[{{"url":{url},"outcome":"captured",'
        f'"http_status":200,"retrieved_at":"{at}","content_sha256":"{digest}","content_bytes":{size},'
        f'"content_type":{_text_again(content_type)},"location":null,"records":['
        f'{{"record_id":"{request.record_id}","type":"request","offset":{request.offset},"length":{request.length}}},'
        f'{{"record_id":"{response.record_id}","type":"response","offset":{response.offset},"length":{response.length}}}'
        f'],"reusable":true,"refers_to":null,"revalidation":{said},"failure":null}}],"failure":null,"remarks":[],'
        f'"job_id":"{job_id}","depth":{queued.depth},"via":[]}}'
    )
    return Told(outcome, hop, Original(response.record_id, exchange.url, at, digest), json.encode())


def _revalidation(found: Validators) -> Revalidation:
    return trusted(
        Revalidation,
        {
            "etag": found.etag,
            "last_modified": found.last_modified,
            "distrusted": False,
            "representation": None,
        },
    )


def _text(value: str | None) -> str:
    """As JSON. Most texts need no escapes."""
    if value is None:
        return "null"
    return f'"{value}"' if _NEEDS_NO_ESCAPE.fullmatch(value) else to_json(value).decode()


_text_again = lru_cache(maxsize=64)(_text)
"""For what the pages of a site have in common."""
