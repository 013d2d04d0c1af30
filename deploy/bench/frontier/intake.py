"""A list of a million lines, from the file to the last URL that is queued: normalized, collapsed, stored, queued."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path

from deploy.bench.capture.processes import peak_bytes, reset_peak, resident_bytes
from deploy.bench.capture.reading import WrongAnswerError
from deploy.bench.frontier.stores import empty_archive
from scheduler.intake import NothingToArchive, Order, accept, read_lines
from schemas.records.job import JobOptions
from workers.bootstrap import Archive
from workers.config import Settings

WARM_LINES = 20_000
REST_SECONDS = 2.0
"""Until Redis has given back the buffers of its append-only file."""


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What one list took."""

    lines_per_second: float
    grown_bytes: int
    """Peak of this process over what it had resident before; a first list was taken in by then."""
    redis_bytes_per_url: float


def take_in(settings: Settings, file: Path, warm: Path) -> TakenIn:
    """WrongAnswerError where a line or a URL is missing."""
    return asyncio.run(_take_in(settings, file, warm))


async def _take_in(settings: Settings, file: Path, warm: Path) -> TakenIn:
    async with empty_archive(settings) as archive:
        await _accept(archive, warm)
    async with empty_archive(settings) as archive:
        before, resident = await _used(archive), resident_bytes(os.getpid())
        reset_peak(os.getpid())
        lines, seeds, seconds = await _accept(archive, file)
        grown = peak_bytes(os.getpid()) - resident
        await asyncio.sleep(REST_SECONDS)
        return TakenIn(lines / seconds, grown, (await _used(archive) - before) / seeds)


async def _accept(archive: Archive, file: Path) -> tuple[int, int, float]:
    """Lines, seeds, and seconds."""
    order = Order("bench-intake", options=JobOptions(requisites=False))
    started = time.perf_counter()
    with file.open("rb") as stream:
        lines = read_lines(stream)
        job = await accept(lines, order, store=archive.store, frontier=archive.frontier, now=archive.clock.now())
    seconds = time.perf_counter() - started
    if isinstance(job, NothingToArchive):
        raise WrongAnswerError("nothing was taken in")
    progress = await archive.frontier.progress(job.id)
    if progress is None or progress.intake_open or progress.known != job.seeds:
        raise WrongAnswerError(f"{job.seeds} seeds are stored, and the frontier knows {progress}")
    if job.lines != job.seeds + job.duplicates + job.bad_lines:
        raise WrongAnswerError(f"of {job.lines} lines some are neither seed nor repeat nor bad")
    return job.lines, job.seeds, seconds


async def _used(archive: Archive) -> int:
    return int((await archive.redis.info("memory"))["used_memory"])
