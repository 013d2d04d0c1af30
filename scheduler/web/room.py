"""The reading room: the open archive, and what is kept between requests.

Every look-up goes through `look`: it shares answers, ends in time, and asks once more when it was told that Redis has
come to another epoch, since the belief has been renewed by then.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from scheduler.links import LinkReader
from scheduler.outcomes import MissingReader
from scheduler.web.cached import Cached
from scheduler.web.manifests import LogHeads
from schemas.records.decision import Decision
from workers.bootstrap import Archive, open_archive
from workers.config import Settings
from workers.errors import EpochError, RetryableError
from workers.flows.decisions import read_decisions

T = TypeVar("T")

FRESH_SECONDS = 1.0
ANSWER_SECONDS = 20.0
JOBS_READ = 8
"""Jobs whose receipts are kept in mind: at most 100,000 outcomes each (`jobs.MOST_OUTCOMES`), some 15 MB."""


class Room:
    """One per process; belongs to its event loop."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.heads = LogHeads(archive.store)
        self._cached = Cached()
        self._missing: OrderedDict[str, MissingReader] = OrderedDict()
        self._links: OrderedDict[str, LinkReader] = OrderedDict()
        self._decisions: tuple[Decision, ...] = ()

    async def look(
        self,
        question: str,
        look: Callable[[], Awaitable[T]],
        *,
        fresh_seconds: float = FRESH_SECONDS,
        within_seconds: float = ANSWER_SECONDS,
    ) -> T:
        """An answer that may be `fresh_seconds` old. RetryableError where it takes too long."""
        return await in_time(
            question, self._cached.get(question, lambda: _twice(look), seconds=fresh_seconds), within_seconds
        )

    async def look_once(self, question: str, look: Callable[[], Awaitable[T]]) -> T:
        """An answer that is not kept, since it may be large."""
        return await in_time(question, _twice(look), ANSWER_SECONDS)

    def missing_reader(self, job_id: str) -> MissingReader:
        """The reader of a job's receipts, with what it has read so far."""
        reader = self._missing.get(job_id)
        if reader is None:
            reader = self._missing[job_id] = MissingReader(self.archive.store, job_id)
            if len(self._missing) > JOBS_READ:
                self._missing.popitem(last=False)
        self._missing.move_to_end(job_id)
        return reader

    def link_reader(self, job_id: str) -> LinkReader:
        """The reader of what a job has found by links, with what it has read so far."""
        reader = self._links.get(job_id)
        if reader is None:
            reader = self._links[job_id] = LinkReader(self.archive.store, job_id)
            if len(self._links) > JOBS_READ:
                self._links.popitem(last=False)
        self._links.move_to_end(job_id)
        return reader

    async def decisions(self) -> tuple[Decision, ...]:
        """The decision log; only what is new is read."""
        found = await read_decisions(self.archive.store, self._decisions)
        if len(found) > len(self._decisions):
            self._decisions = found
        return found

    async def close(self) -> None:
        await self._cached.close()


async def in_time(question: str, answer: Awaitable[T], seconds: float) -> T:
    """The answer, or RetryableError after so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            return await answer
    except TimeoutError:
        raise RetryableError(
            f"the archive did not answer within {seconds:g} s",
            where=question[:200],
            next_step="`citevault doctor` says which part is slow or away",
        ) from None


async def _twice(look: Callable[[], Awaitable[T]]) -> T:
    try:
        return await look()
    except EpochError:
        return await look()


@asynccontextmanager
async def open_room(settings: Settings) -> AsyncIterator[Room]:
    """A room over the stores of these settings. Nothing is connected before it is used."""
    async with open_archive(settings) as archive:
        room = Room(archive)
        try:
            yield room
        finally:
            await room.close()
