"""What a dead worker's segment still holds: the visits that are whole, ready to be committed as a part.

The file is cut back to its last whole record, then to the last visit that its journal names, so that no
record stays in it that no receipt would tell of. Each record was read, inflated and held against its
digests on the way; a visit counts only where every one of its records lies where the journal says. What
fell off is fetched again.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from schemas.records.outcome import RecordLocation
from workers.archive import cdxj
from workers.archive.journal import OPEN_SUFFIX, JournalHead, VisitNote, read_journal_of
from workers.archive.recovery import recover
from workers.archive.segment import ClosedSegment

READ_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Salvaged:
    """A segment that can be committed."""

    head: JournalHead
    closed: ClosedSegment
    visits: tuple[VisitNote, ...]
    cut_bytes: int
    lost: tuple[RecordLocation, ...]
    """Records that were durable by the journal and are gone: the disk lost them, which is a case for an alert."""


@dataclass(frozen=True, slots=True)
class Spoiled:
    """Nothing in the file can be committed; `why` is for the log. The file may be removed."""

    why: str


def salvage(segment: Path) -> Salvaged | Spoiled:
    """Cut a segment back to what can be committed, and tell it as if it had just been closed."""
    journal = read_journal_of(segment)
    if journal.head is None:
        return Spoiled("it has no journal that says whose it is")
    recovered = recover(segment)
    if recovered.path is None:
        return Spoiled("no record in it is whole")
    if recovered.cut_bytes and not segment.name.endswith(OPEN_SUFFIX):
        # It was whole once, and may lie in the store under its name: other bytes must not take that place.
        return Spoiled("it had been closed, and the disk lost its end")
    there = frozenset(recovered.records)
    if journal.head.warcinfo not in there:
        return Spoiled("its first record is not the warcinfo of its journal")
    visits = tuple(takewhile(lambda visit: there.issuperset(visit.records), journal.visits))
    if not visits:
        return Spoiled("no visit in it is whole")
    end = max(place.offset + place.length for visit in visits for place in (journal.head.warcinfo, *visit.records))
    closed = _closed(recovered.path, end, journal.head, visits, [place for place in there if place.offset < end])
    lost = tuple(place for visit in journal.visits for place in visit.records if place not in there)
    return Salvaged(journal.head, closed, visits, recovered.cut_bytes + recovered.size - end, lost)


def _closed(
    path: Path, end: int, head: JournalHead, visits: tuple[VisitNote, ...], records: list[RecordLocation]
) -> ClosedSegment:
    digest = hashlib.sha256()
    with path.open("r+b") as file:
        if file.seek(0, os.SEEK_END) > end:
            file.truncate(end)
            os.fsync(file.fileno())
        file.seek(0)
        while piece := file.read(READ_BYTES):
            digest.update(piece)
    lines = [line.encode("utf-8") for visit in visits for line in visit.cdxj]
    return ClosedSegment(
        path=path,
        size=end,
        sha256=digest.hexdigest(),
        record_count=len(records),
        cdxj=cdxj.sort_lines(lines),
        cdxj_count=len(lines),
        warcinfo=head.warcinfo,
    )
