"""Citation numbers of a report: an append-only log, in which a number exists once its object does.

Numbers count from 1 in the order in which they were given, and are never given again: a merge leaves the higher one as
an alias of the lower (X6). A number takes a snapshot, never a bare URL (X20).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from schemas.records.base import Id, LongText, ParameterId, Record, ShortText, Url, UtcTime
from schemas.records.snapshot import SnapshotId
from schemas.records.source import SourceId

MAX_CHANGES = 10_000
Number = Annotated[int, Field(ge=1, le=2**31)]
SectionName = Annotated[str, StringConstraints(min_length=1, max_length=512)]
Reason = Annotated[str, StringConstraints(min_length=10, max_length=100_000)]


class CitedSnapshot(Record):
    """A snapshot as it was cited: its own number may later be found under another URL policy."""

    snapshot_id: SnapshotId
    source_id: SourceId
    normalized_url: Url
    fragment: LongText | None


class AllocateNumber(Record):
    """The next free number, for a URL that had none (R037, R038)."""

    kind: Literal["allocate"]
    number: Number
    citation_url: Url
    title: ShortText | None
    source_channel: ShortText
    section: SectionName
    cited: CitedSnapshot


class UseNumber(Record):
    """A number is used in a further section, or for a further snapshot; nothing else of it changes (R041)."""

    kind: Literal["use"]
    number: Number
    section: SectionName
    cited: CitedSnapshot


class MergeNumbers(Record):
    """Two numbers turned out to be one resource: `number` becomes an alias of the lower `into` (R050)."""

    kind: Literal["merge"]
    number: Number
    into: Number
    why: Reason


class SeparateNumber(Record):
    """A merge is taken back: `number` stands for itself again."""

    kind: Literal["separate"]
    number: Number
    why: Reason


class SplitNumber(Record):
    """Some of what a number was given for is another resource under a new policy, and gets the next free number."""

    kind: Literal["split"]
    number: Number
    from_number: Number
    citation_url: Url
    snapshot_ids: tuple[SnapshotId, ...] = Field(min_length=1)


class NumberedUrl(Record):
    """Which number a URL has under a policy."""

    citation_url: Url
    number: Number


class MigratePolicy(Record):
    """From here on numbers are found under another URL policy; `urls` is its whole table. The merges and splits that
    it brings stand before it in the same object."""

    kind: Literal["migrate"]
    policy: ParameterId
    urls: tuple[NumberedUrl, ...]
    why: Reason


NumberChange = Annotated[
    AllocateNumber | UseNumber | MergeNumbers | SeparateNumber | SplitNumber | MigratePolicy,
    Field(discriminator="kind"),
]


class NumberLog(Record):
    """`numbers/<report>/<seq>.json`: changes that were made together, created with `If-None-Match: *`."""

    schema_id: Literal["citevault/number-log@1"] = Field(alias="schema")
    report: Id
    sequence: Annotated[int, Field(ge=1, le=2**31)]
    at: UtcTime
    by: ShortText
    policy: ParameterId
    """The URL policy that numbers are found under after this object."""
    changes: tuple[NumberChange, ...] = Field(min_length=1, max_length=MAX_CHANGES)
