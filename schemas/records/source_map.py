"""The source map of one run: what a language model was shown, piece by piece, and may cite (R101-R106).

A chunk is a span of a snapshot's text and nothing else: `text[char_start:char_end]` is the chunk's text (X11). Its id
is `<source>.<chunk>`, both from 1, good for one run. `source_id` is the run's own number of a source (X9); what stays
for good is `snapshot_id`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from schemas.records.base import Count, Id, LongText, Record, Sha256, ShortText, Url, UtcTime
from schemas.records.snapshot import ReaderStatus, SnapshotId

MapIndex = Annotated[int, Field(ge=1, le=999_999)]
ChunkId = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,5}\.[1-9][0-9]{0,5}$")]


class Chunk(Record):
    """A piece of a source that can be cited (R105)."""

    source_id: MapIndex
    chunk_id: ChunkId
    title: ShortText | None
    url: Url
    section: ShortText | None
    """Headings above it, outermost first, joined by ` > `."""
    text: LongText
    char_start: Count
    char_end: Count
    token_estimate: Count


class MappedSource(Record):
    """A source that was opened and read (R102, R103)."""

    source_id: MapIndex
    snapshot_id: SnapshotId
    canonical_url: Url
    """The normalized URL of the snapshot; never what the page declares (X19)."""
    original_url: Url
    title: ShortText | None
    provider: ShortText
    search_rank: Count | None
    retrieved_at: UtcTime
    opened: Literal[True]
    content_type: ShortText | None
    reader_status: Literal[ReaderStatus.OK]
    text_sha256: Sha256
    chunks: tuple[Chunk, ...]


class UnopenedSource(Record):
    """What a search found and nobody could read: for tracing, never citeable (R101, R123)."""

    url: Url
    why: ShortText


class SourceMap(Record):
    schema_id: Literal["citevault/source-map@1"] = Field(alias="schema")
    run_id: Id
    query: LongText | None
    created_at: UtcTime
    sources: tuple[MappedSource, ...]
    unopened: tuple[UnopenedSource, ...] = ()
