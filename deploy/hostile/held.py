"""What the archive's records give back of each exchange: the bytes of the wire, put together again.

The records are read by FastWARC, which is not the library that wrote them; what a record cannot hold stands in
the metadata record beside it (`workers.archive.wire_notes`).
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fastwarc.warc import ArchiveIterator, WarcRecord

from deploy.hostile.run import Run
from schemas.records.outcome import Hop, RecordLocation, UrlOutcome
from workers.archive.octets import Fields, read_fields
from workers.archive.stored_http import split_http
from workers.archive.wire_notes import BadNotes, read_notes, rebuild_wire
from workers.exchange import Spool


class NotHeldError(Exception):
    """The records do not give the exchange back; the message says what is missing or wrong."""


@dataclass(frozen=True, slots=True)
class HeldExchange:
    """One exchange, as the archive's records tell it."""

    url: str
    record_id: str
    record_type: str
    wire: bytes
    """Everything that the server sent."""
    content: bytes
    """The payload, of a revisit that of its original."""
    truncated: str | None
    has_payload_digest: bool
    notes: tuple[str, ...]
    """Remarks of the metadata record."""
    beside: tuple[str, ...]
    """Names of the fields of the metadata record that hold bytes of the wire, each once."""
    head: bytes
    """As stored."""

    def values(self, name: str) -> tuple[str, ...]:
        """Values of a header field."""
        lines = (line.partition(b":") for line in self.head.split(b"\n")[1:])
        return tuple(value.strip().decode("latin-1") for key, _, value in lines if key.strip().lower() == name.encode())


@dataclass(frozen=True, slots=True)
class _Read:
    """One record."""

    id: str
    type: str
    headers: Mapping[str, str]
    block: bytes


class HeldFile:
    """The records of one run by their ids."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._places = {
            place.record_id: (key, place)
            for outcome, key in run.outcomes().values()
            for hop in outcome.hops
            for place in hop.records
        }

    def exchanges(self, outcome: UrlOutcome) -> Iterator[HeldExchange]:
        """The exchanges of a visit that had a response, in order."""
        for hop in outcome.hops:
            if hop.record("response", "revisit") is not None:
                yield self._exchange(hop)

    def failure(self, hop: Hop) -> str | None:
        """What the metadata record of a hop without a response gives as the reason."""
        place = hop.record("metadata")
        fields = {} if place is None else dict(_fields(self._read(place)))
        return fields.get("failure")

    def _exchange(self, hop: Hop) -> HeldExchange:
        place = hop.record("response", "revisit")
        if place is None:
            raise NotHeldError(f"{hop.url} has no response record")
        stored = self._read(place)
        beside = hop.record("metadata")
        fields = () if beside is None else _fields(self._read(beside))
        notes = read_notes(fields)
        if isinstance(notes, BadNotes):
            raise NotHeldError(f"{hop.url}: {notes.field} {notes.what}")
        block = Spool(stored.block)
        message = split_http(block, notes.head_bytes)
        content = Spool(message.payload())
        if stored.type == "revisit" and notes.not_modified_head is None:
            content = self._payload(stored.headers["WARC-Refers-To"].strip("<>"))
        wire = rebuild_wire(message.head, content, notes)
        if isinstance(wire, BadNotes):
            raise NotHeldError(f"{hop.url}: {wire.field} {wire.what}")
        held = HeldExchange(
            url=hop.url,
            record_id=stored.id,
            record_type=stored.type,
            wire=b"".join(wire),
            content=content.read(),
            truncated=stored.headers.get("WARC-Truncated") if stored.type == "response" else None,
            has_payload_digest="WARC-Payload-Digest" in stored.headers,
            notes=tuple(value for name, value in fields if name == "note"),
            beside=tuple(dict.fromkeys(name for name, _ in fields if name.startswith("http-"))),
            head=message.head,
        )
        block.close()
        content.close()
        return held

    def _payload(self, record_id: str) -> Spool:
        """What follows the head in the response that a revisit refers to."""
        if record_id not in self._places:
            raise NotHeldError(f"the original {record_id} is not in the archive")
        original = self._read(self._places[record_id][1])
        if original.type != "response":
            raise NotHeldError(f"the original {record_id} is a {original.type}")
        block = Spool(original.block)
        payload = Spool(split_http(block).payload())
        block.close()
        return payload

    def _read(self, place: RecordLocation) -> _Read:
        key, _ = self._places[place.record_id]
        member = self._run.files[key][place.offset : place.offset + place.length]
        records = list(_records(member))
        if [record.id for record in records] != [place.record_id]:
            raise NotHeldError(f"the receipt's place of {place.record_id} does not hold it alone")
        return records[0]


def _records(data: bytes) -> Iterator[_Read]:
    for record in ArchiveIterator(io.BytesIO(data), parse_http=False):
        if record.verify_block_digest() is not True:
            raise NotHeldError(f"the block digest of {record.record_id} does not hold")
        yield _Read(
            id=str(record.record_id).strip("<>"),
            type=record.headers["WARC-Type"],
            headers=dict(record.headers.items()),
            block=_block(record),
        )


def _block(record: WarcRecord) -> bytes:
    return bytes(record.reader.read())


def _fields(record: _Read) -> Fields:
    fields = read_fields(record.block)
    if fields is None:
        raise NotHeldError(f"the metadata record {record.id} cannot be read")
    return fields
