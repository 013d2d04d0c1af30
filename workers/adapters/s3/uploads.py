"""`Uploads` over S3's multipart uploads. What is in the bucket alone says what is there of one: nothing is remembered.

Stores differ in what they tell. AWS lists parts with their checksums; SeaweedFS lists none, and a part twice that was
sent twice. So a part whose checksum was not told counts as unconfirmed, and an object with one is read back.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from workers.adapters.changed import GIVES_BACK_OTHERS, STOP_WRITING
from workers.adapters.file_span import FileSpan
from workers.adapters.object_key import checked_prefix
from workers.adapters.s3 import multipart
from workers.adapters.s3.bucket import S3Bucket
from workers.adapters.s3.translate import code_of, s3_errors
from workers.errors import CorruptError, ObjectMissingError, UploadLostError
from workers.ports import FilePart, Upload, UploadedPart

if TYPE_CHECKING:
    from mypy_boto3_s3.type_defs import ListMultipartUploadsRequestTypeDef, ListPartsRequestTypeDef

OTHER_PARTS = frozenset({"InvalidPart", "InvalidPartOrder", "BadDigest"})


class S3Uploads:
    """The unfinished uploads of one bucket and prefix."""

    def __init__(self, bucket: S3Bucket) -> None:
        self._bucket = bucket
        self._run = bucket.threads.run

    async def begin(self, key: str, *, content_type: str = "application/octet-stream") -> Upload:
        return await self._run(self._begin, key, content_type)

    async def send(self, upload: Upload, number: int, part: FilePart) -> UploadedPart:
        return await self._run(self._send, upload, number, part)

    async def parts(self, upload: Upload) -> Sequence[UploadedPart]:
        return await self._run(self._parts, upload)

    async def complete(
        self, upload: Upload, parts: Sequence[UploadedPart], digests: Sequence[str], *, sha256: str
    ) -> None:
        await self._run(self._complete, upload, parts, digests, sha256)

    async def abort(self, upload: Upload) -> None:
        await self._run(self._abort, upload)

    async def begun(self, prefix: str) -> AsyncIterator[Upload]:
        """Page by page, in the store's own order."""
        marker: tuple[str, str] | None = None
        while True:
            uploads, following = await self._run(self._page, prefix, marker)
            for upload in uploads:
                yield upload
            if following is None or following == marker:
                return
            marker = following

    # --- one blocking call each, run in a thread -------------------------------------------------

    def _begin(self, key: str, content_type: str) -> Upload:
        begun_at = datetime.now(UTC)
        with s3_errors(self._bucket.where(key)):
            return Upload(key, multipart.begin(self._place(key), content_type), begun_at)

    def _send(self, upload: Upload, number: int, part: FilePart) -> UploadedPart:
        with s3_errors(self._bucket.where(upload.key)), FileSpan(part.path, part.offset, part.size) as span:
            sent = multipart.send(self._place(upload.key), upload.id, number, span, bytes.fromhex(part.sha256))
        return UploadedPart(number, part.size, sent.etag, part.sha256 if sent.echoed else None)

    def _parts(self, upload: Upload) -> Sequence[UploadedPart]:
        found: list[UploadedPart] = []
        options: ListPartsRequestTypeDef = {
            "Bucket": self._bucket.name,
            "Key": self._bucket.key(upload.key),
            "UploadId": upload.id,
        }
        while True:
            with s3_errors(self._bucket.where(upload.key)):
                answer = self._bucket.client().list_parts(**options)
            for part in answer.get("Parts", ()):
                checksum = _hex(part.get("ChecksumSHA256", ""))
                found.append(UploadedPart(part["PartNumber"], part["Size"], part["ETag"], checksum))
            following = answer.get("NextPartNumberMarker", 0)
            if not answer.get("IsTruncated") or following == options.get("PartNumberMarker", 0):
                return found
            options["PartNumberMarker"] = following

    def _complete(self, upload: Upload, parts: Sequence[UploadedPart], digests: Sequence[str], sha256: str) -> None:
        where = self._bucket.where(upload.key)
        size = sum(part.size for part in parts)
        sent = [
            multipart.Sent(part.number, part.etag, bytes.fromhex(digest), part.sha256 == digest)
            for part, digest in zip(parts, digests, strict=True)
        ]
        try:
            with s3_errors(where):
                confirmed = self._completed(upload, sent, size, where)
        except UploadLostError:
            # Perhaps boto3's own second try met what the first had completed: equal bytes are success.
            if self._stored_sha256(upload.key) == bytes.fromhex(sha256):
                return
            raise
        if confirmed or self._stored_sha256(upload.key) == bytes.fromhex(sha256):
            return
        if all(part.echoed for part in sent):
            raise CorruptError(GIVES_BACK_OTHERS, where=where, next_step=STOP_WRITING)
        raise UploadLostError("the upload held other parts than were sent", where=where)

    def _completed(self, upload: Upload, sent: Sequence[multipart.Sent], size: int, where: str) -> bool:
        try:
            return multipart.complete(self._place(upload.key), upload.id, sent, size, {})
        except ClientError as refused:
            if code_of(refused) in OTHER_PARTS:
                raise UploadLostError(f"the store has other parts ({code_of(refused)})", where=where) from refused
            raise

    def _stored_sha256(self, key: str) -> bytes | None:
        try:
            return self._bucket.stored_sha256(key)
        except ObjectMissingError:
            return None

    def _abort(self, upload: Upload) -> None:
        try:
            with s3_errors(self._bucket.where(upload.key)):
                multipart.abort(self._place(upload.key), upload.id)
        except UploadLostError:
            return

    def _page(self, prefix: str, marker: tuple[str, str] | None) -> tuple[Sequence[Upload], tuple[str, str] | None]:
        root = self._bucket.root
        options: ListMultipartUploadsRequestTypeDef = {
            "Bucket": self._bucket.name,
            "Prefix": root + checked_prefix(prefix),
        }
        if marker is not None:
            options["KeyMarker"], options["UploadIdMarker"] = marker
        with s3_errors(self._bucket.where(prefix)):
            answer = self._bucket.client().list_multipart_uploads(**options)
        uploads = [
            Upload(each["Key"].removeprefix(root), each["UploadId"], each["Initiated"].astimezone(UTC))
            for each in answer.get("Uploads", ())
        ]
        if not answer.get("IsTruncated") or not uploads:
            return uploads, None
        return uploads, (answer.get("NextKeyMarker", ""), answer.get("NextUploadIdMarker", ""))

    def _place(self, key: str) -> multipart.Place:
        return multipart.Place(self._bucket.client(), self._bucket.name, self._bucket.key(key))


def _hex(checksum: str) -> str | None:
    """A checksum in base64 as 64 hex; None where it is none of one part."""
    try:
        digest = base64.b64decode(checksum, validate=True)
    except ValueError:
        return None
    return digest.hex() if len(digest) == 32 else None
