"""Where WARC records lie: an unsigned look-up from receipts, snapshot lines and compactions, on disk, since logs are
long.

Nothing here is believed. A wrong place makes a record unreadable or of another digest; it cannot make
another record pass for the one that a leaf binds.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from schemas.findings import FindingKind
from schemas.reading import DocumentError, read_document, read_lines
from schemas.records.compaction import Compaction
from schemas.records.manifest import Leaf
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from validator.found import Found
from validator.leaf_records import LeafRecords, Located
from validator.limits import LIMITS
from validator.place import Place, Unavailable, read_all
from validator.warc import Broken, read_member

R = TypeVar("R", Receipt, Compaction)
MOST_JOINS: Final = 64
"""A file that was joined may be joined again; each time the file is larger, so that it never takes so many."""


@dataclass(frozen=True, slots=True)
class Location:
    key: str
    offset: int
    length: int


class Locations:
    """Record id to place, in a temporary database. The first place that is told wins; a file that was joined into
    another is followed there."""

    def __init__(self) -> None:
        self.lacking: list[tuple[str, str]] = []
        """Snapshot and record id of what was looked for and has no place."""

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="citevault-validate-")
        self._database = sqlite3.connect(Path(self._folder.name) / "locations.sqlite", isolation_level=None)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute(
            "CREATE TABLE place (record TEXT PRIMARY KEY, key TEXT, start INTEGER, length INTEGER) WITHOUT ROWID"
        )
        self._database.execute("CREATE TABLE joined (key TEXT PRIMARY KEY, into_key TEXT, start INTEGER) WITHOUT ROWID")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._database.close()
        self._folder.cleanup()

    def read(self, place: Place, found: Found) -> None:
        """Take in all receipts, snapshot lines and compactions. What cannot be read is told, and leaves its records
        unlocated, or where they were."""
        self._database.execute("BEGIN")
        for told in (_from_receipts(place, found), _from_snapshot_lines(place, found)):
            self._database.executemany("INSERT OR IGNORE INTO place VALUES (?, ?, ?, ?)", told)
        self._database.executemany("INSERT OR IGNORE INTO joined VALUES (?, ?, ?)", _from_compactions(place, found))
        self._database.execute("COMMIT")

    def tell_lacking(self, found: Found) -> None:
        """One finding for all records that nothing locates: they have one cause or few, which other findings name."""
        if self.lacking:
            snapshots = len({snapshot_id for snapshot_id, _ in self.lacking})
            found.add(
                FindingKind.WARC_NOT_LOCATED,
                ids=[record_id for _, record_id in self.lacking],
                actual=f"{len(self.lacking)} records of {snapshots} snapshots",
            )

    def find(self, record_id: str) -> Location | None:
        row = self._row("SELECT key, start, length FROM place WHERE record = ?", record_id)
        if row is None:
            return None
        key, start, length = str(row[0]), int(row[1]), int(row[2])
        for _ in range(MOST_JOINS):
            joined = self._row("SELECT into_key, start FROM joined WHERE key = ?", key)
            if joined is None:
                break
            key, start = str(joined[0]), start + int(joined[1])
        return Location(key, start, length)

    def _row(self, query: str, key: str) -> tuple[Any, ...] | None:
        with closing(self._database.execute(query, (key,))) as cursor:
            row: tuple[Any, ...] | None = cursor.fetchone()
        return row


def _names(place: Place, prefix: str, ending: str) -> Iterator[str]:
    names = place.names(prefix)
    if isinstance(names, Unavailable):
        return
    try:
        yield from (name for name in names if name.endswith(ending))
    except OSError:
        return


def _from_receipts(place: Place, found: Found) -> Iterator[tuple[str, str, int, int]]:
    for name in _names(place, "commits/", ".json"):
        receipt = _document(place, name, Receipt, found)
        if receipt is None or receipt.warc is None:
            continue
        # Of everything in it: a revisit may refer to what was captured as a requisite, as a robots.txt, or on the way
        # of a page that another receipt tells of.
        hops = [hop for outcome in receipt.outcomes for hop in outcome.hops]
        hops += [hop for requisite in receipt.requisites for hop in requisite.hops]
        hops += [hop for visit in receipt.unfinished for hop in visit.hops]
        hops += receipt.robots
        for hop in hops:
            for record in hop.records:
                yield record.record_id, receipt.warc.key, record.offset, record.length


def _from_compactions(place: Place, found: Found) -> Iterator[tuple[str, str, int]]:
    for name in _names(place, "compactions/", ".json"):
        if name.endswith("-cleared.json"):
            continue  # a note on what was deleted since
        compaction = _document(place, name, Compaction, found)
        if compaction is not None:
            for source in compaction.sources:
                yield source.warc.key, compaction.warc.key, source.start


def _document(place: Place, name: str, model: type[R], found: Found) -> R | None:
    data = read_all(place, name, LIMITS.document)
    read = data if isinstance(data, Unavailable) else read_document(data, model)
    if isinstance(read, Unavailable):
        found.add(FindingKind.WARC_PLACES_UNREAD, path=name, actual=read.detail or read.kind.description)
        return None
    if isinstance(read, DocumentError):
        found.add(FindingKind.WARC_PLACES_UNREAD, path=name, actual=read)
        return None
    return read


def _from_snapshot_lines(place: Place, found: Found) -> Iterator[tuple[str, str, int, int]]:
    for name in _names(place, "text/", ".jsonl.gz"):
        stream = place.open(name, LIMITS.compressed_record)
        if isinstance(stream, Unavailable):
            found.add(FindingKind.WARC_PLACES_UNREAD, path=name, actual=stream.detail)
            continue
        with stream:
            try:
                for line in read_lines(stream, SnapshotLine):
                    if isinstance(line.value, DocumentError):
                        at = f"/{line.number - 1}"
                        found.add(FindingKind.WARC_PLACES_UNREAD, path=name, pointer=at, actual=line.value)
                    elif line.value.conversion is not None:
                        told = line.value.conversion
                        yield told.record_id, told.key, told.offset, told.length
            except OSError as error:
                found.add(FindingKind.WARC_PLACES_UNREAD, path=name, actual=error.strerror)


def check_located(leaf: Leaf, place: Place, locations: Locations, found: Found) -> None:
    """The records of one leaf, read from where the look-up says."""
    with ExitStack() as scratch:

        def load(record_id: str) -> Located | None:
            ids = (leaf.snapshot_id, record_id)
            at = locations.find(record_id)
            if at is None:
                locations.lacking.append(ids)
                return None
            stream = place.open_range(at.key, at.offset, at.length, LIMITS.compressed_record)
            if isinstance(stream, Unavailable):
                found.add(stream.kind, path=at.key, ids=ids, detail=stream.detail)
                return None
            with stream:
                try:
                    record = read_member(stream, at.length, scratch, frames=True)
                except OSError as error:
                    found.add(FindingKind.FILE_UNREADABLE, path=at.key, ids=ids, detail=error.strerror or "")
                    return None
            if isinstance(record, Broken):
                kind = FindingKind.FILE_TOO_LARGE if record.too_large else FindingKind.WARC_MEMBER_BROKEN
                found.add(kind, path=at.key, ids=ids, actual=record.why)
                return None
            return Located(record, "", at.key)

        LeafRecords(leaf, load, found, scratch).check()
