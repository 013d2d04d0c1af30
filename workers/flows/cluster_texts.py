"""Texts of snapshots, read back from their conversion records, as confirmation looks at them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Protocol

from schemas.records.snapshot import MemberLocation, SnapshotLine
from workers.archive.parsing import CorruptRecord, ReadingLimits
from workers.archive.reading import read_member
from workers.dedup.sighting import Sighting, sighting_of
from workers.errors import CorruptError, NotYetError

MAX_MEMBER_BYTES = 128 * 1024 * 1024
LIMITS = ReadingLimits(max_block_bytes=256 * 1024 * 1024)
CACHED_SHINGLES = 400_000  # some 50 MB: texts that were read and may be compared again


class TextSource(Protocol):
    """What holds the texts; the store, or copies of its objects."""

    async def get_range(self, key: str, offset: int, length: int) -> bytes: ...


class SnapshotSource(Protocol):
    """What knows snapshots by their ids; the catalog, or lines at hand."""

    async def snapshot(self, snapshot_id: str) -> SnapshotLine | None: ...


class Sightings:
    """Reads each text when it is first wanted, and keeps those that were wanted last."""

    def __init__(self, store: TextSource, catalog: SnapshotSource, lines: Mapping[str, SnapshotLine]) -> None:
        self._store = store
        self._catalog = catalog
        self._lines = lines
        """Snapshot lines at hand, by id; others come from the catalog."""
        self._kept: OrderedDict[tuple[str, str], Sighting | None] = OrderedDict()
        self._shingles = 0

    async def of(self, text_sha256: str, snapshot_id: str) -> Sighting | None:
        """A text as this snapshot shows it. None: it is not kept, was taken down, or the snapshot has been extracted
        anew and shows another text."""
        wanted = text_sha256, snapshot_id
        if wanted in self._kept:
            self._kept.move_to_end(wanted)
            return self._kept[wanted]
        sighting = await self._read(text_sha256, snapshot_id)
        self._kept[wanted] = sighting
        self._shingles += _size(sighting)
        while self._shingles > CACHED_SHINGLES and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._shingles -= _size(dropped)
        return sighting

    async def _read(self, text_sha256: str, snapshot_id: str) -> Sighting | None:
        line = self._lines.get(snapshot_id) or await self._catalog.snapshot(snapshot_id)
        if line is None:
            raise NotYetError(
                "the catalog does not know a snapshot whose text is clustered",
                where=snapshot_id,
                next_step="wait until the catalog is rebuilt, or run `citevault rebuild`",
            )
        if line.conversion is None or line.snapshot.text_sha256 != text_sha256:
            return None
        text = await read_text(self._store, line.conversion, text_sha256)
        return None if text is None else sighting_of(text, line.snapshot, line.outlinks)


async def read_text(store: TextSource, place: MemberLocation, text_sha256: str) -> str | None:
    """The text of a conversion record, which must have this digest. None: it was taken down."""
    if place.length > MAX_MEMBER_BYTES:
        raise CorruptError("a conversion record is too large to be one of ours", where=place.key)
    record = read_member(await store.get_range(place.key, place.offset, place.length), LIMITS)
    if isinstance(record, CorruptRecord):
        raise CorruptError(
            f"a conversion record cannot be read: {record.what}",
            where=f"{place.key} at {place.offset}",
            next_step="restore the object from a copy of the bucket",
        )
    try:
        if record.type == "metadata":  # a tombstone stands where the text was
            return None
        if record.id != place.record_id or record.block.sha256 != text_sha256:
            raise CorruptError(
                f"the conversion record does not hold the text {text_sha256}",
                where=f"{place.key} at {place.offset}",
                next_step="restore the object from a copy of the bucket",
            )
        return record.block.read().decode("utf-8")
    finally:
        record.block.close()


def _size(sighting: Sighting | None) -> int:
    return 1 if sighting is None else 1 + len(sighting.shingles.values)
