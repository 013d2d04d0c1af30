"""Look-ups over what is stored: originals, versions, requisites, places of records, snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from schemas.records.compaction import Compaction
from schemas.records.receipt import Receipt
from schemas.records.snapshot import MemberLocation, SnapshotLine
from workers.light import light


@light
class Original:
    """A committed `response` record that a revisit may refer to."""

    record_id: str
    target_uri: str
    date: str
    content_sha256: str


class RevisitIndex(Protocol):
    """Payload digest to original, within a collection. Entries appear only after their receipt."""

    async def find(self, collection: str, digests: Sequence[str]) -> Mapping[str, Original]: ...

    async def publish(self, collection: str, originals: Iterable[Original]) -> None: ...


@light
class KnownVersion:
    """The content that a URL had when it last came whole with status 200, and how to ask for a newer one."""

    original: Original | None
    """The committed `response` of this very URL that holds it; None: nothing that a 304 could refer to."""
    content_sha256: str
    content_bytes: int
    content_type: str | None
    etag: str | None
    last_modified: str | None
    received_at: str
    """When this content last came in full, RFC 3339."""
    confirmed: int = 0
    """304 in a row since then."""
    distrusted: bool = False
    """These validators are not to be sent."""


@dataclass(frozen=True, slots=True)
class VersionSeen:
    """What one hop of a receipt says of its URL. `version` None: there is nothing to ask with any more."""

    url: str
    at: str
    version: KnownVersion | None


class RequisiteIndex(Protocol):
    """Which page requisites a job has captured, by the address that is fetched. Entries appear only after their
    receipt: only what is captured may suppress a fetch."""

    async def captured(self, job_id: str, urls: Sequence[str]) -> frozenset[str]:
        """Those of these that the job has."""

    async def publish(self, job_id: str, urls: Sequence[str]) -> None:
        """Make captured ones known. Again is harmless."""


class VersionIndex(Protocol):
    """URL as fetched to the version that a conditional request asks about, within a collection. Entries appear only
    after their receipt; of one URL the newest capture counts, in whatever order they come."""

    async def find(self, collection: str, urls: Sequence[str]) -> Mapping[str, KnownVersion]:
        """In one round trip; what has none is absent from the answer."""

    async def publish(self, collection: str, seen: Iterable[VersionSeen]) -> None:
        """Take in what receipts say; again is harmless."""


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place in a stored file."""

    key: str
    offset: int


class CataloguedSnapshot(Protocol):
    """What a catalog remembers of a snapshot."""

    @property
    def id(self) -> str: ...

    @property
    def job_id(self) -> str: ...

    @property
    def requested_url(self) -> str: ...

    @property
    def normalized_url(self) -> str: ...

    @property
    def retrieved_at(self) -> str: ...


class CataloguedPlace(Protocol):
    """Where a record lies, and in which object."""

    @property
    def key(self) -> str: ...

    @property
    def record_id(self) -> str: ...

    @property
    def offset(self) -> int: ...

    @property
    def length(self) -> int: ...


class CataloguedLine(Protocol):
    """The part of a `SnapshotLine` that a catalog takes."""

    @property
    def snapshot(self) -> CataloguedSnapshot: ...

    @property
    def conversion(self) -> CataloguedPlace | None: ...


class Catalog(Protocol):
    """Look-ups derived from receipts and snapshot lines."""

    async def add_receipt(self, receipt: Receipt) -> None:
        """Remember where the records of a committed segment lie."""

    async def add_snapshots(self, snapshots_key: str, lines: Sequence[CataloguedLine]) -> None:
        """Remember the snapshots of an extracted segment."""

    async def locate(self, record_id: str) -> MemberLocation | None:
        """Where a WARC record lies now."""

    async def add_compaction(self, compaction: Compaction) -> None:
        """Remember where the files that it joined lie now. Again is harmless."""

    async def compacted(self) -> int:
        """Number of the last entry of the compaction log that was added; 0: none."""

    async def moved(self, key: str, offset: int) -> FilePlace | None:
        """Where lies now what lay there in a file that was joined since. None: the file was not joined."""

    async def snapshots_of(self, normalized_url: str) -> list[str]:
        """Snapshot ids of a resource, as requested or as final URL, newest first."""

    async def snapshot(self, snapshot_id: str) -> SnapshotLine | None:
        """The snapshot with its text location, or None."""

    async def newest(self, *, limit: int = 100, before: str | None = None) -> list[str]:
        """Snapshot ids of the archive, newest first."""

    async def snapshots_of_job(self, job_id: str) -> list[str]:
        """Snapshot ids of a job, in order of retrieval."""
