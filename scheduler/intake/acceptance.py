"""A job becomes durable, then queued. Queueing can be cut off anywhere and done again from what is stored."""

from __future__ import annotations

import asyncio
import tempfile
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from ulid import ULID

from scheduler.intake.lines import SeedLines
from scheduler.intake.stored import PackedFile, Spooled, spool
from schemas import ids, keys
from schemas.canonical import canonical_bytes
from schemas.records.job import BadLine, JobOptions, Lane, SeedPart, StoredJob
from workers.catalog.jobs import seed_urls_of
from workers.catalog.seed_urls import SeedUrl
from workers.errors import EpochError, PermanentError, RetryableError
from workers.frontier.urls import politeness_key
from workers.ports import Frontier, ObjectStore, QueuedUrl

ADMIT_CHUNK: Final = 2000
AT_ONCE: Final = 2


@dataclass(frozen=True, slots=True)
class Order:
    """What a job is to be, apart from its URLs."""

    collection: str = "default"
    lane: Lane = Lane.BULK
    options: JobOptions = field(default_factory=JobOptions)
    visit: int = 1


@dataclass(frozen=True, slots=True)
class NothingToArchive:
    """No line of the input was good; nothing was stored."""

    lines: int
    bad_lines: int
    first_bad: tuple[BadLine, ...]


class IntakeInterruptedError(RetryableError):
    """The job is stored, but not all of it is queued yet; the scheduler goes on with it as soon as it can."""

    def __init__(self, job: StoredJob, cause: RetryableError | EpochError) -> None:
        super().__init__(
            f"the job is stored, its URLs are not all queued: {cause.what}",
            where=job.id,
            next_step="nothing, if a scheduler runs: it queues the rest; else start one",
        )
        self.job = job


def _told_nobody(_: int) -> None:
    pass


async def accept(
    lines: SeedLines,
    order: Order,
    *,
    store: ObjectStore,
    frontier: Frontier,
    now: datetime,
    told: Callable[[int], None] = _told_nobody,
    told_queued: Callable[[int], None] = _told_nobody,
) -> StoredJob | NothingToArchive:
    """Store a job with its seeds and bad lines, then queue it. `now` is aware, in UTC.

    `told` hears of lines that are read, from another thread, and `told_queued` of URLs. IntakeInterruptedError where
    the job is stored and only the queueing failed.
    """
    with tempfile.TemporaryDirectory(prefix="citevault-intake-") as folder:
        taken = await asyncio.to_thread(take_in, lines, Path(folder), told)
        if isinstance(taken, NothingToArchive):
            return taken
        return await accept_taken(taken, lines, order, store=store, frontier=frontier, now=now, told_queued=told_queued)


def take_in(lines: SeedLines, folder: Path, told: Callable[[int], None] = _told_nobody) -> Spooled | NothingToArchive:
    """Read an input to its end, before any store is asked. What may not be asked for is refused here."""
    spooled = spool(lines, folder, told)
    if spooled.seeds == 0:
        return NothingToArchive(lines.lines, spooled.bad_lines.records, spooled.first_bad)
    return spooled


async def accept_taken(
    taken: Spooled,
    lines: SeedLines,
    order: Order,
    *,
    store: ObjectStore,
    frontier: Frontier,
    now: datetime,
    told_queued: Callable[[int], None] = _told_nobody,
) -> StoredJob:
    """The rest of `accept`, of an input that was read."""
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)  # a ULID's resolution: the id tells this time
    job = await _store(taken, lines, order, store, now)
    try:
        await resume_intake(job, store=store, frontier=frontier, told=told_queued)
    except (RetryableError, EpochError) as error:
        raise IntakeInterruptedError(job, error) from error
    return job


async def resume_intake(
    job: StoredJob, *, store: ObjectStore, frontier: Frontier, told: Callable[[int], None] = _told_nobody
) -> int:
    """Queue a stored job's seeds, all or what is left of them; how many were new. Again is harmless. `told` hears how
    many are queued."""
    await frontier.open_job(job)
    new = queued = 0
    # While Redis queues one chunk, the next is made here: that is when both are at work.
    running: deque[asyncio.Task[int]] = deque()
    try:
        async for seeds in seed_urls_of(store, job):
            for start in range(0, len(seeds), ADMIT_CHUNK):
                chunk = [_queued(seed, job.visit) for seed in seeds[start : start + ADMIT_CHUNK]]
                running.append(asyncio.create_task(frontier.admit(job.id, chunk)))
                if len(running) == AT_ONCE:
                    new += await running.popleft()
            queued += len(seeds)
            told(queued)
        while running:
            new += await running.popleft()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    await frontier.close_intake(job.id)
    return new


async def _store(spooled: Spooled, lines: SeedLines, order: Order, store: ObjectStore, now: datetime) -> StoredJob:
    """Parts first, `job.json` last: it is what makes the job exist."""
    job_id = ids.job_id(str(ULID.from_datetime(now)))
    created_at = ids.utc_string(now)
    parts = [
        await _put_part(store, keys.job_seeds(job_id, created_at, number), part)
        for number, part in enumerate(spooled.parts)
    ]
    bad_lines_key = keys.job_bad_lines(job_id, created_at) if spooled.bad_lines.records else None
    if bad_lines_key is not None:
        await store.put(bad_lines_key, spooled.bad_lines.path, content_type="application/gzip")
    job = StoredJob(
        schema="citevault/stored-job@1",
        id=job_id,
        collection=order.collection,
        lane=order.lane,
        created_at=created_at,
        visit=order.visit,
        options=order.options,
        seed_parts=tuple(parts),
        bad_lines_key=bad_lines_key,
        lines=lines.lines,
        seeds=spooled.seeds,
        duplicates=lines.duplicates,
        bad_lines=spooled.bad_lines.records,
    )
    if not await store.create(keys.job(job_id, created_at), canonical_bytes(job), content_type="application/json"):
        raise PermanentError("another job has this id", where=job_id, next_step="hand the job in again")
    return job


async def _put_part(store: ObjectStore, key: str, part: PackedFile) -> SeedPart:
    await store.put(key, part.path, content_type="application/gzip")
    return SeedPart(key=key, sha256=part.sha256(), seeds=part.records)


def _queued(seed: SeedUrl, visit: int) -> QueuedUrl:
    return QueuedUrl(
        requested_url=seed.requested_url,
        normalized_url=seed.normalized_url,
        host=politeness_key(seed.normalized_url),
        visit=seed.visit or visit,
    )
