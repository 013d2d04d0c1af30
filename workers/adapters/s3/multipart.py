"""Objects too large for one PUT: each part with its SHA-256, the composite recomputed, the size asked for again.

A composite checksum is the SHA-256 of the parts' SHA-256 values with `-<parts>` appended; it is no digest of the
object, so it is only ever compared, never stored.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from workers.adapters.s3.client import WriteOptions

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import (
        CompletedPartTypeDef,
        CompleteMultipartUploadOutputTypeDef,
        CompleteMultipartUploadRequestTypeDef,
    )

MIB = 1024 * 1024
MOST_PARTS = 10_000  # S3's limit
LEAST_PART_BYTES = 16 * MIB  # above S3's 5 MiB: fewer requests, still little memory


def part_size(size: int) -> int:
    """Whole MiB, so that no object needs more than 10,000 parts."""
    needed = -(-size // MOST_PARTS)
    return max(LEAST_PART_BYTES, -(-needed // MIB) * MIB)


def upload(client: S3Client, bucket: str, key: str, path: Path, options: WriteOptions) -> bool:
    """Upload a file in parts and complete it on the write's conditions. True: the store repeated every checksum and
    the size; False: the bytes must be read back. Raises botocore's errors; an upload that fails is aborted, so that
    its parts cost nothing."""
    content_type = options.get("ContentType", "application/octet-stream")
    created = client.create_multipart_upload(
        Bucket=bucket, Key=key, ContentType=content_type, ChecksumAlgorithm="SHA256"
    )
    upload_id = created["UploadId"]
    try:
        return _upload_parts(client, bucket, key, path, upload_id, options)
    except BaseException:
        with contextlib.suppress(ClientError, BotoCoreError):
            client.abort_multipart_upload(Bucket=bucket, Key=key, UploadId=upload_id)
        raise


def _upload_parts(client: S3Client, bucket: str, key: str, path: Path, upload_id: str, options: WriteOptions) -> bool:
    parts: list[CompletedPartTypeDef] = []
    digests: list[bytes] = []
    echoed = True
    size = path.stat().st_size
    with path.open("rb") as stream:
        while piece := stream.read(part_size(size)):
            digest = hashlib.sha256(piece).digest()
            checksum = base64.b64encode(digest).decode("ascii")
            number = len(parts) + 1
            answer = client.upload_part(
                Bucket=bucket, Key=key, UploadId=upload_id, PartNumber=number, Body=piece, ChecksumSHA256=checksum
            )
            echoed = echoed and answer.get("ChecksumSHA256") == checksum
            digests.append(digest)
            parts.append({"ETag": answer["ETag"], "PartNumber": number, "ChecksumSHA256": checksum})
    done = _complete(client, bucket, key, upload_id, parts, options)
    stored = client.head_object(Bucket=bucket, Key=key)["ContentLength"]
    return echoed and done.get("ChecksumSHA256") == composite(digests) and stored == size


def _complete(
    client: S3Client, bucket: str, key: str, upload_id: str, parts: list[CompletedPartTypeDef], options: WriteOptions
) -> CompleteMultipartUploadOutputTypeDef:
    request: CompleteMultipartUploadRequestTypeDef = {
        "Bucket": bucket,
        "Key": key,
        "UploadId": upload_id,
        "MultipartUpload": {"Parts": parts},
    }
    if "IfNoneMatch" in options:
        request["IfNoneMatch"] = options["IfNoneMatch"]
    if "IfMatch" in options:
        request["IfMatch"] = options["IfMatch"]
    return client.complete_multipart_upload(**request)


def composite(digests: list[bytes]) -> str:
    """Composite checksum of these parts, as S3 writes it."""
    whole = base64.b64encode(hashlib.sha256(b"".join(digests)).digest()).decode("ascii")
    return f"{whole}-{len(digests)}"
