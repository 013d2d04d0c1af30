"""Which records one exchange gives: request, response or revisit, and a metadata record where one is needed.

All carry the time at which the request was sent (WARC 1.1, 5.4: one capture event, one date) and point
at each other with WARC-Concurrent-To. The metadata record is written exactly when something would be
lost without it: wire bytes that the response block cannot hold, remarks, or, where no answer came, the
outcome with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from schemas.records.outcome import Outcome
from workers.archive.http_head import find_head_end, mime, status_token
from workers.archive.message import StoredMessage, chunked_wire, stored_message
from workers.archive.octets import CONTENT_TYPE as WARC_FIELDS
from workers.archive.octets import encode_octets, one_line, write_fields
from workers.archive.payload_type import payload_type
from workers.archive.record import (
    INLINE_BYTES,
    MAX_HEADER_BYTES,
    Block,
    IndexFacts,
    NewId,
    Record,
    build,
    new_record_id,
    sha256_label,
    target_uri,
)
from workers.archive.revisit import (
    IDENTICAL_PAYLOAD_PROFILE,
    SERVER_NOT_MODIFIED_PROFILE,
    AsResponse,
    Decision,
    IdenticalPayload,
    NotModified,
    outcome_of,
)
from workers.archive.usual_exchange import usual_records
from workers.archive.wire_notes import WireNotes
from workers.exchange import Exchange, Response
from workers.light import light

HTTP_REQUEST = "application/http; msgtype=request"
HTTP_RESPONSE = "application/http; msgtype=response"
MAX_TARGET_URI_BYTES = 30_000
"""A longer URL does not fit a record header that every reader reads (32 KiB with all other fields)."""

Field = tuple[str, str]
_NOTHING = WireNotes()


@light
class ExchangeRecords:
    """The records of one exchange, in the order in which they are written."""

    request: Record | None
    response: Record | None
    """A `response`, or a `revisit`."""
    metadata: Record | None
    outcome: Outcome
    """What the hop's outcome is now that the records are made: a revisit is decided here at the latest."""
    refers_to: str | None = None
    """For a revisit: the id of the record that holds the payload."""

    @property
    def all(self) -> tuple[Record, ...]:
        """Those that there are, request first."""
        if self.request is not None and self.response is not None and self.metadata is None:
            return self.request, self.response
        return tuple(r for r in (self.request, self.response, self.metadata) if r is not None)


@light
class Unwritable:
    """No record can be written for this exchange; `why` is a sentence for the outcome."""

    why: str


def exchange_records(
    exchange: Exchange,
    decision: Decision,
    *,
    warcinfo_id: str,
    message: StoredMessage | None = None,
    new_id: NewId = new_record_id,
) -> ExchangeRecords | Unwritable:
    """Records of an exchange, ready to be appended to a segment in one go.

    `message` is what `stored_message` made of the exchange (made here, with `strip`, where it is not given)
    and `decision` what `decide` said of the two; neither is looked at where there is no response.
    """
    url = target_uri(exchange.url)
    if len(url) > MAX_TARGET_URI_BYTES:
        return Unwritable(
            f"the URL has {len(url)} bytes; a WARC header holds {MAX_TARGET_URI_BYTES}: archive a shorter address"
        )
    response = exchange.response
    message = message or stored_message(exchange)
    if message is not None and isinstance(decision, AsResponse):
        usual = usual_records(exchange, message, url, warcinfo_id=warcinfo_id, new_id=new_id)
        if usual is not None:
            return ExchangeRecords(*usual, None, exchange.outcome)
    if response is None or message is None:
        failure = _failure_record(exchange, _common(url, warcinfo_id), new_id())
        return ExchangeRecords(None, None, failure, exchange.outcome)
    return answer_records(exchange, response, message, decision, url, warcinfo_id, new_id)


def answer_records(
    exchange: Exchange,
    response: Response,
    message: StoredMessage,
    decision: Decision,
    url: str,
    warcinfo_id: str,
    new_id: NewId,
) -> ExchangeRecords:
    """The records of any exchange that has an answer: the general way, which `usual_records` is a short one of."""
    common = _common(url, warcinfo_id)
    request_id = new_id() if exchange.request else None
    response_id = new_id()
    connection = _connection(exchange)
    fields = [*common, *_concurrent(request_id), *connection]
    stored = _revisit_record(exchange, message, decision, fields, response_id)
    if stored is None:
        decision = AsResponse("stored in full")
        stored = _response_record(exchange, response, message, fields, response_id)
    request = None
    if request_id is not None:
        request = build(
            "request",
            request_id,
            exchange.started_at,
            Block.of(exchange.request),
            content_type=HTTP_REQUEST,
            fields=[*common, *_concurrent(response_id), *connection],
        )
    notes = _wire_notes(response, message, stored)
    return ExchangeRecords(
        request,
        stored,
        _metadata_record(exchange, notes, common, new_id, response_id),
        outcome_of(exchange, decision),
        None if isinstance(decision, AsResponse) else decision.original.record_id,
    )


def _response_record(
    exchange: Exchange, response: Response, message: StoredMessage, fields: list[Field], record_id: str
) -> Record:
    if exchange.truncated is not None:
        fields.append(("WARC-Truncated", exchange.truncated))
    if message.payload_sha256 is not None:
        fields.append(("WARC-Payload-Digest", sha256_label(message.payload_sha256)))
        if (shown := payload_type(response)) is not None:
            fields.append(("WARC-Identified-Payload-Type", shown))
    return build(
        "response",
        record_id,
        exchange.started_at,
        _response_block(response, message),
        content_type=HTTP_RESPONSE,
        fields=fields,
        index=IndexFacts(
            url=fields[0][1],
            date=exchange.started_at,
            mime=mime(message.head),
            status=status_token(message.head, response.status) if message.head else None,
            payload_sha256=message.payload_sha256,
        ),
    )


def _response_block(response: Response, message: StoredMessage) -> Block:
    if not message.wire:
        return Block.of_message(message.head, response.content, message.block_sha256)

    def wire() -> Iterator[bytes]:
        yield message.head
        yield from chunked_wire(response.content, response.chunks, response.trailer)

    return Block.of(b"".join(wire())) if response.content.size <= INLINE_BYTES else Block.streamed(wire)


def _revisit_record(
    exchange: Exchange, message: StoredMessage, decision: Decision, fields: list[Field], record_id: str
) -> Record | None:
    """None where the answer is stored in full, also because two long addresses do not fit one header."""
    match decision:
        case AsResponse():
            return None
        case IdenticalPayload():
            profile, block = IDENTICAL_PAYLOAD_PROFILE, Block.of(message.head)
        case NotModified():
            profile, block = SERVER_NOT_MODIFIED_PROFILE, Block.of(b"")
    original = decision.original
    lines = [
        *fields,
        ("WARC-Profile", profile),
        ("WARC-Refers-To", f"<{original.record_id}>"),
        ("WARC-Refers-To-Target-URI", original.target_uri),
        ("WARC-Refers-To-Date", original.date),
    ]
    if block.size:
        lines.append(("WARC-Truncated", "length"))  # WARC 1.1, 6.7.2: the payload was left out
    lines.append(("WARC-Payload-Digest", sha256_label(original.content_sha256)))
    facts = IndexFacts(fields[0][1], exchange.started_at, "warc/revisit", None, original.content_sha256)
    record = build(
        "revisit", record_id, exchange.started_at, block, content_type=HTTP_RESPONSE, fields=lines, index=facts
    )
    return record if len(record.header) <= MAX_HEADER_BYTES else None


def _wire_notes(response: Response, message: StoredMessage, stored: Record) -> WireNotes:
    """What the stored record lacks of the wire."""
    if response.framing != "chunked" and stored.type == "response" and _end_is_found(message, response):
        if not response.interim and not response.surplus:
            return _NOTHING
        return WireNotes(interim=response.interim, surplus=response.surplus)
    not_modified = stored.type == "revisit" and stored.block.size == 0
    chunked = response.framing == "chunked" and not message.wire
    return WireNotes(
        interim=response.interim,
        not_modified_head=response.head if not_modified else None,
        head_bytes=None if not_modified or _end_is_found(message, response) else len(message.head),
        marked_lines=() if not_modified else message.marked_lines,
        chunks=response.chunks if chunked else (),
        trailer=response.trailer if chunked else b"",
        surplus=response.surplus,
    )


def _end_is_found(message: StoredMessage, response: Response) -> bool:
    """Whether `find_head_end` gives the end of this head back from the stored block."""
    if message.exception is None and message.head[:5].upper() == b"HTTP/":
        return True  # other readers find it, and by the same signs so do we
    if message.head.endswith(b"\r\n\r\n"):
        return find_head_end(message.head) == len(message.head)
    return find_head_end(message.head + response.content.read(0, 4)) == len(message.head) and bool(message.head)


def _metadata_record(
    exchange: Exchange, notes: WireNotes, common: list[Field], new_id: NewId, response_id: str
) -> Record | None:
    wire = [] if notes is _NOTHING else notes.fields()
    if not (wire or exchange.notes or exchange.failure or exchange.via or exchange.outlinks):
        return None
    reason = [] if exchange.failure is None else [("failure", one_line(exchange.failure))]
    fields = [("outcome", exchange.outcome.value), *reason, *_timing(exchange), *_remarks(exchange), *wire]
    return _fields_record(exchange, fields, [*common, *_concurrent(response_id)], new_id())


def _failure_record(exchange: Exchange, common: list[Field], record_id: str) -> Record:
    fields = [("outcome", exchange.outcome.value), ("failure", one_line(exchange.failure or "no reason is known"))]
    fields += [*_timing(exchange), *_remarks(exchange)]
    if exchange.request:
        fields.append(("http-request", encode_octets(exchange.request)))
    return _fields_record(exchange, fields, [*common, *_connection(exchange)], record_id)


def _fields_record(exchange: Exchange, content: list[Field], fields: list[Field], record_id: str) -> Record:
    block = Block.of(write_fields(content))
    return build("metadata", record_id, exchange.started_at, block, content_type=WARC_FIELDS, fields=fields)


def _common(url: str, warcinfo_id: str) -> list[Field]:
    return [("WARC-Target-URI", url), ("WARC-Warcinfo-ID", f"<{warcinfo_id}>")]


def _concurrent(record_id: str | None) -> list[Field]:
    return [] if record_id is None else [("WARC-Concurrent-To", f"<{record_id}>")]


def _connection(exchange: Exchange) -> list[Field]:
    fields = [] if exchange.remote_ip is None else [("WARC-IP-Address", exchange.remote_ip)]
    fields += [("WARC-Protocol", protocol) for protocol in exchange.protocols]
    if exchange.cipher_suite is not None:
        fields.append(("WARC-Cipher-Suite", exchange.cipher_suite))
    return fields


def _timing(exchange: Exchange) -> list[Field]:
    if exchange.seconds_total is None:
        return []
    return [("fetchTimeMs", str(round(exchange.seconds_total * 1000)))]


def _remarks(exchange: Exchange) -> list[Field]:
    fields: list[Field] = [] if exchange.purpose == "page" else [("purpose", exchange.purpose)]
    if exchange.via is not None:
        fields += [("via", target_uri(exchange.via)), ("hopsFromSeed", exchange.hops_from_seed)]
    fields += [("outlink", one_line(link)) for link in exchange.outlinks]
    return fields + [("note", one_line(note)) for note in exchange.notes]
