"""Small WARC files joined into a larger one: where their bytes lie now (`schemas/README.md, Compaction`).

A file is joined whole and unchanged, so one number a file tells the place of every record that was in it.
Nothing signed names a place, and no receipt changes.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.records.base import Count, Record, ShortText, UtcTime
from schemas.records.job import CollectionName
from schemas.records.outcome import RecordLocation
from schemas.records.receipt import StoredFile

Sequence = Annotated[int, Field(ge=1, le=9_999_999_999)]


class JoinedFile(Record):
    """A file that was joined. What lay at an offset in it lies at `start` + offset in the new one."""

    warc: StoredFile
    start: Count
    cdxj: StoredFile | None
    """Its index, which the new file's replaces."""
    receipt_key: ShortText | None
    """The receipt that names the file; None: an earlier compaction does."""


class Compaction(Record):
    """One entry of the compaction log: its creation is the commit. The new file is a warcinfo record of its own, then
    the joined files in this order, byte for byte."""

    schema_id: Literal["citevault/compaction@1"] = Field(alias="schema")
    sequence: Sequence
    compacted_at: UtcTime
    collection: CollectionName
    warc: StoredFile
    cdxj: StoredFile
    warcinfo: RecordLocation
    sources: tuple[JoinedFile, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _is_a_concatenation(self) -> Compaction:
        end = self.warcinfo.length
        for source in self.sources:
            if source.start != end:
                raise ValueError("a joined file must start where the one before it ends")
            end += source.warc.bytes
        if self.warcinfo.offset != 0 or end != self.warc.bytes:
            raise ValueError("warcinfo and joined files must be the whole file")
        if self.warc.entries != 1 + sum(source.warc.entries for source in self.sources):
            raise ValueError("the file's records must be the warcinfo and those of the joined files")
        if len({source.warc.key for source in self.sources} | {self.warc.key}) != len(self.sources) + 1:
            raise ValueError("a file cannot be joined twice")
        return self


class CompactionCleared(Record):
    """The files that a compaction joined are deleted, after every record of the new one was read and verified."""

    schema_id: Literal["citevault/compaction-cleared@1"] = Field(alias="schema")
    sequence: Sequence
    cleared_at: UtcTime
    deleted: Count
    """Objects."""
