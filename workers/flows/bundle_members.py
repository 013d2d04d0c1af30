"""Records of the archive as a bundle needs them: the bytes of their gzip members, each checked before it is copied.

A record that the archive packs otherwise is packed as a gzip member here, which is what a bundle holds: its
record is the same, byte for byte.
"""

from __future__ import annotations

import io
from collections.abc import Collection
from dataclasses import dataclass
from typing import get_args

from schemas.records.outcome import RecordType
from schemas.records.snapshot import MemberLocation, SnapshotLine
from workers.archive.packing import as_gzip
from workers.archive.parsing import CorruptRecord, WarcRecord
from workers.archive.reading import read_file, read_member
from workers.errors import CorruptError, RetryableError
from workers.flows.places import read_range
from workers.ports import Catalog, ObjectStore

MAX_MEMBER_BYTES = 640 * 1024 * 1024  # 512 MiB of body, its heads, and what gzip adds where nothing can be compressed
WARCINFO_BYTES = 64 * 1024
RESTORE = "restore the object from a copy of the bucket"
_TYPES: dict[str, RecordType] = {name: name for name in get_args(RecordType)}


@dataclass(frozen=True, slots=True)
class Copied:
    """One gzip member, with what its record says of itself."""

    record_id: str
    type: RecordType
    data: bytes
    block_sha256: str
    warcinfo_id: str | None


@dataclass(frozen=True, slots=True)
class TakenDown:
    """A tombstone stands where the record was (`schemas/README.md, Takedown`)."""

    record_id: str


class Members:
    """Reads members by ranged reads. CorruptError where the bytes are not what was written."""

    def __init__(self, store: ObjectStore, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog
        self._warcinfo: dict[str, Copied] = {}

    async def text(self, line: SnapshotLine) -> bytes | TakenDown:
        """The UTF-8 bytes of a citeable snapshot's text."""
        snapshot = line.snapshot
        conversion = snapshot.records.conversion
        if conversion is None or snapshot.text_sha256 is None:
            raise CorruptError("a citeable snapshot names no text", where=snapshot.id, next_step="extract it again")
        place = line.conversion or await self._place(conversion)
        record = _record(await self._bytes(place), place)
        try:
            if record.type == "metadata":
                return TakenDown(conversion)
            if record.id != conversion or record.block.sha256 != snapshot.text_sha256:
                raise _corrupt("the conversion record does not hold the snapshot's text", place)
            return record.block.read()
        finally:
            record.block.close()

    async def copy(
        self, record_id: str, types: Collection[str], place: MemberLocation | None = None
    ) -> Copied | TakenDown:
        """The whole member of a record of one of these types. `place`: where it lies, if that is known."""
        place = place or await self._place(record_id)
        data = await self._bytes(place)
        record = _record(data, place)
        record.block.close()
        if record.type == "metadata" and (record.id != record_id or "metadata" not in types):
            return TakenDown(record_id)
        if record.id != record_id or record.type not in types:
            raise _corrupt(f"another record than {record_id} lies here", place)
        return _copied(record, data)

    async def warcinfo(self, warcinfo_id: str, beside: MemberLocation) -> Copied:
        """The warcinfo record of a file: where the catalog says, else the first member of the file."""
        known = self._warcinfo.get(warcinfo_id)
        if known is not None:
            return known
        place = await self._catalog.locate(warcinfo_id) or await self._first_member(beside.key)
        copied = await self.copy(warcinfo_id, ("warcinfo",), place)
        if isinstance(copied, TakenDown):
            raise _corrupt(f"the warcinfo record {warcinfo_id} does not lie here", place)
        self._warcinfo[warcinfo_id] = copied
        return copied

    async def place(self, record_id: str) -> MemberLocation:
        """Where a record lies now."""
        return await self._place(record_id)

    async def _place(self, record_id: str) -> MemberLocation:
        place = await self._catalog.locate(record_id)
        if place is None:
            raise RetryableError(
                "the catalog does not know where a record lies",
                where=record_id,
                next_step="wait until the catalog is rebuilt, or run `citevault rebuild`",
            )
        return place

    async def _bytes(self, place: MemberLocation) -> bytes:
        if place.length > MAX_MEMBER_BYTES:
            raise _corrupt(f"a member of {place.length} bytes is none of ours", place)
        return await read_range(self._store, self._catalog, place.key, place.offset, place.length)

    async def _first_member(self, key: str) -> MemberLocation:
        info = await self._store.info(key)
        size = min(WARCINFO_BYTES, info.size) if info is not None else 0
        first = next(read_file(io.BytesIO(await self._store.get_range(key, 0, size))), None)
        if first is None or isinstance(first.record, CorruptRecord):
            raise CorruptError("the file does not begin with a record", where=key, next_step=RESTORE)
        first.record.block.close()
        return MemberLocation(key=key, record_id=first.record.id, offset=0, length=first.length)


def _record(data: bytes, place: MemberLocation) -> WarcRecord:
    record = read_member(data)
    if isinstance(record, CorruptRecord):
        raise _corrupt(f"the record {place.record_id} cannot be read: {record.what}", place)
    return record


def _copied(record: WarcRecord, data: bytes) -> Copied:
    kind = _TYPES.get(record.type)
    if kind is None:
        raise CorruptError("a record of an unknown type", where=record.id, next_step=RESTORE)
    return Copied(record.id, kind, as_gzip(data), record.block.sha256, record.reference("WARC-Warcinfo-ID"))


def _corrupt(what: str, place: MemberLocation) -> CorruptError:
    return CorruptError(what, where=f"{place.key} at {place.offset}", next_step=RESTORE)
