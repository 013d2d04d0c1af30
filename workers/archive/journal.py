"""The journal beside a segment: whose it is, and each visit whose records are on disk for certain.

One JSON document a line: first the head, then a `VisitNote` for each URL, appended after the fsync of
its records. With it a worker that finds the file of a dead one can commit what is whole in it
(`workers.archive.salvage`); without it the file says nothing of outcomes. It is never fsynced itself: a
process that is killed leaves what it wrote, and what a power cut takes from it is fetched again. It is
read with suspicion: a torn or strange line ends it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError, model_validator
from pydantic_core import to_json

from schemas.records.base import Id, LongText, Record, UtcTime
from schemas.records.outcome import Hop, RecordLocation, UnfinishedVisit, UrlOutcome
from schemas.records.requisite import RequisiteOutcome

SUFFIX = ".journal"
OPEN_SUFFIX = ".open"
MAX_JOURNAL_BYTES = 256 * 1024 * 1024  # 2,000 URLs with 20 hops each stay far below


Standing = Literal["ended", "pending", "completed"]
"""Of a URL's visit: over; waiting for requisites (`Receipt.pending`); noted as pending before, and over now."""
Told = UrlOutcome | UnfinishedVisit | RequisiteOutcome


class JournalHead(Record):
    """Whose segment it is, and what its receipt says of it beside the visits."""

    job_id: Id
    batch_id: Id
    segment_id: Id
    attempt: Id
    opened_at: UtcTime
    warcinfo: RecordLocation


class VisitNote(Record):
    """One URL or one requisite as the receipt will tell it, the robots.txt captures made on its way, and their index
    lines. With neither outcome nor unfinished visit nor requisite, there was only time for robots.txt."""

    outcome: UrlOutcome | None = None
    standing: Standing = "ended"
    unfinished: UnfinishedVisit | None = None
    requisite: RequisiteOutcome | None = None
    robots: tuple[Hop, ...] = ()
    cdxj: tuple[LongText, ...] = ()

    @model_validator(mode="after")
    def _tells_of_one_visit(self) -> VisitNote:
        told = (self.outcome is not None) + (self.unfinished is not None) + (self.requisite is not None)
        if told + bool(self.robots) == 0:
            raise ValueError("a note tells of an outcome, of an unfinished visit, of a requisite, or of robots.txt")
        if told > 1:
            raise ValueError("a visit is done or unfinished, or it is of a requisite")
        return self

    @property
    def told(self) -> Told | None:
        """What the receipt will say."""
        return self.outcome or self.unfinished or self.requisite

    @property
    def normalized_url(self) -> str | None:
        """Which URL needs no fetching any more in its batch."""
        told = self.outcome or self.unfinished
        return None if told is None else told.normalized_url

    @property
    def hops(self) -> tuple[Hop, ...]:
        """All exchanges of the visit."""
        return (*self.robots, *(self.told.hops if self.told is not None else ()))

    @property
    def records(self) -> tuple[RecordLocation, ...]:
        """All records of the visit."""
        return tuple(place for hop in self.hops for place in hop.records)


def visit_line(
    told: Told | None, robots: Sequence[Hop], lines: Sequence[str], standing: Standing, json: bytes | None = None
) -> bytes:
    """The line of a `VisitNote`, put together around what the receipt will say. To make the note itself first, and to
    write out its many absent fields, takes as long again, and there is one for every page. `json`: of what is told,
    where it is at hand. ValueError where there is nothing to tell."""
    if told is None and not robots:
        raise ValueError("a note tells of an outcome, of an unfinished visit, of a requisite, or of robots.txt")
    fields = [] if told is None else [b'"%b":%b' % (_field_of(told), json or told.model_dump_json().encode())]
    fields.append(b'"standing":"%b"' % standing.encode())
    if robots:
        fields.append(b'"robots":[%b]' % b",".join(hop.model_dump_json().encode() for hop in robots))
    fields.append(b'"cdxj":%b' % to_json(lines))
    return b"{%b}\n" % b",".join(fields)


def _field_of(told: Told) -> bytes:
    if isinstance(told, UrlOutcome):
        return b"outcome"
    return b"requisite" if isinstance(told, RequisiteOutcome) else b"unfinished"


@dataclass(frozen=True, slots=True)
class Journal:
    """What a journal says, up to the first line that is not whole."""

    head: JournalHead | None
    visits: tuple[VisitNote, ...]


def journal_path(segment: Path) -> Path:
    """Where the journal of a segment lies, whether that is open or closed."""
    return segment.with_name(segment.name.removesuffix(OPEN_SUFFIX) + SUFFIX)


def head_line(head: JournalHead) -> bytes:
    """The first line."""
    return head.model_dump_json().encode() + b"\n"


def read_journal(data: bytes) -> Journal:
    """The head and the visits of a journal."""
    lines = data.split(b"\n")[:-1]
    if not lines:
        return Journal(None, ())
    visits: list[VisitNote] = []
    try:
        head = JournalHead.model_validate_json(lines[0])
    except ValidationError:
        return Journal(None, ())
    for line in lines[1:]:
        try:
            visits.append(VisitNote.model_validate_json(line))
        except ValidationError:
            break
    return Journal(head, tuple(visits))


def read_journal_of(segment: Path) -> Journal:
    """The journal of a segment; an empty one where there is none, or where it is longer than one can be."""
    path = journal_path(segment)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_JOURNAL_BYTES + 1)
    except FileNotFoundError:
        return Journal(None, ())
    return Journal(None, ()) if len(data) > MAX_JOURNAL_BYTES else read_journal(data)


def remove_segment(segment: Path) -> None:
    """Remove a segment and its journal, the segment first: a journal alone brings nothing back. An open one may have
    its final name by now, where somebody tried to recover it."""
    segment.unlink(missing_ok=True)
    segment.with_name(segment.name.removesuffix(OPEN_SUFFIX)).unlink(missing_ok=True)
    journal_path(segment).unlink(missing_ok=True)
