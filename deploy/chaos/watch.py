"""Handing in, and following a job from outside while parts of the stack come and go."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from redis.exceptions import RedisError
from ulid import ULID

from deploy.chaos.evidence import left_in_redis, receipts_of
from deploy.chaos.verdict import Finding
from scheduler.intake import NothingToArchive, Order, accept, read_urls
from schemas.records.job import JobOptions, StoredJob
from workers.bootstrap import Archive
from workers.errors import CitevaultError, EpochError, RetryableError
from workers.ports import JobProgress

LOOK_SECONDS = 0.5


async def hand_in(archive: Archive, urls: Sequence[str]) -> StoredJob:
    """Store and queue a job of these pages alone. ValueError where not all URLs were taken in."""
    order = Order(f"chaos-{ULID()}".lower(), options=JobOptions(requisites=False))
    job = await accept(read_urls(urls), order, store=archive.store, frontier=archive.frontier, now=archive.clock.now())
    if isinstance(job, NothingToArchive) or job.seeds != len(urls):
        raise ValueError("the URLs were not all taken in")
    return job


@dataclass(slots=True)
class Watch:
    """What was seen of a job. `findings`: what was said of it and was not true."""

    archive: Archive
    job_id: str
    urls: Collection[str]
    findings: list[Finding] = field(default_factory=list)
    done: int = 0
    """Of the last answer."""
    started: float = field(default_factory=time.monotonic)

    async def look(self) -> JobProgress | None:
        """How the job stands; None while nobody can say. What is said is held against what the store has."""
        try:
            progress = await self.archive.frontier.progress(self.job_id)
        except (RetryableError, EpochError):
            await self.archive.redis.connection_pool.disconnect(inuse_connections=False)
            return None
        if progress is None:
            self._find("job.unknown", "the frontier said that there is no such job")
            return None
        self.done = progress.done
        if progress.known != len(self.urls):
            self._find("job.forgotten", f"the frontier knew {progress.known} URLs of {len(self.urls)}")
        if progress.captured_all and not await self._is_covered():
            self._find("completion.early", f"said to be complete with {progress.done} of {progress.known} done")
        return progress

    async def is_captured(self) -> bool:
        """Whether all URLs are, says a look."""
        progress = await self.look()
        return progress is not None and progress.captured_all

    async def until(self, done: float) -> None:
        """Look until so many URLs are done."""
        while self.done < done:
            await self.look()
            await asyncio.sleep(LOOK_SECONDS)

    async def one_more(self, seconds: float) -> float:
        """Seconds until a URL more is done, or all are; these at most."""
        since = time.monotonic()
        await self.look()
        done = self.done
        while self.done == done < len(self.urls) and time.monotonic() - since < seconds:
            await asyncio.sleep(0.1)
            await self.look()
        return time.monotonic() - since

    async def settled(self, seconds: float) -> bool:
        """Wait until nothing is under way any more. False: not in time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                entries = await self.archive.ledger.of_job(self.job_id)
                done = entries and all(entry.stage == "published" for entry in entries)
                if done and not await left_in_redis(self.archive, self.job_id):
                    return True
            except (CitevaultError, RedisError, OSError):
                await self.archive.redis.connection_pool.disconnect(inuse_connections=False)
            await asyncio.sleep(LOOK_SECONDS)
        return False

    async def _is_covered(self) -> bool:
        while True:
            try:
                receipts = await receipts_of(self.archive, self.job_id)
            except RetryableError:  # the store is being started again
                await asyncio.sleep(LOOK_SECONDS)
                continue
            return set(self.urls) <= {each.requested_url for one in receipts.values() for each in one.ended}

    def _find(self, code: str, text: str) -> None:
        if code not in {finding.code for finding in self.findings}:
            self.findings.append(Finding(code, text))
