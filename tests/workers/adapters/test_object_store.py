"""One contract for every ObjectStore: the same tests over SeaweedFS and over a local directory."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from workers.adapters.stores import ClosableStore, probe_conditional_put
from workers.errors import CorruptError, ObjectMissingError, PermanentError
from workers.ports import ObjectInfo, ObjectStore

MIB = 1024 * 1024


pytestmark = [pytest.mark.real, pytest.mark.allow_hosts(["127.0.0.1"])]


async def keys_under(store: ObjectStore, prefix: str) -> list[str]:
    return sorted([key async for key in store.list(prefix)])


def test_what_was_put_is_got_whole_and_in_ranges(store: ClosableStore) -> None:
    async def scenario() -> None:
        body = bytes(range(256)) * 40
        await store.put("warc/2026/11/29/a.warc.gz", body, content_type="application/warc")
        assert await store.get("warc/2026/11/29/a.warc.gz") == body
        assert await store.get_range("warc/2026/11/29/a.warc.gz", 5, 7) == body[5:12]
        assert await store.get_range("warc/2026/11/29/a.warc.gz", len(body) - 3, 3) == body[-3:]
        assert await store.get_range("warc/2026/11/29/a.warc.gz", 9, 0) == b""
        await store.put("warc/2026/11/29/a.warc.gz", b"")
        assert await store.get("warc/2026/11/29/a.warc.gz") == b""

    asyncio.run(scenario())


def test_a_file_that_has_changed_since_its_digest_is_not_stored(store: ClosableStore, tmp_path: Path) -> None:
    """A receipt names the digest that was taken while the file was written."""
    file = tmp_path / "segment"
    file.write_bytes(b"as it was written")
    digest = hashlib.sha256(b"as it was written").hexdigest()

    async def scenario() -> None:
        await store.put("warc/kept", file, sha256=digest)
        assert await store.get("warc/kept") == b"as it was written"
        file.write_bytes(b"as the disk has it")
        with pytest.raises(CorruptError, match="other bytes"):
            await store.put("warc/changed", file, sha256=digest)
        assert await store.info("warc/changed") is None

    asyncio.run(scenario())


def test_a_range_beyond_the_end_is_corruption_not_a_short_answer(store: ClosableStore) -> None:
    async def scenario() -> None:
        await store.put("a/b", b"12345")
        for offset, length in ((3, 3), (5, 1), (9, 2)):
            with pytest.raises(CorruptError):
                await store.get_range("a/b", offset, length)

    asyncio.run(scenario())


def test_a_missing_object_is_told_apart(store: ClosableStore) -> None:
    async def scenario() -> None:
        assert await store.info("a/absent") is None
        for read in (store.get("a/absent"), store.get_range("a/absent", 0, 1)):
            with pytest.raises(ObjectMissingError):
                await read
        assert await keys_under(store, "a/") == []

    asyncio.run(scenario())


def test_what_is_deleted_is_gone_alone_and_may_be_deleted_again(store: ClosableStore) -> None:
    async def scenario() -> None:
        for key in ("warc/2026/11/29/a", "warc/2026/11/29/b"):
            await store.put(key, b"one")
        await store.delete("warc/2026/11/29/a")
        await store.delete("warc/2026/11/29/a")
        await store.delete("warc/2026/11/30/never")
        assert await store.info("warc/2026/11/29/a") is None
        assert await keys_under(store, "warc/") == ["warc/2026/11/29/b"]
        assert await store.create("warc/2026/11/29/a", b"two"), "its key is free again"

    asyncio.run(scenario())


def test_an_object_over_the_limit_is_not_read(store: ClosableStore) -> None:
    async def scenario() -> None:
        await store.put("a/b", b"12345")
        assert await store.get("a/b", limit=5) == b"12345"
        with pytest.raises(PermanentError, match="5 bytes, more than 4"):
            await store.get("a/b", limit=4)

    asyncio.run(scenario())


def test_the_first_create_wins_and_the_same_bytes_again_are_success(store: ClosableStore) -> None:
    async def scenario() -> None:
        assert await store.create("commits/j/b-0000.json", b"one")
        assert await store.create("commits/j/b-0000.json", b"one")
        assert not await store.create("commits/j/b-0000.json", b"two")
        assert await store.get("commits/j/b-0000.json") == b"one"

    asyncio.run(scenario())


def test_of_many_creates_at_once_exactly_one_wins(store: ClosableStore) -> None:
    async def scenario() -> None:
        for race in range(3):
            bodies = [f"writer {number}".encode() for number in range(16)]
            won = await asyncio.gather(*(store.create(f"race/{race}", body) for body in bodies))
            assert won.count(True) == 1
            assert await store.get(f"race/{race}") == bodies[won.index(True)]

    asyncio.run(scenario())


def test_replace_wants_the_version_that_was_read(store: ClosableStore) -> None:
    async def scenario() -> None:
        await store.put("control/epoch", b"1")
        read = await store.info("control/epoch")
        assert read is not None
        assert await store.replace("control/epoch", b"2", etag=read.etag)
        assert not await store.replace("control/epoch", b"3", etag=read.etag)
        assert await store.get("control/epoch") == b"2"
        assert not await store.replace("control/absent", b"x", etag=read.etag)
        assert await store.info("control/absent") is None

    asyncio.run(scenario())


def test_of_many_replaces_of_one_version_exactly_one_wins(store: ClosableStore) -> None:
    async def scenario() -> None:
        await store.put("control/epoch", b"start")
        read = await store.info("control/epoch")
        assert read is not None
        won = await asyncio.gather(
            *(store.replace("control/epoch", f"writer {n}".encode(), etag=read.etag) for n in range(16))
        )
        assert won.count(True) == 1

    asyncio.run(scenario())


def test_info_tells_size_and_a_version_that_changes(store: ClosableStore) -> None:
    async def scenario() -> None:
        await store.put("a/b", b"123")
        first = await store.info("a/b")
        await store.put("a/b", b"124")
        second = await store.info("a/b")
        assert isinstance(first, ObjectInfo)
        assert isinstance(second, ObjectInfo)
        assert (first.key, first.size) == ("a/b", 3)
        assert first.etag != second.etag

    asyncio.run(scenario())


def test_listing_is_complete_and_a_prefix_may_end_within_a_name(store: ClosableStore) -> None:
    async def scenario() -> None:
        names = [f"commits/job-1/b-A-{part:04d}.json" for part in range(30)]
        others = ["commits/job-1/b-B-0000.json", "commits/job-10/b-A-0000.json", "jobs/x.json"]
        await asyncio.gather(*(store.put(name, name.encode()) for name in names + others))
        assert await keys_under(store, "commits/job-1/b-A-") == names
        assert await keys_under(store, "commits/job-1/") == sorted(names + others[:1])
        assert await keys_under(store, "commits/job-1") == sorted(names + others[:2])
        assert await keys_under(store, "") == sorted(names + others)
        assert await keys_under(store, "none/") == []

    asyncio.run(scenario())


def test_a_large_file_goes_up_whole(store: ClosableStore, tmp_path: Path) -> None:
    """Above the multipart size: three parts over S3."""
    source = tmp_path / "large.bin"
    block = hashlib.sha256(b"seed").digest() * (MIB // 32)
    with source.open("wb") as stream:
        for number in range(33):
            stream.write(bytes([number]) + block[1:])

    async def scenario() -> None:
        await store.put("warc/large", source)
        assert hashlib.sha256(await store.get("warc/large")).digest() == hashlib.sha256(source.read_bytes()).digest()
        assert not await store.create("warc/large", source.with_name("small"))
        assert await store.create("warc/large", source)
        assert await store.create("warc/large-2", source)
        source.write_bytes(b"now something else" * MIB)
        assert not await store.create("warc/large-2", source)

    source.with_name("small").write_bytes(b"small")
    asyncio.run(scenario())


def test_keys_that_stores_understand_differently_are_refused(store: ClosableStore) -> None:
    async def scenario() -> None:
        for key in ("", "/a", "a/", "a//b", "../a", "a/../b", ".lock", "a/ü", "a b", "a/" + "x" * 256, "x\0"):
            calls: list[Callable[[], Awaitable[object]]] = [
                lambda key=key: store.put(key, b"x"),  # type: ignore[misc]
                lambda key=key: store.create(key, b"x"),  # type: ignore[misc]
                lambda key=key: store.get(key),  # type: ignore[misc]
                lambda key=key: store.info(key),  # type: ignore[misc]
            ]
            for call in calls:
                with pytest.raises(PermanentError, match="not a key"):
                    await call()

    asyncio.run(scenario())


def test_a_file_that_is_missing_is_told_as_such(store: ClosableStore, tmp_path: Path) -> None:
    async def scenario() -> None:
        with pytest.raises(PermanentError, match="file to store cannot be read"):
            await store.put("a/b", tmp_path / "absent")

    asyncio.run(scenario())


def test_the_conditions_that_commits_rest_on_are_kept(store: ClosableStore) -> None:
    async def scenario() -> None:
        await probe_conditional_put(store)
        await probe_conditional_put(store)
        assert await keys_under(store, "control/") == ["control/probe"]

    asyncio.run(scenario())


def test_one_store_serves_several_event_loops(store: ClosableStore) -> None:
    asyncio.run(store.put("a/b", b"1"))
    assert asyncio.run(store.get("a/b")) == b"1"
