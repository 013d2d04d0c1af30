"""Uploads that nobody will finish are aborted once they are old enough, and no others."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from scheduler.uploads import ORPHANED_AFTER, abort_orphans
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.s3.store import S3ObjectStore
from workers.adapters.stores import ClosableStore
from workers.flows.capture.upload import LIVES_SECONDS
from workers.ports import FilePart, Upload

pytestmark = [pytest.mark.real, pytest.mark.allow_hosts(["127.0.0.1"])]


@pytest.fixture(params=["s3", "directory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ClosableStore]:
    if request.param == "s3":
        yield request.getfixturevalue("object_store")
        return
    directory = DirectoryObjectStore(tmp_path / "store")
    yield directory
    directory.close()


async def begun(store: ClosableStore, prefix: str = "warc/") -> set[str]:
    return {upload.key async for upload in store.uploads.begun(prefix)}


async def with_a_part(store: ClosableStore, key: str, folder: Path) -> Upload:
    data = random.Random(1).randbytes(5 * 1024 * 1024)
    file = folder / "part"
    file.write_bytes(data)
    upload = await store.uploads.begin(key)
    await store.uploads.send(upload, 1, FilePart(file, 0, len(data), sha256(data).hexdigest()))
    return upload


def test_an_orphan_is_aborted_with_its_parts_and_a_younger_upload_is_let_alone(
    store: ClosableStore, tmp_path: Path
) -> None:
    async def scenario() -> None:
        now = datetime.now(UTC)
        await with_a_part(store, "warc/2026/11/29/old.warc.gz", tmp_path)
        await with_a_part(store, "cdxj/2026/11/29/joined.cdxj", tmp_path)
        await store.put("warc/2026/11/29/stored.warc.gz", b"an object")
        assert await abort_orphans(store.uploads, now=now + timedelta(hours=23)) == 0
        assert await begun(store) == {"warc/2026/11/29/old.warc.gz"}
        assert await abort_orphans(store.uploads, now=now + timedelta(hours=25)) == 2
        assert await abort_orphans(store.uploads, now=now + timedelta(hours=25)) == 0
        assert await begun(store) == await begun(store, "cdxj/") == set()
        assert await store.get("warc/2026/11/29/stored.warc.gz") == b"an object"

    asyncio.run(scenario())


def test_nobody_uses_an_upload_that_could_be_taken_for_an_orphan() -> None:
    """Hours lie between, for clocks that differ and for a request that takes its time."""
    assert ORPHANED_AFTER.total_seconds() >= LIVES_SECONDS + 12 * 3600


def test_what_others_upload_into_the_same_bucket_is_not_ours_to_abort(object_store: S3ObjectStore) -> None:
    async def scenario() -> None:
        await object_store.uploads.begin("backups/database.dump")
        later = datetime.now(UTC) + timedelta(days=30)
        assert await abort_orphans(object_store.uploads, now=later) == 0
        assert await begun(object_store, "backups/") == {"backups/database.dump"}

    asyncio.run(scenario())
