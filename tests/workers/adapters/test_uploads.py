"""One contract for every `Uploads`: the same tests over SeaweedFS and over a local directory."""

import asyncio
import hashlib
import os
import random
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from workers.adapters.stores import ClosableStore
from workers.errors import PermanentError, RetryableError, UploadLostError
from workers.ports import FilePart, Upload, UploadedPart

MIB = 1024 * 1024
STEP = 5 * MIB
KEY = "warc/2026/11/29/a.warc.gz"

pytestmark = [pytest.mark.real, pytest.mark.allow_hosts(["127.0.0.1"])]


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two whole parts and a short one."""
    path = tmp_path / "segment.warc.gz.open"
    path.write_bytes(random.Random(3).randbytes(2 * STEP + 777))
    return path


def parts_of(path: Path) -> list[FilePart]:
    data = path.read_bytes()
    pieces = [data[at : at + STEP] for at in range(0, len(data), STEP)]
    return [FilePart(path, number * STEP, len(piece), sha256_of(piece)) for number, piece in enumerate(pieces)]


async def begun(store: ClosableStore, prefix: str = "warc/") -> list[Upload]:
    return [upload async for upload in store.uploads.begun(prefix)]


async def sent(store: ClosableStore, upload: Upload, parts: list[FilePart]) -> list[UploadedPart]:
    return [await store.uploads.send(upload, number, part) for number, part in enumerate(parts, start=1)]


async def completed(store: ClosableStore, upload: Upload, there: list[UploadedPart], path: Path) -> None:
    digests = [part.sha256 for part in parts_of(path)]
    await store.uploads.complete(upload, there, digests, sha256=sha256_of(path.read_bytes()))


def test_an_object_is_there_once_its_parts_are_completed_and_not_before(store: ClosableStore, source: Path) -> None:
    async def scenario() -> None:
        before = datetime.now(UTC)
        upload = await store.uploads.begin(KEY, content_type="application/warc")
        there = await sent(store, upload, parts_of(source))
        assert [(part.number, part.size) for part in there] == [(1, STEP), (2, STEP), (3, 777)]
        assert await store.info(KEY) is None
        assert [key async for key in store.list("")] == []
        (found,) = await begun(store)
        assert (found.key, found.id) == (KEY, upload.id)
        assert abs(found.begun_at - before) < timedelta(seconds=30)
        assert found.begun_at.tzinfo is not None
        await completed(store, upload, there, source)
        assert await store.get(KEY) == source.read_bytes()
        assert [key async for key in store.list("")] == [KEY]
        assert await begun(store) == []

    asyncio.run(scenario())


def test_another_process_goes_on_with_what_is_listed(
    store: ClosableStore, source: Path, new_store: Callable[[], ClosableStore]
) -> None:
    async def scenario() -> None:
        parts = parts_of(source)
        await sent(store, await store.uploads.begin(KEY), parts[:2])
        other = new_store()
        (upload,) = await begun(other)
        listed = list(await other.uploads.parts(upload))
        assert [(part.number, part.size) for part in listed] == [(1, STEP), (2, STEP)]
        assert all(part.sha256 in (None, parts[at].sha256) for at, part in enumerate(listed))
        last = await other.uploads.send(upload, 3, parts[2])
        await completed(other, upload, [*listed, last], source)
        assert await store.get(KEY) == source.read_bytes()

    asyncio.run(scenario())


def test_a_part_sent_again_takes_the_place_of_the_earlier(store: ClosableStore, source: Path) -> None:
    """Its answer was lost, say; or the file was cut back and the last part is shorter."""

    async def scenario() -> None:
        upload = await store.uploads.begin(KEY)
        parts = parts_of(source)
        await sent(store, upload, parts[:2])
        first = await store.uploads.send(upload, 1, parts[0])
        shorter = FilePart(source, STEP, 99, sha256_of(source.read_bytes()[STEP : STEP + 99]))
        second = await store.uploads.send(upload, 2, shorter)
        digests = [parts[0].sha256, shorter.sha256]
        whole = source.read_bytes()[: STEP + 99]
        await store.uploads.complete(upload, [first, second], digests, sha256=sha256_of(whole))
        assert await store.get(KEY) == whole

    asyncio.run(scenario())


def test_an_aborted_upload_is_lost_and_may_be_aborted_again(store: ClosableStore, source: Path) -> None:
    async def scenario() -> None:
        upload, other = await store.uploads.begin(KEY), await store.uploads.begin(KEY)
        parts = parts_of(source)
        there = await sent(store, upload, parts)
        await store.uploads.abort(upload)
        await store.uploads.abort(upload)
        assert [found.id for found in await begun(store)] == [other.id]
        with pytest.raises(UploadLostError):
            await store.uploads.parts(upload)
        with pytest.raises(UploadLostError):
            await store.uploads.send(upload, 1, parts[0])
        with pytest.raises(UploadLostError):
            await completed(store, upload, there, source)
        assert await store.info(KEY) is None

    asyncio.run(scenario())


def test_completing_what_is_complete_is_a_success(store: ClosableStore, source: Path) -> None:
    """The answer to the first try was lost."""

    async def scenario() -> None:
        upload = await store.uploads.begin(KEY)
        there = await sent(store, upload, parts_of(source))
        await completed(store, upload, there, source)
        await completed(store, upload, there, source)
        assert await store.get(KEY) == source.read_bytes()

    asyncio.run(scenario())


def test_bytes_that_do_not_have_their_digest_are_not_taken(store: ClosableStore, source: Path) -> None:
    async def scenario() -> None:
        upload = await store.uploads.begin(KEY)
        first, second, _ = parts_of(source)
        await store.uploads.send(upload, 1, first)
        with pytest.raises(RetryableError):
            await store.uploads.send(upload, 2, replace_digest(second))
        assert [part.number for part in await store.uploads.parts(upload)] == [1]
        assert (await store.uploads.send(upload, 2, second)).size == STEP

    asyncio.run(scenario())


def replace_digest(part: FilePart) -> FilePart:
    return replace(part, sha256=sha256_of(b"something else"))


def test_parts_of_another_file_never_become_the_object(store: ClosableStore, source: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        other = tmp_path / "other"
        other.write_bytes(random.Random(4).randbytes(2 * STEP + 777))
        upload = await store.uploads.begin(KEY)
        await sent(store, upload, parts_of(other))
        listed = list(await store.uploads.parts(upload))
        with pytest.raises(UploadLostError):
            await completed(store, upload, listed, source)
        assert await store.info(KEY) is None

    asyncio.run(scenario())


def test_uploads_are_found_by_prefix_and_every_one_is(store: ClosableStore) -> None:
    async def scenario() -> None:
        names = [f"warc/2026/11/29/s{number}" for number in range(12)]
        made = [await store.uploads.begin(name) for name in [*names, names[0], "jobs/x"]]
        assert sorted(upload.key for upload in await begun(store)) == sorted([*names, names[0]])
        assert {upload.id for upload in await begun(store, names[0])} == {made[0].id, made[12].id}
        assert [upload.key for upload in await begun(store, "jobs/")] == ["jobs/x"]
        assert await begun(store, "none/") == []
        for upload in made:
            await store.uploads.abort(upload)
        assert await begun(store, "warc/") == []

    asyncio.run(scenario())


def test_a_file_that_is_missing_and_a_key_of_another_kind_are_told(
    store: ClosableStore, source: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        with pytest.raises(PermanentError, match="not a key"):
            await store.uploads.begin("warc/../x")
        upload = await store.uploads.begin(KEY)
        with pytest.raises(PermanentError):
            await store.uploads.send(upload, 1, replace(parts_of(source)[0], path=tmp_path / "absent"))
        assert list(await store.uploads.parts(upload)) == []

    asyncio.run(scenario())


def test_parts_are_read_in_pieces(store: ClosableStore, tmp_path: Path) -> None:
    """A part of 32 MiB takes no more memory than one of 5."""
    large = tmp_path / "large"
    with large.open("wb") as file:
        for _ in range(32):
            file.write(os.urandom(MIB))
    with large.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()

    async def scenario() -> int:
        upload = await store.uploads.begin(KEY)
        tracemalloc.start()
        part = await store.uploads.send(upload, 1, FilePart(large, 0, 32 * MIB, digest))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        await store.uploads.complete(upload, [part], [digest], sha256=digest)
        return peak

    assert asyncio.run(scenario()) < 6 * MIB
