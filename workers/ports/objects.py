"""The object store, and what goes up in parts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from workers.light import light


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """What the store says of an object. The ETag serves If-Match only; it is never a digest."""

    key: str
    size: int
    etag: str


@light
class Upload:
    """An object that is on its way into the store, part by part. Nobody sees it before it is completed."""

    key: str
    id: str
    begun_at: datetime
    """Aware, in UTC; of one that was found, by the store's clock."""


@light
class FilePart:
    """Bytes of a file that are one part of an upload."""

    path: Path
    offset: int
    size: int
    sha256: str


@light
class UploadedPart:
    """A part that the store has."""

    number: int
    """From 1."""
    size: int
    etag: str
    """The store's name for it, which completing asks for; it is never a digest."""
    sha256: str | None
    """64 lower-case hex, as the store says; None where it says none."""


class Uploads(Protocol):
    """Objects that go up in parts, over hours and by several processes where need be. Parts of one upload come in
    order, each but the last of the same size, at least 5 MiB. UploadLostError, from any of these calls: the upload was
    aborted, completed, or does not hold what it should; the object can go up anew."""

    async def begin(self, key: str, *, content_type: str = "application/octet-stream") -> Upload:
        """A new upload. There may be several of one key."""

    async def send(self, upload: Upload, number: int, part: FilePart) -> UploadedPart:
        """Store one part: its SHA-256 travels with the bytes, and the store checks it. The file is read in pieces. One
        that is sent again takes the place of the earlier, and ends those after it."""

    async def parts(self, upload: Upload) -> Sequence[UploadedPart]:
        """What is there of it, by number; a number twice where a part was sent twice."""

    async def complete(
        self, upload: Upload, parts: Sequence[UploadedPart], digests: Sequence[str], *, sha256: str
    ) -> None:
        """Make the object of these parts, and confirm it: by the checksums of its parts and its size, else by reading
        it back. `digests`: the SHA-256 that each of them must have; `sha256`: the one of the whole."""

    async def abort(self, upload: Upload) -> None:
        """Give its parts up; one that is gone is no error."""

    def begun(self, prefix: str) -> AsyncIterator[Upload]:
        """Uploads of keys under a prefix that are neither completed nor aborted, in no order that may be relied on."""


class ObjectStore(Protocol):
    """An S3-compatible bucket (and prefix), with read-after-write and conditional PUT."""

    @property
    def uploads(self) -> Uploads:
        """The same store, for objects that go up in parts."""

    async def put(
        self,
        key: str,
        body: bytes | Path,
        *,
        content_type: str = "application/octet-stream",
        sha256: str | None = None,
    ) -> None:
        """Store and confirm: a SHA-256 checksum travels with the bytes, and the store checks it. `sha256`: the one that
        the caller knows already; CorruptError where the file has come to hold other bytes."""

    async def create(self, key: str, body: bytes | Path, *, content_type: str = "application/octet-stream") -> bool:
        """Store with `If-None-Match: *`. True: these bytes are there now (also if an earlier try put them);
        False: other bytes were there first."""

    async def replace(self, key: str, body: bytes, *, etag: str) -> bool:
        """Store with `If-Match`. False: somebody else changed it in between."""

    async def get(self, key: str, *, limit: int | None = None) -> bytes:
        """The whole object; `limit` bytes at most, else PermanentError. ObjectMissingError if absent."""

    async def get_range(self, key: str, offset: int, length: int) -> bytes:
        """Exactly these bytes; CorruptError if the store returns fewer."""

    async def info(self, key: str) -> ObjectInfo | None:
        """Size and ETag, or None where there is no such object."""

    def list(self, prefix: str) -> AsyncIterator[str]:
        """Keys under a prefix, in no order that may be relied on."""

    async def delete(self, key: str) -> None:
        """Remove an object; one that is not there is no error. Only for what stands elsewhere, byte for byte, or what
        nothing names."""
