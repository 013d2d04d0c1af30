"""An S3 prefix as a `Place`, for `s3://` arguments only: the one file that knows boto3, and imports it when asked.

Reads only. Credentials and region come from where AWS tools look for them; `CITEVAULT_S3_ENDPOINT`
names another store than Amazon's. What cannot be reached is "could not look", never "not there".
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, cast

from schemas.findings import FindingKind
from validator.paths import is_safe_name
from validator.place import Unavailable
from validator.settings import RefusedInputError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

CONNECT_SECONDS = 10
READ_SECONDS = 60
TRIES = 4


class Bucket:
    """`prefix` is empty or ends in `/`."""

    def __init__(self, client: S3Client, bucket: str, prefix: str) -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = prefix

    def open(self, name: str, max_bytes: int) -> BinaryIO | Unavailable:
        return self._get(name, None, max_bytes)

    def open_range(self, name: str, offset: int, length: int, max_bytes: int) -> BinaryIO | Unavailable:
        if length > max_bytes:
            return Unavailable(
                FindingKind.FILE_TOO_LARGE, f"The part has {length} bytes, at most {max_bytes} are read."
            )
        if length == 0:
            return io.BytesIO()
        return self._get(name, f"bytes={offset}-{offset + length - 1}", max_bytes)

    def names(self, prefix: str) -> Iterator[str] | Unavailable:
        return self._list(prefix)

    def _list(self, prefix: str) -> Iterator[str]:
        """Raises OSError on the way where the store does not answer."""
        from botocore.exceptions import BotoCoreError, ClientError

        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=self._prefix + prefix
        )
        try:
            for page in pages:
                for entry in page.get("Contents", ()):
                    yield entry["Key"].removeprefix(self._prefix)
        except (BotoCoreError, ClientError) as error:
            raise OSError(0, _reason(error)) from error

    def _get(self, name: str, part: str | None, max_bytes: int) -> BinaryIO | Unavailable:
        from botocore.exceptions import BotoCoreError, ClientError

        if not is_safe_name(name):
            return Unavailable(FindingKind.FILE_UNSAFE_PATH, "")
        key = self._prefix + name
        try:
            if part is None:
                answer = self._client.get_object(Bucket=self._bucket, Key=key)
            else:
                answer = self._client.get_object(Bucket=self._bucket, Key=key, Range=part)
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            if code in ("NoSuchKey", "404"):
                return Unavailable(FindingKind.FILE_MISSING, "")
            if code in ("InvalidRange", "416"):
                return io.BytesIO()  # the object ends before the part begins, as a file would
            return Unavailable(FindingKind.FILE_UNREADABLE, _reason(error))
        except BotoCoreError as error:
            return Unavailable(FindingKind.FILE_UNREADABLE, _reason(error))
        body = _Body(cast(BinaryIO, answer["Body"]))
        if answer["ContentLength"] > max_bytes:
            body.close()
            return Unavailable(FindingKind.FILE_TOO_LARGE, f"It has {answer['ContentLength']} bytes.")
        return io.BufferedReader(body)


def open_bucket(bucket: str, prefix: str, endpoint: str | None) -> Bucket:
    """A bucket to read from. Raises RefusedInputError where boto3 is not installed or not usable."""
    try:
        import boto3
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError
    except ImportError:
        raise RefusedInputError("s3:// needs boto3: pip install './[s3]' in Citevault's checkout") from None
    config = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"mode": "standard", "total_max_attempts": TRIES},
        s3={"addressing_style": "path"} if endpoint else {},
    )
    try:
        client = boto3.session.Session().client("s3", endpoint_url=endpoint, config=config)
    except (BotoCoreError, ValueError) as error:
        raise RefusedInputError(f"s3:// cannot be used: {_reason(error)}") from None
    return Bucket(client, bucket, prefix)


def _reason(error: Exception) -> str:
    """The kind of a failure, without keys or addresses that its text may hold."""
    response = getattr(error, "response", None)
    code = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
    return f"The store answered {code}." if code else f"The store could not be asked ({type(error).__name__})."


class _Body(io.RawIOBase):
    """A response body whose failures are OSError, as those of a file are."""

    def __init__(self, body: BinaryIO) -> None:
        self._body = body

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        from botocore.exceptions import BotoCoreError

        try:
            data = self._body.read(len(buffer))
        except BotoCoreError as error:
            raise OSError(0, _reason(error)) from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._body.close()
        super().close()
