"""The two records of what nearly every exchange is: an answer that is stored in full and needs no remark.

They are what `exchange_records` makes of it by its general way, byte for byte, in a third of the time: each header is
one text, since nothing in it can end its line early. The tests hold the two ways together.
"""

from __future__ import annotations

import re
from functools import lru_cache

from workers.archive.http_head import mime_of
from workers.archive.message import StoredMessage
from workers.archive.payload_type import payload_type
from workers.archive.record import Block, IndexFacts, NewId, Record
from workers.exchange import Exchange, Response

_PLAIN = re.compile(r"[ -~]*")
_LONG_TYPE = 256


def usual_records(
    exchange: Exchange, message: StoredMessage, url: str, *, warcinfo_id: str, new_id: NewId
) -> tuple[Record, Record] | None:
    """Request and response of an answer that is to be stored in full; None where it is not of the usual kind.

    `url`: the exchange's, as `target_uri` writes it.
    """
    response = exchange.response
    if response is None or response.named is None or not _is_usual(exchange, response, message):
        return None
    content_type = response.named.get(b"content-type")
    connection = _connection(exchange.remote_ip, exchange.protocols, exchange.cipher_suite)
    if connection is None or (content_type is not None and len(content_type) > _LONG_TYPE):
        return None
    request_id, response_id, date = new_id(), new_id(), exchange.started_at
    asked = Block.of(exchange.request)
    answered = Block.of_message(message.head, response.content, message.block_sha256)
    about = f"WARC-Date: {date}\r\nWARC-Target-URI: {url}\r\nWARC-Warcinfo-ID: <{warcinfo_id}>\r\n"
    shown = payload_type(response)
    identified = "" if shown is None else f"WARC-Identified-Payload-Type: {shown}\r\n"
    request_header = (
        f"WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: <{request_id}>\r\n{about}"
        f"WARC-Concurrent-To: <{response_id}>\r\n{connection}WARC-Block-Digest: sha256:{asked.sha256}\r\n"
        f"Content-Type: application/http; msgtype=request\r\nContent-Length: {asked.size}\r\n\r\n"
    )
    response_header = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <{response_id}>\r\n{about}"
        f"WARC-Concurrent-To: <{request_id}>\r\n{connection}WARC-Payload-Digest: sha256:{message.payload_sha256}\r\n"
        f"{identified}WARC-Block-Digest: sha256:{answered.sha256}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {answered.size}\r\n\r\n"
    )
    mime = None if content_type is None else _mime_of(content_type)
    facts = IndexFacts(url, date, mime, str(response.status), message.payload_sha256)
    return (
        Record(request_id, "request", request_header.encode("ascii"), asked),
        Record(response_id, "response", response_header.encode("ascii"), answered, facts),
    )


def _is_usual(exchange: Exchange, response: Response, message: StoredMessage) -> bool:
    """Whether two records hold all of it: readers find the payload, and there is nothing to say beside it."""
    return (
        message.exception is None
        and response.framing != "chunked"
        and exchange.truncated is None
        and bool(exchange.request)
        and not (response.interim or response.surplus)
        and not (exchange.failure or exchange.notes or exchange.via or exchange.outlinks)
    )


_mime_of = lru_cache(maxsize=64)(mime_of)
"""The pages of a site say the same, or one of two."""


@lru_cache(maxsize=1024)
def _connection(remote_ip: str | None, protocols: tuple[str, ...], cipher_suite: str | None) -> str | None:
    """What both records say of the connection, the same for all pages of a host; None where a value is not plain."""
    values = [] if remote_ip is None else [("WARC-IP-Address", remote_ip)]
    values += [("WARC-Protocol", protocol) for protocol in protocols]
    if cipher_suite is not None:
        values.append(("WARC-Cipher-Suite", cipher_suite))
    if not all(_PLAIN.fullmatch(value) for _, value in values):
        return None
    return "".join(f"{name}: {value}\r\n" for name, value in values)
