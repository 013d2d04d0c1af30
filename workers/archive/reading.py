"""Reading WARC files: one record by its place, or all records in order.

A record is a gzip member, a Zstandard frame, or lies there uncompressed; which of them is told by its first
bytes. It is read piece by piece and within limits, so a file from a store, or from somebody else, can
neither fill the memory nor raise anything but a `CorruptRecord`, which is a value.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from workers.archive import zstd_frame
from workers.archive.inflate import Member, MemberDamagedError
from workers.archive.parsing import CorruptRecord, ReadingLimits, WarcRecord, parse_record
from workers.archive.plain import PlainRecord

DEFAULT_LIMITS = ReadingLimits()
SNIFFED_BYTES = 5


class Packed(Protocol):
    """A record as it lies in a file."""

    unused: bytes

    @property
    def consumed(self) -> int:
        """Its bytes in the file, once all pieces were taken."""

    def pieces(self) -> Iterator[bytes]:
        """Its content. MemberDamagedError where it cannot be had to its end."""


@dataclass(frozen=True, slots=True)
class Located:
    """One member of a file and where it lies."""

    offset: int
    length: int
    record: WarcRecord | CorruptRecord


def read_member(data: bytes, limits: ReadingLimits = DEFAULT_LIMITS) -> WarcRecord | CorruptRecord:
    """The record that these bytes are. Bytes after it are a fault."""
    return read_at(io.BytesIO(data), 0, len(data), limits)


def read_at(
    stream: BinaryIO, offset: int, length: int, limits: ReadingLimits = DEFAULT_LIMITS
) -> WarcRecord | CorruptRecord:
    """The record whose member has this place in a file, streamed. A member of another length is a fault."""
    stream.seek(offset)
    located = _read_one(packed_at(stream), offset, limits)
    record = located.record
    if isinstance(record, WarcRecord) and (located.length != length):
        record.block.close()
        return CorruptRecord(
            "member-length", "the member is not as long as was said", record.id, str(length), str(located.length)
        )
    return record


def read_file(stream: BinaryIO, limits: ReadingLimits = DEFAULT_LIMITS) -> Iterator[Located]:
    """All records of a file in order, from where it stands. The first fault is given, and is the last item.

    Each record's block is the caller's to close once it has been used.
    """
    offset = 0
    pending = b""
    while True:
        pending = pending or stream.read(1)
        if not pending:
            return
        packed = packed_at(stream, pending)
        located = _read_one(packed, offset, limits)
        yield located
        if isinstance(located.record, CorruptRecord):
            return
        offset += located.length
        pending = packed.unused


def packed_at(stream: BinaryIO, pending: bytes = b"") -> Packed:
    """The record that begins here. What is neither frame nor plain record is for gzip to refuse."""
    while len(pending) < SNIFFED_BYTES and (piece := stream.read(SNIFFED_BYTES - len(pending))):
        pending += piece
    if pending.startswith(b"WARC/"):
        return PlainRecord(stream.read, pending)
    if pending.startswith((zstd_frame.MAGIC, zstd_frame.DICTIONARY_MAGIC)):
        return zstd_frame.Frame(stream.read, pending)
    return Member(stream.read, pending)


def _read_one(member: Packed, offset: int, limits: ReadingLimits) -> Located:
    try:
        record = parse_record(member.pieces(), limits)
    except MemberDamagedError as damage:
        record = CorruptRecord("ends-early" if damage.ends_early else "member-damaged", str(damage))
    return Located(offset, member.consumed, record)
