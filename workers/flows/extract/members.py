"""WARC records out of the store, verified as they are read: block and payload digests must hold.

A usual segment (up to 64 MiB) is fetched once and sliced. A larger file, or a record of another segment,
is fetched by ranges, a large member through an unlinked temporary file. A file that was joined into another
since is read there.
"""

from __future__ import annotations

import tempfile

from schemas.records.outcome import RecordLocation
from schemas.records.receipt import Receipt
from schemas.records.snapshot import MemberLocation
from workers.archive.parsing import CorruptRecord, WarcRecord
from workers.archive.reading import read_at, read_member
from workers.catalog.receipts import hops as all_hops
from workers.errors import CorruptError, ObjectMissingError
from workers.flows.places import moved, present_place, read_range
from workers.ports import Catalog, ObjectStore

WHOLE_FILE_BYTES = 72 * 1024 * 1024
"""A segment closes at 64 MiB, after the record that went over it."""
RANGE_BYTES = 8 * 1024 * 1024


class SegmentRecords:
    """Reads the records of one segment, and of others where they are referred to."""

    def __init__(self, store: ObjectStore, catalog: Catalog, receipt: Receipt) -> None:
        self._store = store
        self._catalog = catalog
        self._file = receipt.warc
        self._whole: bytes | None = None
        hops = all_hops(receipt)
        self._places = {place.record_id: place for hop in hops for place in hop.records}

    def find(self, record_id: str) -> MemberLocation | None:
        """Where a record lies if it is of this segment: a revisit may refer to a record earlier in its own file."""
        place = self._places.get(record_id)
        return None if place is None or self._file is None else self._located(self._file.key, place)

    def forget(self) -> None:
        """Read the file anew when it is asked for next."""
        self._whole = None

    async def own(self, place: RecordLocation) -> WarcRecord:
        """A record of this segment's file."""
        if self._file is None:
            raise CorruptError("a receipt without a WARC file names a record", where=place.record_id)
        return await self.at(self._located(self._file.key, place))

    async def at(self, place: MemberLocation) -> WarcRecord:
        """The record at a place. CorruptError where it is not there, or not what was written."""
        if not self._is_whole(place):
            return await record_at(self._store, self._catalog, place)
        if self._whole is None:
            self._whole = await self._file_bytes(place.key)
        return _checked(read_member(self._whole[place.offset : place.offset + place.length]), place)

    async def _file_bytes(self, key: str) -> bytes:
        try:
            return await self._store.get(key, limit=WHOLE_FILE_BYTES)
        except ObjectMissingError:
            now = await moved(self._catalog, key, 0)
            return await self._store.get_range(now.key, now.offset, self._file.bytes if self._file else 0)

    @staticmethod
    def _located(key: str, place: RecordLocation) -> MemberLocation:
        return MemberLocation(key=key, record_id=place.record_id, offset=place.offset, length=place.length)

    def _is_whole(self, place: MemberLocation) -> bool:
        return self._file is not None and place.key == self._file.key and self._file.bytes <= WHOLE_FILE_BYTES


async def record_at(store: ObjectStore, catalog: Catalog, place: MemberLocation) -> WarcRecord:
    """The record at a place in any file, fetched by range. CorruptError where it is not there, or not what was
    written."""
    if place.length <= RANGE_BYTES:
        data = await read_range(store, catalog, place.key, place.offset, place.length)
        return _checked(read_member(data), place)
    place = await present_place(store, catalog, place)
    with tempfile.TemporaryFile() as file:
        for start in range(0, place.length, RANGE_BYTES):
            length = min(RANGE_BYTES, place.length - start)
            file.write(await store.get_range(place.key, place.offset + start, length))
        return _checked(read_at(file, 0, place.length), place)


def _checked(found: WarcRecord | CorruptRecord, place: MemberLocation) -> WarcRecord:
    if isinstance(found, CorruptRecord):
        digests = f" (expected {found.expected}, found {found.actual})" if found.expected else ""
        raise _corrupt(place, f"{found.what}{digests}")
    if found.id != place.record_id:
        raise _corrupt(place, f"another record stands in its place: {found.id}")
    return found


def _corrupt(place: MemberLocation, what: str) -> CorruptError:
    return CorruptError(
        f"record {place.record_id} cannot be trusted: {what}",
        where=f"{place.key}, bytes {place.offset} to {place.offset + place.length}",
        next_step="restore the object from a copy of the bucket; its segment is not extracted before that",
    )
