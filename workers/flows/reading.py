"""Reading one snapshot back: its text, or the block of one of its WARC records, digests checked."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.records.snapshot import SnapshotLine, SnapshotRecords
from workers.archive.parsing import CorruptRecord, WarcRecord
from workers.archive.reading import read_member
from workers.archive.stored_http import split_http
from workers.archive.wire_notes import BadNotes, read_notes
from workers.errors import CorruptError, ObjectMissingError, PermanentError
from workers.flows.cluster_texts import read_text as read_conversion
from workers.flows.places import read_range
from workers.ports import Catalog, ObjectStore

MAX_SHOWN_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class StoredBlock:
    """The block of a response or revisit record, and the HTTP head that it begins with."""

    block: bytes
    head: bytes


async def read_text(store: ObjectStore, line: SnapshotLine) -> str | None:
    """The text of a snapshot; None where there is none, or where it was taken down."""
    if line.conversion is None or line.snapshot.text_sha256 is None:
        return None
    return await read_conversion(store, line.conversion, line.snapshot.text_sha256)


async def read_answer(store: ObjectStore, catalog: Catalog, records: SnapshotRecords) -> StoredBlock:
    """What a snapshot's server answered. For a 304, whose own record is empty: its head, which stands in the metadata
    record, and the block of the response that it confirms."""
    own = await _read(store, catalog, records.response)
    if own.block.size or own.type != "revisit":
        return _block_of(own)
    own.block.close()
    confirmed = _block_of(await _read(store, catalog, records.payload))
    return StoredBlock(confirmed.block, await _not_modified_head(store, catalog, records.metadata))


def _block_of(record: WarcRecord) -> StoredBlock:
    try:
        return StoredBlock(record.block.read(), split_http(record.block).head)
    finally:
        record.block.close()


async def _not_modified_head(store: ObjectStore, catalog: Catalog, metadata_id: str | None) -> bytes:
    """Empty where no metadata record tells of it."""
    if metadata_id is None:
        return b""
    metadata = await _read(store, catalog, metadata_id)
    try:
        notes = read_notes(metadata.fields() or [])
    finally:
        metadata.block.close()
    return b"" if isinstance(notes, BadNotes) else notes.not_modified_head or b""


async def _read(store: ObjectStore, catalog: Catalog, record_id: str) -> WarcRecord:
    """One record. CorruptError where it is not what was stored; PermanentError where it is too large."""
    place = await catalog.locate(record_id)
    if place is None:
        raise ObjectMissingError(
            "nobody knows where this record lies", where=record_id, next_step="rebuild the catalog"
        )
    if place.length > MAX_SHOWN_BYTES:
        raise PermanentError("the record is too large to be shown", where=f"{place.key} at {place.offset}")
    record = read_member(await read_range(store, catalog, place.key, place.offset, place.length))
    if isinstance(record, CorruptRecord) or record.id != record_id:
        what = record.what if isinstance(record, CorruptRecord) else "another record lies there"
        raise CorruptError(
            f"the record is not what was stored: {what}",
            where=f"{record_id} in {place.key} at {place.offset}",
            next_step="restore the object from a copy of the bucket",
        )
    return record
