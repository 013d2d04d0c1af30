"""Snapshot files read through a small cache: look-ups name a file and a line of it, and often the same file again."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Iterable
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from schemas.reading import DocumentError, read_stored
from schemas.records.base import Id, RecordId, Url, UtcTime
from schemas.records.snapshot import SnapshotId, SnapshotLine
from workers.errors import CorruptError
from workers.ports import ObjectStore

MAX_FILE_BYTES = 256 * 1024 * 1024
CACHE_BYTES = 32 * 1024 * 1024
"""Plain bytes that are kept; a file of 200 snapshots has some 600 kB."""


class _Brief(BaseModel):
    """Part of a record: what else it has is passed over, and so costs little."""

    model_config: ClassVar[ConfigDict] = ConfigDict(strict=True, frozen=True, extra="ignore", hide_input_in_errors=True)


class BriefSnapshot(_Brief):
    id: SnapshotId
    job_id: Id
    requested_url: Url
    normalized_url: Url
    retrieved_at: UtcTime


class BriefLocation(_Brief):
    key: str
    record_id: RecordId
    offset: int
    length: int


class BriefLine(_Brief):
    """What the catalog takes of a `SnapshotLine`, at a tenth of the time that the whole costs to read. The rest of a
    line is judged when somebody looks at it."""

    snapshot: BriefSnapshot
    extracted_at: UtcTime | None = None
    conversion: BriefLocation | None


def brief_lines(lines: Iterable[bytes], where: str) -> list[BriefLine]:
    """The lines of a snapshot file as the catalog takes them. CorruptError where one is none of ours."""
    found: list[BriefLine] = []
    for number, line in enumerate(lines, 1):
        document = read_stored(line, BriefLine)
        if isinstance(document, DocumentError):
            raise CorruptError(
                f"a snapshot cannot be read: {document}", where=f"{where} line {number}", next_step="restore the object"
            )
        found.append(document)
    return found


class SnapshotFiles:
    """Lines of `text/<extractor>/…jsonl.gz`. The files never change, so what was read once stays right."""

    def __init__(self, store: ObjectStore, *, cache_bytes: int = CACHE_BYTES) -> None:
        self._store = store
        self._capacity = cache_bytes
        self._held = 0
        self._files: OrderedDict[str, list[bytes]] = OrderedDict()

    async def line(self, key: str, number: int) -> SnapshotLine:
        """One line, from 0. CorruptError where the file is torn or has no such line."""
        lines = await self._lines(key)
        where = f"{key} line {number + 1}"
        if number >= len(lines):
            raise CorruptError("a snapshot file is shorter than it was", where=where, next_step="run rebuild")
        snapshot = read_stored(lines[number], SnapshotLine)
        if isinstance(snapshot, DocumentError):
            raise CorruptError(f"a snapshot cannot be read: {snapshot}", where=where, next_step="restore the object")
        return snapshot

    async def _lines(self, key: str) -> list[bytes]:
        if key in self._files:
            self._files.move_to_end(key)
            return self._files[key]
        lines = split_lines(await self._store.get(key, limit=MAX_FILE_BYTES), key)
        self._files[key] = lines
        self._held += _size(lines)
        while self._held > self._capacity and len(self._files) > 1:
            _, dropped = self._files.popitem(last=False)
            self._held -= _size(dropped)
        return lines


def split_lines(packed: bytes, where: str) -> list[bytes]:
    """The lines of a gzip JSONL object, without their ends. CorruptError where it is torn or too large."""
    inflater = zlib.decompressobj(wbits=31)
    try:
        plain = inflater.decompress(packed, MAX_FILE_BYTES)
    except zlib.error as error:
        raise CorruptError(f"a snapshot file is no gzip: {error}", where=where) from error
    if not inflater.eof:
        raise CorruptError("a snapshot file is torn or too large", where=where, next_step="restore the object")
    return plain.splitlines()


def _size(lines: list[bytes]) -> int:
    return sum(map(len, lines))
