"""Visits that have ended are written together, none is lost on the way, and those who bring too many have to wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from schemas.records.outcome import Outcome
from workers.archive.message import StoredMessage
from workers.exchange import Exchange
from workers.flows.capture.gathering import GATHER_SECONDS, MOST, MOST_BYTES, Gathering
from workers.flows.capture.visit import Visit
from workers.flows.capture.waiting import Waiting
from workers.ports import QueuedUrl


class File:
    """What visits are written to; `fails` so often before it does."""

    def __init__(self, fails: int = 0) -> None:
        self.groups: list[list[Waiting]] = []
        self.fails = fails
        self.closed = asyncio.Event()
        self.closed.set()

    async def write(self, together: list[Waiting]) -> None:
        await self.closed.wait()
        if self.fails:
            self.fails -= 1
            raise OSError("the disk is full")
        self.groups.append(together)
        for visit in together:
            visit.end(())

    @property
    def written(self) -> list[Waiting]:
        return [visit for group in self.groups for visit in group]


def visit(number: int = 0, size: int = 10) -> Waiting:
    url = f"http://example.org/{number}"
    exchange = Exchange(url=url, started_at="2026-11-29T12:00:00Z", outcome=Outcome.CAPTURED)
    ended = Visit(QueuedUrl(url, url, "example.org"), (exchange,), (), Outcome.CAPTURED)
    return Waiting(ended, (exchange,), [StoredMessage(b"", (), False, None, "0" * 64, size)], False)


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(scenario(), 20))


def test_what_comes_within_some_milliseconds_is_written_together() -> None:
    async def scenario() -> None:
        file = File()
        gathering = Gathering(file.write)
        keeping = asyncio.create_task(gathering.keep())
        visits = [visit(number) for number in range(5)]
        for each in visits:
            await gathering.put(each)
            await asyncio.sleep(0)
        assert file.groups == []
        while not visits[-1].written:
            await asyncio.sleep(GATHER_SECONDS)
        assert file.groups == [visits]
        keeping.cancel()

    run(scenario)


def test_whoever_wants_its_visit_written_now_takes_along_what_waits() -> None:
    async def scenario() -> None:
        file = File()
        gathering = Gathering(file.write)
        first, second = visit(1), visit(2)
        await gathering.put(first)
        assert await gathering.write(second) == ()
        assert file.groups == [[first, second]]

    run(scenario)


@pytest.mark.parametrize(("count", "size"), [(MOST, 10), (4, MOST_BYTES // 4)])
def test_who_brings_too_much_waits_for_the_file(count: int, size: int) -> None:
    async def scenario() -> None:
        file = File()
        file.closed.clear()
        gathering = Gathering(file.write)
        for number in range(count - 1):
            await gathering.put(visit(number, size))
        last = asyncio.create_task(gathering.put(visit(count, size)))
        await asyncio.sleep(GATHER_SECONDS)
        assert not last.done()
        file.closed.set()
        await last
        assert len(file.written) == count

    run(scenario)


def test_what_could_not_be_written_waits_for_another_try() -> None:
    async def scenario() -> None:
        file = File(fails=2)
        gathering = Gathering(file.write)
        first, second = visit(1), visit(2)
        await gathering.put(first)
        with pytest.raises(OSError, match="full"):
            await gathering.write(second)
        with pytest.raises(OSError, match="full"):
            await gathering.drain()
        await gathering.drain()
        assert file.groups == [[first, second]]

    run(scenario)


def test_a_failure_ends_whoever_keeps_it() -> None:
    async def scenario() -> None:
        gathering = Gathering(File(fails=1).write)
        await gathering.put(visit())
        with pytest.raises(OSError, match="full"):
            await gathering.keep()

    run(scenario)
