"""A snapshot: what one resource said at one moment, as far as bytes and text can say it (R006, R081)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from schemas.records.base import (
    Count,
    Id,
    LongText,
    ParameterId,
    Record,
    RecordId,
    Sha256,
    ShortText,
    Url,
    UtcTime,
)
from schemas.records.job import CollectionName
from schemas.records.source import SourceId

SnapshotId = Annotated[str, StringConstraints(pattern=r"^snap-[0-9a-f]{12}-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}$")]


class ReaderStatus(StrEnum):
    """Whether the text may be cited (X18): only `ok` with a text is citeable."""

    OK = "ok"
    EMPTY = "empty"
    BLOCKED = "blocked"
    PAYWALL = "paywall"
    SOFT_404 = "soft_404"
    HTTP_ERROR = "http_error"
    TRUNCATED = "truncated"
    UNSUPPORTED_TYPE = "unsupported_type"
    EXTRACT_FAILED = "extract_failed"


class SnapshotRecords(Record):
    """WARC record ids that a snapshot rests on."""

    request: RecordId | None = None
    response: RecordId
    """Record of the last response: a `response`, or a `revisit` whose payload lies in `payload`."""
    payload: RecordId
    """The `response` record that holds the payload; equal to `response` unless that is a revisit."""
    conversion: RecordId | None = None
    metadata: RecordId | None = None


class Heading(Record):
    """A heading found in the text, for locators. `start` counts code points of the text-v1 text."""

    level: Annotated[int, Field(ge=1, le=6)]
    text: ShortText
    start: Count


class RobotsDirective(Record):
    """A wish about what robots do with the page, as its server or the page itself uttered it. Recorded, not obeyed:
    robots.txt alone decides on fetching (RFC 9309)."""

    source: Literal["meta", "header"]
    """A `meta` element of the page, or an `X-Robots-Tag` field of the answer."""
    agent: ShortText | None
    """The robot that is addressed, in lower case; null: all of them."""
    directive: ShortText
    """Such as `noindex`, `noarchive`, `unavailable_after: 25 Jun 2030 15:00:00 GMT`; its name in lower case."""


MAX_SERVER_DIGESTS = 20


class ServerDigest(Record):
    """What the server said its content's digest is, and whether it is (RFC 9530; RFC 3230)."""

    field: Literal["content-digest", "repr-digest", "unencoded-digest", "digest"]
    """The field of the answer's head, in lower case."""
    algorithm: ShortText | None
    """As the field names it, in lower case; null where the field cannot be read."""
    agrees: bool | None
    """Null: it could not be compared, and `reason` says why."""
    reason: ShortText | None


class Snapshot(Record):
    """Every field of R081 and the four URLs of R032. Nullable fields are always present in the file."""

    schema_id: Literal["citevault/snapshot@1"] = Field(alias="schema")
    id: SnapshotId
    source_id: SourceId
    job_id: Id
    collection: CollectionName
    visit: Count

    requested_url: Url
    final_url: Url
    declared_canonical: Url | None
    normalized_url: Url
    fragment: LongText | None

    retrieved_at: UtcTime
    http_status: int | None
    content_type: ShortText | None
    charset: ShortText | None
    etag: ShortText | None
    """Verbatim, quotes included (R082)."""
    last_modified: ShortText | None
    """The HTTP-date as sent (R082)."""

    content_sha256: Sha256
    """Message content as received: transfer coding removed, content coding intact."""
    raw_sha256: Sha256
    """Alias of `content_sha256` (R052); equal, or the record is refused."""
    repr_sha256: Sha256 | None
    """RFC 9530 representation; null for 206 and truncated."""
    decoded_sha256: Sha256 | None
    """Content coding removed; null where it could not be."""
    text_sha256: Sha256 | None
    """UTF-8 bytes of the text-v1 text; null where there is no text."""
    content_bytes: Count
    text_chars: Count | None

    extractor: ParameterId | None
    normalizer: ParameterId
    url_policy: ParameterId
    reader_status: ReaderStatus
    reader_reason: ShortText | None
    """Which rule decided a status other than `ok`."""

    title: ShortText | None
    author: ShortText | None
    publisher: ShortText | None
    published_at: ShortText | None
    """ISO 8601 date or date-time as far as the page tells it."""
    published_source: ShortText | None
    modified_at: ShortText | None
    language: ShortText | None
    robots_directives: Annotated[tuple[RobotsDirective, ...], Field(max_length=200)] = ()
    """Those of the answer's head, then those of the page."""
    server_digests: Annotated[tuple[ServerDigest, ...], Field(max_length=MAX_SERVER_DIGESTS)] = ()
    """Each algorithm that a digest field of the answer's head names, compared with what came."""

    records: SnapshotRecords
    text_path: ShortText | None
    archive_url: Url | None
    retention: Literal["full", "quote_only"] = "full"

    @model_validator(mode="after")
    def _raw_is_the_alias(self) -> Snapshot:
        if self.raw_sha256 != self.content_sha256:
            raise ValueError("raw_sha256 must equal content_sha256")
        return self

    @property
    def citeable(self) -> bool:
        """X18: there is a snapshot, it was read well, and its text is not empty."""
        return self.reader_status is ReaderStatus.OK and bool(self.text_chars)


class MemberLocation(Record):
    """One gzip member of a stored file. An unsigned look-up: compaction and import may change it."""

    key: ShortText
    record_id: RecordId
    offset: Count
    length: Count


class SnapshotLine(Record):
    """One line of `text/<extractor>/…/<segment>.jsonl.gz`: the snapshot and what later stages need beside it."""

    schema_id: Literal["citevault/snapshot-line@1"] = Field(alias="schema")
    snapshot: Snapshot
    segment_id: Id
    attempt: Id
    extracted_at: UtcTime | None = None
    """When the segment was extracted. Of several extractors' files for one segment the first counts; what was added
    later stands beside it."""
    conversion: MemberLocation | None
    headings: tuple[Heading, ...] = ()
    pages: tuple[Count, ...] = ()
    """Of a document that has pages: where each begins in the text, in code points. Page n begins at `pages[n - 1]`."""
    outlinks: tuple[Url, ...] = ()
    nofollow_outlinks: tuple[Url, ...] = ()
    """Those of them that are marked `rel="nofollow"` wherever the page has them."""
    outlinks_complete: bool = True
    """False: the page has more links than are read."""
    text_shingles: Count = 0
    blocks: tuple[BlockDigest, ...] = ()
    """Block digests of the WARC records named in `snapshot.records`."""


class BlockDigest(Record):
    """The SHA-256 of one WARC record's block."""

    record_id: RecordId
    block_sha256: Sha256


SnapshotLine.model_rebuild()
