"""`ObjectStore` over boto3. A write returns only when the store has confirmed the bytes.

By repeating our SHA-256, or by giving the bytes back (deploy/protocol.md). An ETag is never taken for a
digest.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import IncompleteReadError, ReadTimeoutError, ResponseStreamingError

from workers.adapters.changed import CHANGED, GIVES_BACK_OTHERS, LOOK_AT_DISK, STOP_WRITING
from workers.adapters.object_key import checked_prefix
from workers.adapters.s3 import multipart
from workers.adapters.s3.bucket import S3Bucket
from workers.adapters.s3.client import S3Location, WriteOptions
from workers.adapters.s3.translate import ConflictError, LostRaceError, s3_errors
from workers.adapters.s3.uploads import S3Uploads
from workers.errors import CorruptError, ObjectMissingError, PermanentError, RetryableError
from workers.ports import ObjectInfo

if TYPE_CHECKING:
    from mypy_boto3_s3.type_defs import ListObjectsV2RequestTypeDef

CONFLICT_TRIES = 5
READ_TRIES = 3
BROKEN_OFF = (IncompleteReadError, ResponseStreamingError, ReadTimeoutError)


class S3ObjectStore:
    """One bucket and prefix. Safe to use from several event loops and threads; `close()` when done."""

    def __init__(self, location: S3Location) -> None:
        self._bucket = S3Bucket(location)
        self._threads = self._bucket.threads
        self._uploads = S3Uploads(self._bucket)

    @property
    def location(self) -> S3Location:
        return self._bucket.location

    @property
    def uploads(self) -> S3Uploads:
        return self._uploads

    def close(self) -> None:
        """Wait for what runs, then let go of the connections."""
        self._bucket.close()

    async def put(
        self,
        key: str,
        body: bytes | Path,
        *,
        content_type: str = "application/octet-stream",
        sha256: str | None = None,
    ) -> None:
        known = None if sha256 is None else bytes.fromhex(sha256)
        await self._threads.run(self._put, key, body, content_type, known)

    async def create(self, key: str, body: bytes | Path, *, content_type: str = "application/octet-stream") -> bool:
        return await self._threads.run(self._create, key, body, content_type)

    async def replace(self, key: str, body: bytes, *, etag: str) -> bool:
        return await self._threads.run(self._replace, key, body, etag)

    async def get(self, key: str, *, limit: int | None = None) -> bytes:
        return await self._threads.run(self._get, key, limit)

    async def get_range(self, key: str, offset: int, length: int) -> bytes:
        return await self._threads.run(self._get_range, key, offset, length)

    async def info(self, key: str) -> ObjectInfo | None:
        return await self._threads.run(self._info, key)

    async def delete(self, key: str) -> None:
        await self._threads.run(self._delete, key)

    async def list(self, prefix: str) -> AsyncIterator[str]:
        """Keys under a prefix, page by page, in the store's own order."""
        token: str | None = None
        while True:
            keys, token = await self._threads.run(self._page, prefix, token)
            for key in keys:
                yield key
            if token is None:
                return

    # --- one blocking call each, run in a thread -------------------------------------------------

    def _put(self, key: str, body: bytes | Path, content_type: str, sha256: bytes | None) -> None:
        try:
            self._again_on_conflict(lambda: self._write(key, body, {"ContentType": content_type}, sha256))
        except RetryableError as refused:  # of a checksum, a store says that something went wrong on the way
            if sha256 is not None and _sha256(body) != sha256:
                raise CorruptError(CHANGED, where=self._bucket.where(key), next_step=LOOK_AT_DISK) from refused
            raise

    def _create(self, key: str, body: bytes | Path, content_type: str) -> bool:
        try:
            self._again_on_conflict(lambda: self._write(key, body, {"ContentType": content_type, "IfNoneMatch": "*"}))
        except LostRaceError:
            # Perhaps boto3's own second try met what the first had stored: equal bytes are success.
            return self._bucket.stored_sha256(key) == _sha256(body)
        return True

    def _replace(self, key: str, body: bytes, etag: str) -> bool:
        try:
            self._again_on_conflict(lambda: self._write(key, body, {"IfMatch": etag}))
        except LostRaceError as lost:
            return lost.retried and self._bucket.stored_sha256(key) == _sha256(body)
        except ObjectMissingError:
            return False
        return True

    def _write(self, key: str, body: bytes | Path, options: WriteOptions, sha256: bytes | None = None) -> None:
        """Store and confirm."""
        with s3_errors(self._bucket.where(key)):
            if isinstance(body, Path) and body.stat().st_size > self._bucket.location.multipart_bytes:
                place = multipart.Place(self._bucket.client(), self._bucket.name, self._bucket.key(key))
                confirmed = multipart.upload(place, body, options)
            else:
                confirmed = self._write_whole(key, body, options, sha256 or _sha256(body))
        if not confirmed and self._bucket.stored_sha256(key) != (sha256 or _sha256(body)):
            raise CorruptError(GIVES_BACK_OTHERS, where=self._bucket.where(key), next_step=STOP_WRITING)

    def _write_whole(self, key: str, body: bytes | Path, options: WriteOptions, sha256: bytes) -> bool:
        checksum = base64.b64encode(sha256).decode("ascii")
        with contextlib.ExitStack() as opened:
            data = body if isinstance(body, bytes) else opened.enter_context(body.open("rb"))
            answer = self._bucket.client().put_object(
                Bucket=self._bucket.name, Key=self._bucket.key(key), Body=data, ChecksumSHA256=checksum, **options
            )
        return answer.get("ChecksumSHA256") == checksum

    def _again_on_conflict(self, write: Callable[[], None]) -> None:
        """409 only says that somebody else was writing just then: who is right shows at the next try."""
        for attempt in range(CONFLICT_TRIES):
            try:
                return write()
            except ConflictError:
                if attempt == CONFLICT_TRIES - 1:
                    raise
                time.sleep(0.05 * 2**attempt)
        return None

    def _get(self, key: str, limit: int | None) -> bytes:
        return self._again_if_broken_off(lambda: self._read(key, limit))

    def _read(self, key: str, limit: int | None) -> bytes:
        with s3_errors(self._bucket.where(key)):
            answer = self._bucket.client().get_object(Bucket=self._bucket.name, Key=self._bucket.key(key))
            size = answer["ContentLength"]
            with contextlib.closing(answer["Body"]) as stream:
                if limit is not None and size > limit:
                    raise PermanentError(
                        f"the object has {size} bytes, more than {limit}", where=self._bucket.where(key)
                    )
                return stream.read()

    def _get_range(self, key: str, offset: int, length: int) -> bytes:
        if length == 0:
            return b""
        return self._again_if_broken_off(lambda: self._read_range(key, offset, length))

    def _read_range(self, key: str, offset: int, length: int) -> bytes:
        with s3_errors(self._bucket.where(key)):
            span = f"bytes={offset}-{offset + length - 1}"
            answer = self._bucket.client().get_object(Bucket=self._bucket.name, Key=self._bucket.key(key), Range=span)
            with contextlib.closing(answer["Body"]) as stream:
                if not answer.get("ContentRange", "").startswith(f"bytes {offset}-"):
                    raise PermanentError("the store does not answer ranges", where=self._bucket.where(key))
                data = stream.read(length + 1)
        if len(data) != length:
            raise CorruptError(
                f"{len(data)} bytes at {offset} instead of {length}",
                where=self._bucket.where(key),
                next_step="the object is shorter than what names it says: restore it or rebuild the index",
            )
        return data

    def _again_if_broken_off(self, read: Callable[[], bytes]) -> bytes:
        """boto3 tries a request again, but not a body that breaks off."""
        for attempt in range(READ_TRIES):
            try:
                return read()
            except RetryableError as broken:
                if attempt == READ_TRIES - 1 or not isinstance(broken.__cause__, BROKEN_OFF):
                    raise
        raise AssertionError("unreachable")

    def _info(self, key: str) -> ObjectInfo | None:
        try:
            with s3_errors(self._bucket.where(key)):
                answer = self._bucket.client().head_object(Bucket=self._bucket.name, Key=self._bucket.key(key))
        except ObjectMissingError:
            return None
        return ObjectInfo(key=key, size=answer["ContentLength"], etag=answer["ETag"])

    def _delete(self, key: str) -> None:
        with contextlib.suppress(ObjectMissingError), s3_errors(self._bucket.where(key)):
            self._bucket.client().delete_object(Bucket=self._bucket.name, Key=self._bucket.key(key))

    def _page(self, prefix: str, token: str | None) -> tuple[Sequence[str], str | None]:
        root = self._bucket.root
        options: ListObjectsV2RequestTypeDef = {"Bucket": self._bucket.name, "Prefix": root + checked_prefix(prefix)}
        if token is not None:
            options["ContinuationToken"] = token
        with s3_errors(self._bucket.where(prefix)):
            answer = self._bucket.client().list_objects_v2(**options)
        keys = [item["Key"].removeprefix(root) for item in answer.get("Contents", ())]
        return keys, answer.get("NextContinuationToken") if answer["IsTruncated"] else None


def _sha256(body: bytes | Path) -> bytes:
    if isinstance(body, bytes):
        return hashlib.sha256(body).digest()
    with body.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()
