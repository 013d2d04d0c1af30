"""Objects that go up in parts: each part with its SHA-256, the composite recomputed, the size asked for again.

A composite checksum is the SHA-256 of the parts' SHA-256 values with `-<parts>` appended; it is no digest of the
object, so it is only ever compared, never stored.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from workers.adapters.file_span import FileSpan
from workers.adapters.s3.client import WriteOptions

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import CompleteMultipartUploadRequestTypeDef

MIB = 1024 * 1024
MOST_PARTS = 10_000  # S3's limit
LEAST_PART_BYTES = 16 * MIB  # above S3's 5 MiB: fewer requests


@dataclass(frozen=True, slots=True)
class Place:
    """Where an object goes up to."""

    client: S3Client
    bucket: str
    key: str


class Sent(NamedTuple):
    """A part that the store took."""

    number: int
    etag: str
    digest: bytes
    """SHA-256 that its bytes must have."""
    echoed: bool
    """Whether the store repeated it."""


def part_size(size: int) -> int:
    """Whole MiB, so that no object needs more than 10,000 parts."""
    needed = -(-size // MOST_PARTS)
    return max(LEAST_PART_BYTES, -(-needed // MIB) * MIB)


def upload(place: Place, path: Path, options: WriteOptions) -> bool:
    """Upload a file in parts and complete it on the write's conditions. True: the store repeated every checksum and
    the size; False: the bytes must be read back. Raises botocore's errors; an upload that fails is aborted, so that
    its parts cost nothing."""
    upload_id = begin(place, options.get("ContentType", "application/octet-stream"))
    try:
        size = path.stat().st_size
        step = part_size(size)
        sent: list[Sent] = []
        for offset in range(0, size, step):
            with FileSpan(path, offset, min(step, size - offset)) as span:
                digest = hashlib.file_digest(span, "sha256").digest()  # type: ignore[arg-type]  # it has readinto
                sent.append(send(place, upload_id, len(sent) + 1, span, digest))
        return complete(place, upload_id, sent, size, options)
    except BaseException:
        with contextlib.suppress(ClientError, BotoCoreError):
            abort(place, upload_id)
        raise


def begin(place: Place, content_type: str) -> str:
    """Begin an upload; its id."""
    created = place.client.create_multipart_upload(
        Bucket=place.bucket, Key=place.key, ContentType=content_type, ChecksumAlgorithm="SHA256"
    )
    return created["UploadId"]


def send(place: Place, upload_id: str, number: int, span: FileSpan, digest: bytes) -> Sent:
    """Store one part with its checksum."""
    span.seek(0)
    checksum = base64.b64encode(digest).decode("ascii")
    answer = place.client.upload_part(
        Bucket=place.bucket,
        Key=place.key,
        UploadId=upload_id,
        PartNumber=number,
        Body=span,  # type: ignore[arg-type]  # botocore reads, seeks, and asks for its length
        ChecksumSHA256=checksum,
    )
    return Sent(number, answer["ETag"], digest, answer.get("ChecksumSHA256") == checksum)


def complete(place: Place, upload_id: str, sent: Sequence[Sent], size: int, options: WriteOptions) -> bool:
    """Make the object of these parts, on the write's conditions. True: the store repeated the checksums of all parts,
    their composite, and the size."""
    request: CompleteMultipartUploadRequestTypeDef = {
        "Bucket": place.bucket,
        "Key": place.key,
        "UploadId": upload_id,
        "MultipartUpload": {
            "Parts": [
                {
                    "ETag": part.etag,
                    "PartNumber": part.number,
                    "ChecksumSHA256": base64.b64encode(part.digest).decode("ascii"),
                }
                for part in sent
            ]
        },
    }
    if "IfNoneMatch" in options:
        request["IfNoneMatch"] = options["IfNoneMatch"]
    if "IfMatch" in options:
        request["IfMatch"] = options["IfMatch"]
    done = place.client.complete_multipart_upload(**request)
    stored = place.client.head_object(Bucket=place.bucket, Key=place.key)["ContentLength"]
    whole = composite([part.digest for part in sent])
    return all(part.echoed for part in sent) and done.get("ChecksumSHA256") == whole and stored == size


def abort(place: Place, upload_id: str) -> None:
    """Give the parts of an upload up."""
    place.client.abort_multipart_upload(Bucket=place.bucket, Key=place.key, UploadId=upload_id)


def composite(digests: Sequence[bytes]) -> str:
    """Composite checksum of these parts, as S3 writes it."""
    whole = base64.b64encode(hashlib.sha256(b"".join(digests)).digest()).decode("ascii")
    return f"{whole}-{len(digests)}"
