"""One segment on its way up: in the background, with a store that fails, and found again by the next worker."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from schemas.records.outcome import RecordLocation
from workers import metrics
from workers.adapters.clock import SystemClock
from workers.adapters.directory import DirectoryObjectStore
from workers.archive.segment import ClosedSegment
from workers.errors import CorruptError, PermanentError, RetryableError
from workers.flows.capture import upload as upload_module
from workers.flows.capture.upload import LIVES_SECONDS, SegmentUpload

STEP = 1000
KEY = "warc/2026/11/29/20261129T100000Z-01ARZ3NDEKTSV4RRFFQ69G5FAV-0a0a0a0a.warc.gz"
DATA = random.Random(5).randbytes(4 * STEP + 321)


class Faulty:
    """The store's uploads, with each call noted, and answered by an error while there is one for it."""

    def __init__(self, uploads: Any) -> None:
        self._uploads = uploads
        self.calls: list[str] = []
        self.errors: dict[str, list[Exception]] = {}
        self.held: asyncio.Event | None = None

    def _noted(self, name: str) -> None:
        self.calls.append(name)
        if self.errors.get(name):
            raise self.errors[name].pop(0)

    async def begin(self, key: str, **more: Any) -> Any:
        self._noted("begin")
        return await self._uploads.begin(key, **more)

    async def send(self, *given: Any) -> Any:
        self._noted("send")
        if self.held is not None:
            await self.held.wait()
        return await self._uploads.send(*given)

    async def parts(self, upload: Any) -> Any:
        self._noted("parts")
        return await self._uploads.parts(upload)

    async def complete(self, *given: Any, **more: Any) -> None:
        self._noted("complete")
        await self._uploads.complete(*given, **more)

    async def abort(self, upload: Any) -> None:
        self._noted("abort")
        await self._uploads.abort(upload)

    def begun(self, prefix: str) -> Any:
        self._noted("begun")
        return self._uploads.begun(prefix)


class Store:
    """A directory store with faulty uploads."""

    def __init__(self, inner: DirectoryObjectStore) -> None:
        self.inner = inner
        self.uploads = Faulty(inner.uploads)
        self.puts = 0

    async def put(self, *given: Any, **more: Any) -> None:
        self.puts += 1
        await self.inner.put(*given, **more)

    async def left(self) -> int:
        return len([upload async for upload in self.inner.uploads.begun("")])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    inner = DirectoryObjectStore(tmp_path / "store")
    yield Store(inner)
    inner.close()


class Clock(SystemClock):
    """The system's, moved."""

    ahead = 0.0

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self.ahead)

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def growing(tmp_path: Path) -> Path:
    path = tmp_path / "segment.warc.gz.open"
    path.write_bytes(DATA)
    return path


@pytest.fixture
def make(store: Store, clock: Clock, growing: Path) -> Callable[..., SegmentUpload]:
    return lambda **more: SegmentUpload(store, clock, KEY, growing, STEP, **more)  # type: ignore[arg-type]


def digests(data: bytes) -> tuple[str, ...]:
    """Of its parts."""
    return tuple(hashlib.sha256(data[at : at + STEP]).hexdigest() for at in range(0, len(data), STEP))


def closed(
    growing: Path, data: bytes = DATA, *, sha256: str | None = None, written: tuple[str, ...] = ()
) -> ClosedSegment:
    """The file under its final name, as the recorder has it once it is closed."""
    final = growing.with_name(growing.name.removesuffix(".open"))
    if growing.exists():
        growing.rename(final)
    place = RecordLocation(
        record_id="urn:uuid:00000000-0000-4000-8000-000000000000", type="warcinfo", offset=0, length=9
    )
    return ClosedSegment(final, len(data), sha256 or hashlib.sha256(data).hexdigest(), 1, b"", 0, place, written)


async def settled(upload: SegmentUpload) -> None:
    """Until nothing is sent in the background."""
    if upload._sending is not None:
        await asyncio.wait({upload._sending})


@pytest.mark.parametrize("written", [(), digests(DATA)], ids=["read", "as written"])
def test_parts_go_up_while_the_file_grows_and_the_rest_at_its_close(
    written: tuple[str, ...], store: Store, make: Callable[..., SegmentUpload], growing: Path
) -> None:
    async def scenario() -> None:
        upload = make(written=lambda: written)
        for durable, parts in ((999, 0), (1000, 1), (1999, 1), (4100, 4)):
            upload.go_on(durable)
            await settled(upload)
            assert store.uploads.calls.count("send") == parts
        assert await store.inner.info(KEY) is None
        await upload.finish(closed(growing, written=written))
        assert store.uploads.calls.count("send") == 5
        assert await store.inner.get(KEY) == DATA
        assert (store.puts, await store.left()) == (0, 0)

    asyncio.run(scenario())


def test_a_file_that_never_filled_a_part_is_one_put(
    store: Store, make: Callable[..., SegmentUpload], growing: Path
) -> None:
    async def scenario() -> None:
        upload = make()
        upload.go_on(999)
        await upload.finish(closed(growing))
        assert store.uploads.calls == []
        assert store.puts == 1
        assert await store.inner.get(KEY) == DATA

    asyncio.run(scenario())


def test_going_on_never_waits_and_sends_one_part_at_a_time(
    store: Store, make: Callable[..., SegmentUpload], growing: Path
) -> None:
    async def scenario() -> None:
        upload = make()
        store.uploads.held = asyncio.Event()
        for durable in (1000, 2000, 3000, 4000):
            upload.go_on(durable)
            await asyncio.sleep(0.02)
        assert store.uploads.calls == ["begin", "send"]
        store.uploads.held.set()
        await upload.finish(closed(growing))
        assert await store.inner.get(KEY) == DATA

    asyncio.run(scenario())


def test_a_store_that_fails_is_tried_again_later_and_by_the_commit(
    store: Store, make: Callable[..., SegmentUpload], clock: Clock, growing: Path
) -> None:
    async def scenario() -> None:
        upload = make()
        store.uploads.errors["send"] = [RetryableError("S3 answered 503 SlowDown")] * 3
        for _ in range(5):
            upload.go_on(2000)
            await settled(upload)
        assert store.uploads.calls.count("send") == 1, "it waits before it tries again"
        clock.ahead = 60.0
        upload.go_on(2000)
        await settled(upload)
        assert store.uploads.calls.count("send") == 2
        file = closed(growing)
        with pytest.raises(RetryableError):
            await upload.finish(file)
        store.uploads.errors["complete"] = [RetryableError("S3 did not answer in time")]
        with pytest.raises(RetryableError):
            await upload.finish(file)
        await upload.finish(file)
        assert await store.inner.get(KEY) == DATA
        assert (store.uploads.calls.count("begin"), store.puts) == (1, 0)

    asyncio.run(scenario())


@pytest.mark.parametrize("call", ["begin", "send", "complete"])
def test_a_store_that_refuses_parts_gets_the_file_whole(
    call: str, store: Store, make: Callable[..., SegmentUpload], growing: Path
) -> None:
    async def scenario() -> None:
        upload = make()
        store.uploads.errors[call] = [PermanentError("S3 answered 501 NotImplemented")] * 9
        upload.go_on(2000)
        await settled(upload)
        upload.go_on(3000)
        await settled(upload)
        await upload.finish(closed(growing))
        assert store.uploads.calls.count(call) == 1
        assert await store.inner.get(KEY) == DATA
        assert (store.puts, await store.left()) == (1, 0)

    asyncio.run(scenario())


def test_an_upload_that_somebody_aborted_is_begun_anew_or_stored_whole(
    store: Store, make: Callable[..., SegmentUpload], clock: Clock, growing: Path
) -> None:
    async def scenario() -> None:
        upload = make()
        for durable in (2000, 3000):
            upload.go_on(durable)
            await settled(upload)
            async for found in store.inner.uploads.begun(KEY):
                await store.inner.uploads.abort(found)
        clock.ahead = 60.0
        upload.go_on(3000)
        await settled(upload)
        assert store.uploads.calls.count("begin") == 2
        async for found in store.inner.uploads.begun(KEY):
            await store.inner.uploads.abort(found)
        await upload.finish(closed(growing))
        assert await store.inner.get(KEY) == DATA
        assert (store.puts, await store.left()) == (1, 0)

    asyncio.run(scenario())


def test_a_file_that_is_closed_while_a_part_is_sent_goes_on_in_parts(
    store: Store, make: Callable[..., SegmentUpload], growing: Path
) -> None:
    """The part after it no longer finds the file under its open name."""

    async def scenario() -> None:
        upload = make()
        store.uploads.held = asyncio.Event()
        upload.go_on(4000)
        while "send" not in store.uploads.calls:
            await asyncio.sleep(0.005)
        file = closed(growing)
        store.uploads.held.set()
        await upload.finish(file)
        assert await store.inner.get(KEY) == DATA
        assert store.puts == 0

    asyncio.run(scenario())


def test_a_file_that_changed_after_it_was_written_is_told(
    store: Store, make: Callable[..., SegmentUpload], growing: Path
) -> None:
    """The parts are what the disk has; the receipt would name what was written."""

    async def scenario() -> None:
        upload = make()
        upload.go_on(4000)
        await settled(upload)
        with pytest.raises(CorruptError, match="other bytes"):
            await upload.finish(closed(growing, sha256="0" * 64))
        assert await store.inner.info(KEY) is None
        assert await store.left() == 0

    asyncio.run(scenario())


@pytest.mark.parametrize("changed", [1500, 3500, 4100], ids=["ahead", "the part that waits", "the last part"])
def test_no_part_goes_up_that_is_not_what_was_written(
    changed: int, store: Store, make: Callable[..., SegmentUpload], clock: Clock, growing: Path
) -> None:
    """The store refuses it, and it is told; nothing is tried until the lease ends."""

    async def scenario() -> None:
        growing.write_bytes(DATA[:changed] + b"?" + DATA[changed + 1 :])
        upload = make(written=lambda: digests(DATA))
        for _ in range(2):
            upload.go_on(3000)
            await settled(upload)
            clock.ahead += 60.0
        with pytest.raises(CorruptError, match="other bytes"):
            await upload.finish(closed(growing, written=digests(DATA)))
        assert await store.inner.info(KEY) is None
        assert await store.left() == 0

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("size", "goes_on"),
    [(len(DATA), True), (3000, True), (3001, True), (2999, False), (500, False)],
    ids=["as it was", "to a part", "beyond a part", "below a part", "below the first"],
)
def test_the_next_worker_goes_on_where_the_parts_are_of_its_file(
    size: int, goes_on: bool, store: Store, make: Callable[..., SegmentUpload], growing: Path
) -> None:
    async def scenario() -> None:
        first = make()
        first.go_on(3999)
        await settled(first)
        await first.stop(abort=False)
        growing.write_bytes(DATA[:size])
        before = store.uploads.calls.count("send")
        await make(left=True).finish(closed(growing, DATA[:size]))
        assert await store.inner.get(KEY) == DATA[:size]
        assert await store.left() == 0
        assert store.puts == (0 if goes_on else 1)
        if goes_on:
            assert store.uploads.calls.count("send") - before == -(-(size - 3000) // STEP)

    asyncio.run(scenario())


def test_of_several_uploads_that_were_left_the_longest_is_taken(
    store: Store, make: Callable[..., SegmentUpload], growing: Path
) -> None:
    async def scenario() -> None:
        for durable in (1000, 3000, 2000):
            each = make()
            each.go_on(durable)
            await settled(each)
            await each.stop(abort=False)
        assert await store.left() == 3
        store.uploads.errors["parts"] = [RetryableError("S3 answered 503 SlowDown")]
        upload, before, file = make(left=True), store.uploads.calls.count("send"), closed(growing)
        with pytest.raises(RetryableError):
            await upload.finish(file)
        await upload.finish(file)
        assert store.uploads.calls.count("send") - before == 2
        assert await store.inner.get(KEY) == DATA
        assert (await store.left(), store.puts) == (0, 0)

    asyncio.run(scenario())


def test_an_upload_is_used_for_some_hours_and_no_longer(
    store: Store, make: Callable[..., SegmentUpload], clock: Clock, growing: Path
) -> None:
    """So that one which is much older can be taken for an orphan."""

    async def scenario() -> None:
        upload = make()
        upload.go_on(3000)
        await settled(upload)
        clock.ahead = LIVES_SECONDS + 60
        await make(left=True).finish(closed(growing))
        assert store.puts == 1
        await upload.finish(closed(growing))
        assert (store.puts, await store.left()) == (2, 0)
        assert await store.inner.get(KEY) == DATA

    asyncio.run(scenario())


def test_a_given_up_file_takes_its_upload_with_it_and_a_left_one_leaves_it(
    store: Store, make: Callable[..., SegmentUpload], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        monkeypatch.setattr(upload_module, "ABORT_SECONDS", 0.2)
        for abort, left in ((False, 1), (True, 1)):
            upload = make()
            upload.go_on(2000)
            await settled(upload)
            aborted = metrics.UPLOADS.labels("aborted")._value.get()
            await upload.stop(abort=abort)
            assert await store.left() == left
            assert metrics.UPLOADS.labels("aborted")._value.get() - aborted == abort
            upload.go_on(4000)
            assert store.uploads.calls.count("send") % 2 == 0, "it sends no more"
        stuck = make()
        store.uploads.held = asyncio.Event()
        stuck.go_on(2000)
        await asyncio.sleep(0.05)
        await asyncio.wait_for(stuck.stop(abort=True), 2)

    asyncio.run(scenario())


def test_uploads_that_may_not_be_listed_do_not_keep_a_left_file_back(
    store: Store, make: Callable[..., SegmentUpload], growing: Path
) -> None:
    async def scenario() -> None:
        store.uploads.errors["begun"] = [PermanentError("S3 refuses these credentials (AccessDenied)")]
        await make(left=True).finish(closed(growing))
        assert await store.inner.get(KEY) == DATA

    asyncio.run(scenario())
