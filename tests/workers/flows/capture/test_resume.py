"""A batch that was given up is gone on with, from its file; one that another worker ended is not."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.messages import CaptureBatch
from schemas.records.receipt import Receipt
from workers.adapters.clock import SystemClock
from workers.adapters.spool import SegmentSpool
from workers.errors import RetryableError
from workers.flows.capture.resume import drop_ended
from workers.flows.documents import read_object

pytestmark = pytest.mark.real

OpenPlane = Callable[[], AbstractAsyncContextManager[Any]]
PAGES = 8


class Later(SystemClock):
    """Ten minutes on: every lease has ended."""

    def now(self) -> datetime:
        return super().now() + timedelta(minutes=10)


class Latest(SystemClock):
    """An hour on."""

    def now(self) -> datetime:
        return super().now() + timedelta(hours=1)


class Counting:
    """The transport, with the pages that it was asked for; stands still at one of them."""

    def __init__(self, transport: Any, *, stops_at: int | None = None) -> None:
        self._transport = transport
        self._stops_at = stops_at
        self.pages: Counter[str] = Counter()
        self.stopped = asyncio.Event()

    async def fetch(self, request: Any) -> Any:
        if request.purpose == "page":
            self.pages[request.url] += 1
            if len(self.pages) == self._stops_at:
                self.stopped.set()
                await asyncio.Event().wait()
        return await self._transport.fetch(request)

    async def address(self, host: str) -> str | None:
        found: str | None = await self._transport.address(host)
        return found

    async def close(self) -> None:
        await self._transport.close()


def urls(web: Any) -> list[str]:
    """Pages of one host, so that they are captured one after the other."""
    return [web.url(next(iter(web.origins)), f"/page-{number}") for number in range(PAGES)]


async def receipts_of(plane: Any, message: CaptureBatch) -> list[Receipt]:
    store = plane.archive.store
    found = [key async for key in store.list(keys.batch_receipts(message.job_id, message.batch_id))]
    return [await read_object(store, key, Receipt) for key in sorted(found)]


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != "lock")


async def given_up(plane: Any, message: CaptureBatch, *, after: int) -> Counter[str]:
    """Capture until a page, then stop as a lost lease does."""
    counting = Counting(plane.archive.transport, stops_at=after + 1)
    plane.archive._transport = counting
    task = asyncio.create_task(plane.capture(message))
    await asyncio.wait({task, asyncio.create_task(counting.stopped.wait())}, return_when=asyncio.FIRST_COMPLETED)
    assert not task.done(), "the capture ended before it could be given up"
    task.cancel()
    await asyncio.wait({task})
    plane.archive._transport = counting._transport
    plane.archive.clock = Later()
    return counting.pages


def test_what_was_captured_before_is_committed_and_not_fetched_again(
    plane: OpenPlane, web: Any, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with plane() as running:
            await running.job(urls(web))
            (message,) = await running.release()
            before = await given_up(running, message, after=5)
            assert len(files(tmp_path / "spool")) == 2
            counting = Counting(running.archive.transport)
            running.archive._transport = counting
            assert await running.capture(message)
            first, second = await receipts_of(running, message)
            assert [first.part, second.part, second.last] == [0, 1, True]
            assert (len(first.outcomes), len(second.outcomes)) == (5, PAGES - 5)
            assert {o.requested_url for o in first.outcomes} == set(list(before)[:5])
            assert counting.pages == Counter({o.requested_url: 1 for o in second.outcomes})
            progress = await running.archive.frontier.progress(message.job_id)
            assert progress is not None
            assert progress.captured_all
            assert files(tmp_path / "spool") == []

    asyncio.run(scenario())


def test_a_batch_that_is_whole_in_its_file_ends_without_a_fetch(plane: OpenPlane, web: Any) -> None:
    """Every page was recorded and the store was away: when it is back, the file is committed."""

    async def scenario() -> None:
        async with plane() as running:
            await running.job(urls(web))
            (message,) = await running.release()
            store = running.archive.store
            running.archive.store = Away(store)
            task = asyncio.create_task(running.capture(message))
            await running.archive.store.asked.wait()
            task.cancel()
            await asyncio.wait({task})
            running.archive.store = store
            running.archive.clock = Later()
            counting = Counting(running.archive.transport)
            running.archive._transport = counting
            assert await running.capture(message)
            (receipt,) = await receipts_of(running, message)
            assert len(receipt.outcomes) == PAGES
            assert counting.pages == Counter()
            progress = await running.archive.frontier.progress(message.job_id)
            assert progress is not None
            assert progress.captured_all

    asyncio.run(scenario())


class Away:
    """A store that answers reads and takes nothing."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.asked = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def put(self, key: str, body: Any, **_: Any) -> None:
        self.asked.set()
        raise RetryableError("the store is away", where=key)


def test_what_another_host_captured_is_dropped_after_its_receipts_say_so(
    plane: OpenPlane, web: Any, tmp_path: Path
) -> None:
    """The batch went to a worker with another spool; our file waits, and goes once the batch has ended."""

    async def scenario() -> None:
        async with plane() as running:
            await running.job(urls(web))
            (message,) = await running.release()
            await given_up(running, message, after=3)
            left = files(tmp_path / "spool")
            assert len(left) == 2
            own, away = running.archive.files, SegmentSpool(tmp_path / "elsewhere")
            running.archive._files = away
            running.archive._transport = Counting(running.archive.transport, stops_at=PAGES)
            other = asyncio.create_task(running.capture(message))
            await running.archive.transport.stopped.wait()
            await drop_ended(replace(running.archive.capture_ports(), files=own), at_least_seconds=0)
            assert files(tmp_path / "spool") == left
            other.cancel()
            await asyncio.wait({other})
            running.archive._transport = running.archive.transport._transport
            running.archive.clock = Latest()
            assert await running.capture(message)
            away.close()
            running.archive._files = own
            await drop_ended(running.archive.capture_ports(), at_least_seconds=0)
            assert files(tmp_path / "spool") == []
            outcomes = [o for receipt in await receipts_of(running, message) for o in receipt.outcomes]
            assert Counter(outcome.requested_url for outcome in outcomes) == Counter(urls(web))

    asyncio.run(scenario())


def test_two_files_with_one_url_never_become_two_parts_of_a_batch(plane: OpenPlane, web: Any, tmp_path: Path) -> None:
    """A worker stood still, so that its file was nobody's; the next one fetched the same pages and more, and was killed
    too. Whoever finds both goes on with the first, and fetches what only the second had (P1)."""

    async def scenario() -> None:
        async with plane() as running:
            await running.job(urls(web))
            (message,) = await running.release()
            await given_up(running, message, after=3)
            own, away = running.archive.files, SegmentSpool(tmp_path / "elsewhere")
            running.archive._files = away
            await given_up(running, message, after=5)
            away.close()
            running.archive._files = own
            shutil.copytree(tmp_path / "elsewhere", tmp_path / "spool", dirs_exist_ok=True)
            running.archive.clock = Latest()
            assert await running.capture(message)
            receipts = await receipts_of(running, message)
            assert [len(receipt.outcomes) for receipt in receipts] == [3, PAGES - 3]
            outcomes = [o for receipt in receipts for o in receipt.outcomes]
            assert Counter(outcome.requested_url for outcome in outcomes) == Counter(urls(web))
            assert files(tmp_path / "spool") == []

    asyncio.run(scenario())


def test_a_fenced_worker_leaves_nothing_to_go_on_with(plane: OpenPlane, web: Any, tmp_path: Path) -> None:
    """Another worker commits this part with other bytes after we looked: its capture stands, and our file goes."""

    async def scenario() -> None:
        async with plane() as running:
            await running.job(urls(web))
            (message,) = await running.release()
            await given_up(running, message, after=3)
            create = running.archive.store.create

            async def create_after_another(key: str, body: bytes, **more: Any) -> bool:
                if key.startswith("commits/"):
                    ours = Receipt.model_validate_json(body)
                    await create(key, canonical_bytes(ours.model_copy(update={"worker": "another"})), **more)
                return bool(await create(key, body, **more))

            running.archive.store.create = create_after_another
            assert not await running.capture(message)
            running.archive.store.create = create
            assert [receipt.worker for receipt in await receipts_of(running, message)] == ["another"]
            assert files(tmp_path / "spool") == []

    asyncio.run(scenario())


@pytest.mark.parametrize(("hours", "stays"), [(23, True), (25, False)])
def test_what_nobody_takes_goes_after_a_day(
    hours: int, stays: bool, plane: OpenPlane, web: Any, tmp_path: Path
) -> None:
    """Such as after a rebuild of the frontier, when the URLs have batches with other ids."""

    async def scenario() -> None:
        async with plane() as running:
            await running.job(urls(web))
            (message,) = await running.release()
            await given_up(running, message, after=2)
            then = time.time() - hours * 3600
            for path in (tmp_path / "spool").rglob("*.warc.gz*"):
                os.utime(path, (then, then))
            await drop_ended(running.archive.capture_ports(), at_least_seconds=0)
            assert bool(files(tmp_path / "spool")) is stays

    asyncio.run(scenario())
