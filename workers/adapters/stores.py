"""Opening the object store that the settings name, and refusing one that would break the commit protocol."""

from __future__ import annotations

import logging
import secrets
from typing import Protocol

from schemas import keys
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.s3.client import S3Location
from workers.adapters.s3.store import S3ObjectStore
from workers.config import Settings
from workers.errors import CitevaultError, PermanentError, UnsafeStoreError
from workers.ports import ObjectStore

LOG = logging.getLogger(__name__)


class ClosableStore(ObjectStore, Protocol):
    """A store that was opened here, and whose opener closes it."""

    def close(self) -> None: ...


def open_store(settings: Settings) -> ClosableStore:
    """The store of these settings. Connects with its first call."""
    if settings.store_folder is not None:
        return DirectoryObjectStore(settings.store_folder / settings.s3_bucket / settings.s3_prefix)
    if not settings.s3_endpoint:
        raise PermanentError("no object store is set", where="CITEVAULT_S3_ENDPOINT", next_step="run `citevault up`")
    return S3ObjectStore(location_of(settings))


def location_of(settings: Settings) -> S3Location:
    """What the S3 client needs of the settings."""
    return S3Location(
        endpoint=settings.s3_endpoint,
        bucket=settings.s3_bucket,
        prefix=settings.s3_prefix,
        region=settings.s3_region,
        access_key=settings.aws_access_key_id,
        secret_key=settings.aws_secret_access_key,
        session_token=settings.aws_session_token,
        connect_seconds=settings.s3_connect_seconds,
        read_seconds=settings.s3_read_seconds,
        attempts=settings.s3_attempts,
        connections=settings.s3_connections,
        multipart_bytes=settings.s3_multipart_bytes,
    )


async def probe_conditional_put(store: ObjectStore) -> None:
    """Try the two conditions that commits rest on; UnsafeStoreError where one does not hold.

    Two creates of one key with different bytes: the second must lose. Then a replace of a version that never was:
    it must lose too. Every start does this (`scheduler/README.md, Commands`), always on the same key.
    """
    key = keys.PROBE_PREFIX
    first, second, third = (f"{name} {secrets.token_hex(16)}\n".encode() for name in ("first", "second", "third"))
    await store.create(key, first)
    if await store.create(key, second) or await store.get(key) == second:
        raise _unsafe("If-None-Match: *", key)
    if await store.replace(key, third, etag='"0123456789abcdef0123456789abcdef"') or await store.get(key) == third:
        raise _unsafe("If-Match", key)


async def refuse_if_unsafe(store: ObjectStore) -> None:
    """What a long-running process does at its start: UnsafeStoreError ends it, since two writers could both win. A
    store that cannot be tried now is told and waited for: every use of it is an error of its own."""
    try:
        await probe_conditional_put(store)
    except UnsafeStoreError:
        raise
    except CitevaultError as error:
        LOG.warning("the store could not be tried: %s", error)


def _unsafe(condition: str, key: str) -> UnsafeStoreError:
    return UnsafeStoreError(
        f"this store ignores `{condition}`, so two workers could commit the same work",
        where=key,
        next_step="use an S3 with conditional writes: AWS, SeaweedFS, Ceph, or `citevault up`",
    )
