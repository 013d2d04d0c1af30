"""URLs leased and completed: one process forms batches as the scheduler does, others take and commit them as workers.

Nothing is fetched in between. Where nobody waits either, this is the most that the frontier lets through; where each
URL takes a while, as it does on a network, it says what a further worker adds. Every URL must be done in the end.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
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

WAITING_A_WORKER = 4
"""Batches out at a time: what the scheduler lets wait, and what workers have in hand."""
IN_FLIGHT = 64
"""URLs that a worker waits for at a time."""
PATIENCE_SECONDS = 60.0
_ENOUGH = ""


@dataclass(frozen=True, slots=True)
class Crew:
    """So many worker processes, to each of which a URL is so many seconds of waiting."""

    workers: int = 2
    url_seconds: float = 0.0


def lease_and_complete(settings: Settings, file: Path, crew: Crew | None = None) -> float:
    """URLs a second. WrongAnswerError where one is left over."""
    return asyncio.run(_run(settings, file, crew or Crew()))


async def _run(settings: Settings, file: Path, crew: Crew) -> float:
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
        given = (settings, batches, committed, crew.url_seconds)
        processes = [context.Process(target=_work, args=given) for _ in range(crew.workers)]
        for process in processes:
            process.start()
        try:
            for _ in processes:
                committed.get(timeout=PATIENCE_SECONDS)  # each says that it is ready
            started = time.perf_counter()
            await _form(archive, WAITING_A_WORKER * crew.workers, job.seeds, batches, committed)
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


async def _form(archive: Archive, most: int, seeds: int, batches: Queue[str], committed: Queue[int]) -> None:
    """Keep so many batches out until all URLs are done."""
    urls = archive.settings.batch_urls
    out = done = 0
    while done < seeds:
        formed = await archive.frontier.release(now_ms=_now_ms(), batches=most - out, urls=urls, lane=Lane.BULK)
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


def _work(settings: Settings, batches: Queue[str], committed: Queue[int], url_seconds: float) -> None:
    asyncio.run(_take_and_commit(settings, batches, committed, url_seconds))


async def _take_and_commit(settings: Settings, batches: Queue[str], committed: Queue[int], url_seconds: float) -> None:
    async with open_archive(settings) as archive:
        await archive.guard.settle()
        committed.put(0)
        while batch_id := batches.get():
            lease = await archive.frontier.claim(batch_id, worker="bench", now_ms=_now_ms())
            if not isinstance(lease, Lease):
                raise WrongAnswerError(f"{batch_id} could not be taken: {lease}")
            if url_seconds:
                await _wait_for_each(len(lease.batch.urls), url_seconds)
            now_ms = _now_ms()
            await archive.frontier.commit(
                lease,
                {url.normalized_url: Outcome.CAPTURED for url in lease.batch.urls},
                now_ms=now_ms,
                ready_at_ms={url.host: now_ms for url in lease.batch.urls},
                last=True,
            )
            committed.put(len(lease.batch.urls))


async def _wait_for_each(urls: int, seconds: float) -> None:
    """Every URL by itself, some at a time, as a worker has them in flight."""
    free = asyncio.Semaphore(IN_FLIGHT)

    async def one() -> None:
        async with free:
            await asyncio.sleep(seconds)

    await asyncio.gather(*(one() for _ in range(urls)))


def _now_ms() -> int:
    return round(time.time() * 1000)
