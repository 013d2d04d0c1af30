"""One bucket and prefix as the adapters of this package share them: its client, its threads, and its keys."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from typing import TYPE_CHECKING

from workers.adapters.object_key import checked
from workers.adapters.s3.client import S3Location, make_client
from workers.adapters.s3.translate import s3_errors
from workers.adapters.threads import Threads

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

CHUNK = 1024 * 1024


class S3Bucket:
    """Safe to use from several event loops and threads; `close()` when done."""

    def __init__(self, location: S3Location) -> None:
        self.location = location
        self.name = location.bucket
        self.root = f"{location.prefix}/" if location.prefix else ""
        """What all its keys begin with."""
        self.threads = Threads(location.connections, "s3")
        self._client: S3Client | None = None
        self._making = threading.Lock()

    def close(self) -> None:
        """Wait for what runs, then let go of the connections."""
        self.threads.close()
        if self._client is not None:
            self._client.close()

    def client(self) -> S3Client:
        """The client, made with the first call: loading boto3's service model takes a while."""
        with self._making:
            if self._client is None:
                self._client = make_client(self.location)
            return self._client

    def key(self, key: str) -> str:
        """What S3 calls the object."""
        return self.root + checked(key)

    def where(self, key: str) -> str:
        """Its address, for errors."""
        return f"s3://{self.name}/{self.root}{key}"

    def stored_sha256(self, key: str) -> bytes:
        """SHA-256 of the object as the store gives it, in a bounded amount of memory."""
        digest = hashlib.sha256()
        with s3_errors(self.where(key)):
            answer = self.client().get_object(Bucket=self.name, Key=self.key(key))
            with contextlib.closing(answer["Body"]) as stream:
                for piece in stream.iter_chunks(CHUNK):
                    digest.update(piece)
        return digest.digest()
