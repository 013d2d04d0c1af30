"""URLs leased and completed: one process forms batches as the scheduler does, two take and commit them as workers do.

Nothing is fetched in between, so this is the most that the frontier lets through. Every URL must be done in the end.
"""

from __future__ import annotations

import asyncio
import time
from multiprocessing import get_context
from multiprocessing.queues import Queue
from pathlib import Path

from deploy.bench.capture.reading import WrongAnswerError
from deploy.bench.frontier.stores import empty_archive
from scheduler.intake import NothingToArchive, Order, accept, read_lines
from schemas.records.job import Lane
from schemas.records.outcome import Outcome
from workers.bootstrap import Archive, open_archive
from workers.config import Settings
from workers.ports import Lease

WORKERS = 2
WAITING = 8
"""Batches out at a time: what the scheduler lets wait, and what workers have in hand."""
PATIENCE_SECONDS = 60.0
_ENOUGH = ""


def lease_and_complete(settings: Settings, file: Path) -> float:
    """URLs a second. WrongAnswerError where one is left over."""
    return asyncio.run(_run(settings, file))


async def _run(settings: Settings, file: Path) -> float:
    context = get_context("spawn")
    batches: Queue[str] = context.Queue()
    committed: Queue[int] = context.Queue()
    async with empty_archive(settings) as archive:
        with file.open("rb") as stream:
            job = await accept(
                read_lines(stream), Order(), store=archive.store, frontier=archive.frontier, now=archive.clock.now()
            )
        if isinstance(job, NothingToArchive):
            raise WrongAnswerError("nothing was taken in")
        processes = [context.Process(target=_work, args=(settings, batches, committed)) for _ in range(WORKERS)]
        for process in processes:
            process.start()
        try:
            for _ in processes:
                committed.get(timeout=PATIENCE_SECONDS)  # each says that it is ready
            started = time.perf_counter()
            await _form(archive, settings.batch_urls, job.seeds, batches, committed)
            seconds = time.perf_counter() - started
            progress = await archive.frontier.progress(job.id)
        finally:
            for _ in processes:
                batches.put(_ENOUGH)
            for process in processes:
                process.join(PATIENCE_SECONDS)
    if progress is None or not progress.captured_all or progress.done != job.seeds:
        raise WrongAnswerError(f"{job.seeds} URLs were queued, and the frontier knows {progress}")
    return job.seeds / seconds


async def _form(archive: Archive, urls: int, seeds: int, batches: Queue[str], committed: Queue[int]) -> None:
    """Keep some batches out until all URLs are done."""
    out = done = 0
    while done < seeds:
        formed = await archive.frontier.release(now_ms=_now_ms(), batches=WAITING - out, urls=urls, lane=Lane.BULK)
        for batch in formed:
            batches.put(batch.batch_id)
        out += len(formed)
        if not out:
            raise WrongAnswerError(f"no batch can be formed, and {seeds - done} URLs are left")
        done += committed.get(timeout=PATIENCE_SECONDS)
        out -= 1
        while not committed.empty():
            done += committed.get()
            out -= 1


def _work(settings: Settings, batches: Queue[str], committed: Queue[int]) -> None:
    asyncio.run(_take_and_commit(settings, batches, committed))


async def _take_and_commit(settings: Settings, batches: Queue[str], committed: Queue[int]) -> None:
    async with open_archive(settings) as archive:
        await archive.guard.settle()
        committed.put(0)
        while batch_id := batches.get():
            lease = await archive.frontier.claim(batch_id, worker="bench", now_ms=_now_ms())
            if not isinstance(lease, Lease):
                raise WrongAnswerError(f"{batch_id} could not be taken: {lease}")
            now_ms = _now_ms()
            await archive.frontier.commit(
                lease,
                {url.normalized_url: Outcome.CAPTURED for url in lease.batch.urls},
                now_ms=now_ms,
                ready_at_ms={url.host: now_ms for url in lease.batch.urls},
                last=True,
            )
            committed.put(len(lease.batch.urls))


def _now_ms() -> int:
    return round(time.time() * 1000)
