"""The journal beside an open segment: which records were on disk for certain, and where.

A line is appended after the fsync of the records that it names, so a record in it that is missing from
the file after a crash was lost by the disk, not by the crash. It is read with suspicion all the same:
a torn or strange line ends it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from schemas.records.outcome import RecordLocation

SUFFIX = ".journal"


def journal_path(open_segment: Path) -> Path:
    """Where the journal of an open segment lies."""
    return open_segment.with_name(open_segment.name + SUFFIX)


def journal_lines(locations: Iterable[RecordLocation]) -> bytes:
    """Lines to append for these records."""
    return b"".join(
        json.dumps([place.offset, place.length, place.type, place.record_id]).encode("ascii") + b"\n"
        for place in locations
    )


def read_journal(data: bytes) -> tuple[RecordLocation, ...]:
    """The records that a journal names, up to the first line that is not whole."""
    places: list[RecordLocation] = []
    for line in data.split(b"\n")[:-1]:
        try:
            offset, length, record_type, record_id = json.loads(line)
            places.append(RecordLocation(record_id=record_id, type=record_type, offset=offset, length=length))
        except (ValueError, TypeError, ValidationError, RecursionError):
            break
    return tuple(places)
