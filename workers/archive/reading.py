"""Reading our own files back: one member by its place, or all members in order.

A member is inflated piece by piece and within limits, so a file from a store can neither fill the
memory nor raise anything but a `CorruptRecord`, which is a value. Files of other writers are read by
other means.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from workers.archive.inflate import Member, MemberDamagedError
from workers.archive.parsing import CorruptRecord, ReadingLimits, WarcRecord, parse_record

DEFAULT_LIMITS = ReadingLimits()


@dataclass(frozen=True, slots=True)
class Located:
    """One member of a file and where it lies."""

    offset: int
    length: int
    record: WarcRecord | CorruptRecord


def read_member(data: bytes, limits: ReadingLimits = DEFAULT_LIMITS) -> WarcRecord | CorruptRecord:
    """The record in one gzip member. Bytes after the member are a fault."""
    return read_at(io.BytesIO(data), 0, len(data), limits)


def read_at(
    stream: BinaryIO, offset: int, length: int, limits: ReadingLimits = DEFAULT_LIMITS
) -> WarcRecord | CorruptRecord:
    """The record whose member has this place in a file, streamed. A member of another length is a fault."""
    stream.seek(offset)
    located = _read_one(Member(stream.read), offset, limits)
    record = located.record
    if isinstance(record, WarcRecord) and (located.length != length):
        record.block.close()
        return CorruptRecord(
            "member-length", "the gzip member is not as long as was said", record.id, str(length), str(located.length)
        )
    return record


def read_file(stream: BinaryIO, limits: ReadingLimits = DEFAULT_LIMITS) -> Iterator[Located]:
    """All members of a file in order, from where it stands. The first fault is given, and is the last item.

    Each record's block is the caller's to close once it has been used.
    """
    offset = 0
    pending = b""
    while True:
        pending = pending or stream.read(1)
        if not pending:
            return
        member = Member(stream.read, pending)
        located = _read_one(member, offset, limits)
        yield located
        if isinstance(located.record, CorruptRecord):
            return
        offset += located.length
        pending = member.unused


def _read_one(member: Member, offset: int, limits: ReadingLimits) -> Located:
    try:
        record = parse_record(member.pieces(), limits)
    except MemberDamagedError as damage:
        record = CorruptRecord("ends-early" if damage.ends_early else "gzip-damaged", str(damage))
    return Located(offset, member.consumed, record)
