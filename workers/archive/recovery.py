"""After a crash: cut a segment back to its last whole record and give it its name.

A record is whole where its member inflates to its end with the right checksum, since each record is one
gzip member or zstd frame. From the first member on that does not, everything is cut off; nothing beyond it is
searched for, since a gap in the middle would go unseen. A whole member that is not one record of ours
cannot come from a crash: it is kept, and reported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from schemas.records.outcome import RecordLocation
from workers.archive.inflate import MemberDamagedError
from workers.archive.journal import OPEN_SUFFIX
from workers.archive.parsing import CorruptRecord, ReadingLimits, WarcRecord, parse_record
from workers.archive.reading import packed_at
from workers.archive.segment import sync_directory

ANY_SIZE = ReadingLimits(max_block_bytes=2**62)
"""How large a body may be was decided when it was captured."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """What is left of a segment."""

    path: Path | None
    """Under its final name; None where no whole record was left and the file was removed."""
    size: int
    cut_bytes: int
    records: tuple[RecordLocation, ...]
    damage: str | None
    """Why the rest was cut off; None where nothing was."""
    strange: tuple[CorruptRecord, ...]
    """Whole members that were kept and are not one record of ours."""


@dataclass(frozen=True, slots=True)
class _WholeMember:
    offset: int
    length: int
    record: WarcRecord | CorruptRecord


def recover(segment: Path) -> Recovered:
    """Cut, make durable, and rename `….open` to its final name. A whole file stays byte for byte."""
    records: list[RecordLocation] = []
    strange: list[CorruptRecord] = []
    damage: str | None = None
    size = 0
    with segment.open("r+b") as file:
        try:
            for member in _whole_members(file):
                size = member.offset + member.length
                place = _place(member)
                if isinstance(place, CorruptRecord):
                    strange.append(place)
                else:
                    records.append(place)
        except MemberDamagedError as error:
            damage = str(error)
        cut_bytes = file.seek(0, os.SEEK_END) - size
        if cut_bytes:
            file.truncate(size)
        os.fsync(file.fileno())
    path = _settle(segment, keep=size > 0)
    return Recovered(path, size, cut_bytes, tuple(records), damage, tuple(strange))


def _whole_members(file: BinaryIO) -> Iterator[_WholeMember]:
    """Members in order; MemberDamagedError at the first that is not whole."""
    offset = 0
    pending = b""
    while True:
        pending = pending or file.read(1)
        if not pending:
            return
        member = packed_at(file, pending)
        pieces = member.pieces()
        record = parse_record(pieces, ANY_SIZE)
        if isinstance(record, WarcRecord):
            record.block.close()
        for _ in pieces:
            pass
        yield _WholeMember(offset, member.consumed, record)
        offset += member.consumed
        pending = member.unused


def _place(member: _WholeMember) -> RecordLocation | CorruptRecord:
    record = member.record
    if isinstance(record, CorruptRecord):
        return record
    try:
        return RecordLocation.model_validate(
            {"record_id": record.id, "type": record.type, "offset": member.offset, "length": member.length}
        )
    except ValidationError:
        return CorruptRecord("header", "record id or type is not of our kind", record.id)


def _settle(segment: Path, *, keep: bool) -> Path | None:
    final = segment.with_name(segment.name.removesuffix(OPEN_SUFFIX))
    if not keep:
        segment.unlink()
    elif segment != final:
        segment.rename(final)
    sync_directory(segment.parent)
    return final if keep else None
