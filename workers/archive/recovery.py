"""After a crash: cut an open segment back to its last whole record and give it its name.

A record counts as whole where its gzip member inflates to its end with the right checksum and the
record in it parses, ends where it says and fits its digests. Everything from the first fault on is cut
off. Nothing that follows is searched for, since a gap in the middle would go unseen.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from schemas.records.outcome import RecordLocation, RecordType
from workers.archive.journal import journal_path, read_journal
from workers.archive.parsing import CorruptRecord
from workers.archive.reading import read_file
from workers.archive.segment import OPEN_SUFFIX, sync_directory

_KNOWN_TYPES = frozenset(get_args(RecordType))


@dataclass(frozen=True, slots=True)
class Recovered:
    """What is left of a segment."""

    path: Path | None
    """Under its final name; None where no whole record was left and the file was removed."""
    size: int
    cut_bytes: int
    records: tuple[RecordLocation, ...]
    damage: CorruptRecord | None
    """Why the rest was cut off; None where nothing was."""
    lost: tuple[RecordLocation, ...]
    """Records that were durable by the journal and are gone: the disk lost them, which is a case for an alert."""


def recover(open_path: Path) -> Recovered:
    """Cut, make durable, rename `….open` to its final name, remove the journal. A whole file stays byte for byte."""
    if not open_path.name.endswith(OPEN_SUFFIX):
        raise ValueError(f"{open_path.name} is not an open segment: its name does not end with {OPEN_SUFFIX}")
    records: list[RecordLocation] = []
    damage: CorruptRecord | None = None
    size = 0
    with open_path.open("r+b") as file:
        for member in read_file(file):
            if isinstance(member.record, CorruptRecord):
                damage = member.record
                break
            member.record.block.close()
            size = member.offset + member.length
            if member.record.type in _KNOWN_TYPES and member.record.id.startswith("urn:uuid:"):
                records.append(
                    RecordLocation.model_validate(
                        {
                            "record_id": member.record.id,
                            "type": member.record.type,
                            "offset": member.offset,
                            "length": member.length,
                        }
                    )
                )
        cut_bytes = file.seek(0, os.SEEK_END) - size
        if cut_bytes:
            file.truncate(size)
        os.fsync(file.fileno())
    notes = journal_path(open_path)
    durable = read_journal(notes.read_bytes()) if notes.exists() else ()
    lost = tuple(place for place in durable if place.offset + place.length > size)
    path = _settle(open_path, keep=size > 0)
    notes.unlink(missing_ok=True)
    return Recovered(path, size, cut_bytes, tuple(records), damage, lost)


def _settle(open_path: Path, *, keep: bool) -> Path | None:
    final = open_path.with_name(open_path.name.removesuffix(OPEN_SUFFIX))
    if keep:
        open_path.rename(final)
    else:
        open_path.unlink()
    sync_directory(open_path.parent)
    return final if keep else None
