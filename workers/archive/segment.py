"""The WARC file that a worker writes: `<segment>-<attempt>.warc.gz.open` (or `.zst`) until it is closed.

Beside it lies its journal (`workers.archive.journal`), until the file is committed.

Records are appended whole (`workers.archive.growing_file`), made durable in groups (at most 1 s or 4 MiB apart,
`needs_sync`), and the file is given its name last. Nothing may be uploaded or announced beyond `synced_size`
(`deploy/protocol.md, Order of writes`). After a failed write the file is cut back to its last whole
record; after a failed fsync it cannot be used any more, since what the disk holds is unknown.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from schemas.records.outcome import Hop, RecordLocation
from schemas.records.trusted import trusted
from workers.archive import cdxj
from workers.archive.file_parts import PART_BYTES
from workers.archive.growing_file import GrowingFile
from workers.archive.journal import (
    OPEN_SUFFIX,
    JournalHead,
    Standing,
    Told,
    head_line,
    journal_path,
    remove_segment,
    visit_line,
)
from workers.archive.packing import ENDINGS, Compression, packer
from workers.archive.record import NewId, Record, new_record_id
from workers.archive.warcinfo import Warcinfo

MAX_BYTES = 64 * 1024 * 1024
MAX_AGE_SECONDS = 30.0
SYNC_BYTES = 4 * 1024 * 1024
SYNC_SECONDS = 1.0


def should_close(size: int, first_record_at: float | None, now: float) -> bool:
    """Whether a segment is full: 64 MiB, or 30 s after its first record. Times by one monotonic clock."""
    return size >= MAX_BYTES or (first_record_at is not None and now - first_record_at >= MAX_AGE_SECONDS)


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose segment it is: what the journal must say so that another worker can go on with it."""

    job_id: str
    batch_id: str


@dataclass(frozen=True, slots=True)
class ClosedSegment:
    """A finished file, durable under its final name."""

    path: Path
    size: int
    sha256: str
    record_count: int
    """All records, the warcinfo included."""
    cdxj: bytes
    cdxj_count: int
    warcinfo: RecordLocation
    part_digests: tuple[str, ...] = field(default=(), compare=False)
    """SHA-256 of each part as it was written; none where another worker wrote it."""


class Appended(NamedTuple):
    """Where the records of one exchange lie, and their index lines."""

    places: tuple[RecordLocation, ...]
    lines: list[bytes]


class SegmentWriter:
    """Appends records to one segment. `sync` may run in a second thread; all else belongs to one."""

    def __init__(
        self,
        directory: Path,
        segment_id: str,
        attempt: str,
        warcinfo: Warcinfo,
        *,
        created_at: str,
        owner: Owner | None = None,
        cdxj_filename: str | None = None,
        compression: Compression = "gzip",
        part_bytes: int = PART_BYTES,
        new_id: NewId = new_record_id,
    ) -> None:
        """Create the file and write its warcinfo record.

        `created_at`: UTC time for the warcinfo record. `cdxj_filename`: what index lines call the file
        (its key relative to `warc/`); its bare name unless told otherwise. `part_bytes`: of the parts in which it goes
        up. Without an owner there is no journal.
        """
        name = f"{segment_id}-{attempt}.warc.{ENDINGS[compression]}"
        self.path = directory / name
        self.open_path = directory / (name + OPEN_SUFFIX)
        self.size = 0
        """Bytes of whole records so far."""
        self.synced_size = 0
        self.record_count = 0
        self.first_record_at: float | None = None
        self._cdxj_filename = cdxj_filename or name
        self._directory = directory
        self._packer = packer(compression)
        self._lines: list[bytes] = []
        self._to_journal: list[bytes] = []
        self._noted_lines = 0
        self._unsynced_since: float | None = None
        self._usable = True
        self._lock = threading.Lock()  # over what `append` and `sync` share
        self._file = GrowingFile(self.open_path, part_bytes)
        record = warcinfo.record(new_id(), created_at, name)
        self.warcinfo = self._append((record,), None)[0]
        self._journaled = owner is not None
        if owner is not None:
            head = JournalHead(
                job_id=owner.job_id,
                batch_id=owner.batch_id,
                segment_id=segment_id,
                attempt=attempt,
                opened_at=created_at,
                warcinfo=self.warcinfo,
            )
            self._to_journal.append(head_line(head))

    @property
    def warcinfo_id(self) -> str:
        """Id of the file's warcinfo record, for WARC-Warcinfo-ID."""
        return self.warcinfo.record_id

    @property
    def part_digests(self) -> tuple[str, ...]:
        """SHA-256 of each part of what is in the file."""
        return self._file.part_digests

    def append(self, records: Sequence[Record], now: float) -> tuple[RecordLocation, ...]:
        """Write records, all or none of them, and say where they lie. Not durable before the next `sync`.

        OSError (disk full) leaves the file as it was before the call.
        """
        places = self._append(records, now)
        if self.first_record_at is None:
            self.first_record_at = now
        return places

    def append_each(self, exchanges: Sequence[Sequence[Record]], now: float) -> list[Appended]:
        """The same for small exchanges of many visits at once. What to note of each is in the caller's hands."""
        self._check_usable()
        packed = [[self._packer.pack(record.whole()) for record in records] for records in exchanges]
        appended, offset = [], self.size
        for records, members in zip(exchanges, packed, strict=True):
            places, lines = self._located(records, [len(member) for member in members], offset)
            appended.append(Appended(places, lines))
            offset += sum([place.length for place in places])
        with self._lock:
            self._file.add(b"".join([member for members in packed for member in members]))
            for each in appended:
                self._take(each.places, each.lines, now)
        self._noted_lines = len(self._lines)
        if self.first_record_at is None:
            self.first_record_at = now
        return appended

    def note(
        self,
        told: Told | None,
        robots: Sequence[Hop] = (),
        standing: Standing = "ended",
        *,
        lines: Sequence[bytes] | None = None,
        json: bytes | None = None,
    ) -> None:
        """All records of a visit are appended: the journal will name it once they are durable. `lines`: those of its
        records, if not all that came since the last note. `json`: of what is told, where it is at hand."""
        if not self._journaled:
            return
        if lines is None:
            lines = self.lines_to_note()
        line = visit_line(told, robots, [each.decode("utf-8") for each in lines], standing, json)
        with self._lock:
            self._to_journal.append(line)

    def lines_to_note(self) -> Sequence[bytes]:
        """The index lines that came since the last note, or since this was asked."""
        lines = self._lines[self._noted_lines :]
        self._noted_lines = len(self._lines)
        return lines

    def needs_sync(self, now: float, most_bytes: int = SYNC_BYTES, most_seconds: float = SYNC_SECONDS) -> bool:
        """Whether 4 MiB or 1 s have gathered since the last sync, or what the caller allows."""
        since = self._unsynced_since
        if since is None:
            return False
        return self.size - self.synced_size >= most_bytes or now - since >= most_seconds

    def should_close(self, now: float) -> bool:
        """Whether this segment is full (`should_close`)."""
        return should_close(self.size, self.first_record_at, now)

    def sync(self) -> None:
        """Make everything appended before this call durable, then note its visits in the journal."""
        self._check_usable()
        with self._lock:
            self._file.flush()
            size, notes = self.size, self._to_journal
            self._to_journal, self._unsynced_since = [], None
        try:
            self._file.sync()
            if self.synced_size == 0:
                sync_directory(self._directory)
        except OSError:
            self._usable = False
            raise
        self.synced_size = size
        self._write_journal(notes)

    def close(self) -> ClosedSegment:
        """Make the file durable and give it its final name. The journal stays until the file is committed."""
        self.sync()
        self._close_file()
        self.open_path.rename(self.path)
        sync_directory(self._directory)
        return ClosedSegment(
            path=self.path,
            size=self.size,
            sha256=self._file.sha256,
            record_count=self.record_count,
            cdxj=cdxj.sort_lines(self._lines),
            cdxj_count=len(self._lines),
            warcinfo=self.warcinfo,
            part_digests=self.part_digests,
        )

    def abandon(self) -> None:
        """Stop writing, and leave the file with its journal to whoever takes the batch next.

        What cannot be noted any more, since the disk is full, is fetched again.
        """
        if not self._usable or not self._journaled:
            self.discard()
            return
        with self._lock:
            notes, self._to_journal = self._to_journal, []
        with contextlib.suppress(OSError):
            self._file.flush()  # the journal names no record that is not in the file
            self._write_journal(notes)
        self._close_file()

    def discard(self) -> None:
        """Give the file up and remove it."""
        self._close_file()
        remove_segment(self.open_path)

    def _append(self, records: Sequence[Record], now: float | None) -> tuple[RecordLocation, ...]:
        self._check_usable()
        members: list[bytes] = []
        for record in records:
            data = record.data()
            if data is None:
                return self._append_large(records, now)
            members.append(self._packer.pack(data))
        places, lines = self._located(records, [len(member) for member in members], self.size)
        with self._lock:
            self._file.add(b"".join(members))
            self._take(places, lines, now)
        return places

    def _append_large(self, records: Sequence[Record], now: float | None) -> tuple[RecordLocation, ...]:
        """The same for records of which one is too large to be held: written as they are compressed."""
        lengths: list[int] = []
        with self._lock:
            self._file.flush()
        self._file.stream(self._members(records, lengths))
        places, lines = self._located(records, lengths, self.size)
        with self._lock:
            self._take(places, lines, now)
        return places

    def _members(self, records: Sequence[Record], lengths: list[int]) -> Iterator[bytes]:
        """Each record as one member, a large one in pieces; `lengths` gets theirs."""
        for record in records:
            data, length = record.data(), 0
            pieces = (
                self._packer.pack_pieces(record.pieces(), record.size) if data is None else (self._packer.pack(data),)
            )
            for piece in pieces:
                length += len(piece)
                yield piece
            lengths.append(length)

    def _located(
        self, records: Sequence[Record], lengths: Sequence[int], offset: int
    ) -> tuple[tuple[RecordLocation, ...], list[bytes]]:
        """Where records of these packed lengths lie from an offset on, and their index lines."""
        places: list[RecordLocation] = []
        lines: list[bytes] = []
        for record, length in zip(records, lengths, strict=True):
            place = {"record_id": record.id, "type": record.type, "offset": offset, "length": length}
            places.append(trusted(RecordLocation, place))
            if record.index is not None:
                lines.append(cdxj.line(record.index, offset=offset, length=length, filename=self._cdxj_filename))
            offset += length
        return tuple(places), lines

    def _take(self, places: Sequence[RecordLocation], lines: list[bytes], now: float | None) -> None:
        self.size += sum([place.length for place in places])
        self.record_count += len(places)
        self._lines += lines
        if self._unsynced_since is None:
            self._unsynced_since = now

    def _write_journal(self, notes: Sequence[bytes]) -> None:
        """Append lines. What could not be written stays to be written first: a journal never leaves a visit out."""
        if not notes:
            return
        try:
            with journal_path(self.path).open("ab") as journal:
                journal.write(b"".join(notes))
        except OSError:
            with self._lock:
                self._to_journal = [*notes, *self._to_journal]
            raise

    def _close_file(self) -> None:
        self._file.close()
        self._usable = False

    def _check_usable(self) -> None:
        if not self._usable:
            raise ValueError(f"{self.open_path.name} is closed, or an fsync of it failed: start another attempt")


def sync_directory(directory: Path) -> None:
    """Make names in a directory durable."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
