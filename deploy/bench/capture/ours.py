"""One run of ours: the whole path, release -> Celery -> robots -> fetch -> WARC -> fsync -> S3 -> CDXJ -> receipt ->
commit in the frontier.

Handing in is not counted, as reading their list is not for the peers: the scheduler process is halted meanwhile, and
let go when all URLs are queued. The clock runs from the moment at which the first batch was formed (its id tells it)
until the frontier says that the last URL is done, which is after its commit. What a page needs to look as it did is
not asked for: the peers fetch a list of pages, and so does this.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ulid import ULID

from deploy.bench.capture.pages import Page
from deploy.bench.capture.reading import WrongAnswerError, check_archives
from deploy.bench.capture.run import Run
from deploy.bench.capture.stack import PROGRAMS, Stack
from deploy.bench.capture.timeline import parts_of
from scheduler.intake import NothingToArchive, Order, accept, read_urls
from schemas import keys
from schemas.records.job import JobOptions, Lane, StoredJob
from schemas.records.outcome import Outcome
from schemas.records.receipt import Receipt, StoredFile
from workers.bootstrap import Archive, open_archive
from workers.flows.documents import read_object
from workers.frontier import names

LOOK_SECONDS = 0.01
PATIENCE_SECONDS = 600.0
PIECE_BYTES = 8 * 1024 * 1024
WHO = "citevault"


@dataclass(frozen=True, slots=True)
class Handed:
    """A job that waits in the frontier."""

    job: StoredJob
    urls: Sequence[str]
    pages: Sequence[Page]


def capture(stack: Stack, urls: Sequence[str], pages: Sequence[Page], scratch: Path) -> Run:
    """Capture these pages, check what is in the store, and say what it took."""
    return asyncio.run(_capture(stack, urls, pages, scratch))


async def _capture(stack: Stack, urls: Sequence[str], pages: Sequence[Page], scratch: Path) -> Run:
    async with open_archive(stack.settings) as archive:
        with halted(stack.pids["scheduler"]):
            handed = Handed(await hand_in(archive, urls), urls, pages)
            before = stack.cpu_seconds()
        ended = await until_done(archive, handed.job.id, len(urls))
        parts = {name: used - before[name] for name, used in stack.cpu_seconds().items()}
        receipts = await receipts_of(archive, handed.job.id)
        size = await check(archive, handed, receipts, scratch)
    timeline = parts_of(receipts)
    started = min(part.formed for part in timeline)
    return Run(WHO, len(pages), ended - started, sum(parts[name] for name in PROGRAMS), size, parts, timeline)


async def hand_in(archive: Archive, urls: Sequence[str], *, lane: Lane = Lane.BULK) -> StoredJob:
    """Store and queue a job, in a collection of its own: no payload of an earlier run is known there."""
    now = archive.clock.now()
    order = Order(f"bench-{ULID()}".lower(), lane, JobOptions(requisites=False))
    job = await accept(read_urls(urls), order, store=archive.store, frontier=archive.frontier, now=now)
    if isinstance(job, NothingToArchive) or job.seeds != len(urls):
        raise WrongAnswerError(f"{WHO}: the URLs were not all taken in")
    return job


async def until_done(archive: Archive, job_id: str, count: int) -> float:
    """The time (of the wall clock) at which all URLs of a job had their outcome. While they have not, they are only
    counted: it runs on the processors of those who are measured, and a whole look takes them eight times as long."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        counted, now = await archive.guard.client.hlen(names.done_urls(job_id)), time.time()
        progress = await archive.frontier.progress(job_id) if counted >= count else None
        if progress is not None and progress.done >= count:
            if set(progress.outcomes) != {Outcome.CAPTURED.value}:
                raise WrongAnswerError(f"{WHO}: outcomes {dict(progress.outcomes)}")
            return now
        if time.monotonic() > deadline:
            raise WrongAnswerError(f"{WHO}: {counted} of {count} pages in {PATIENCE_SECONDS:g} s")
        await asyncio.sleep(LOOK_SECONDS)


async def receipts_of(archive: Archive, job_id: str) -> list[Receipt]:
    return [await read_object(archive.store, key, Receipt) async for key in archive.store.list(keys.receipts(job_id))]


@contextmanager
def halted(pid: int) -> Iterator[None]:
    """A process that stands still for the length of a block."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def _download(archive: Archive, stored: StoredFile, scratch: Path) -> Path:
    """A copy of an object, fetched in pieces."""
    file = scratch / Path(stored.key).name
    with file.open("wb") as copy:
        for offset in range(0, stored.bytes, PIECE_BYTES):
            copy.write(await archive.store.get_range(stored.key, offset, min(PIECE_BYTES, stored.bytes - offset)))
    return file


async def check(archive: Archive, handed: Handed, receipts: Sequence[Receipt], scratch: Path) -> int:
    """Bytes of the WARC files, when they and their index hold every page."""
    files = []
    indexed = 0
    for receipt in receipts:
        if receipt.warc is None or receipt.cdxj is None:
            raise WrongAnswerError(f"{WHO}: a receipt of {receipt.batch_id} names no file")
        files.append(await _download(archive, receipt.warc, scratch))
        indexed += len((await archive.store.get(receipt.cdxj.key)).splitlines())
    robots = sum(len(receipt.robots) for receipt in receipts)
    if indexed != len(handed.urls) + robots:
        raise WrongAnswerError(f"{WHO}: {indexed} index lines for {len(handed.urls)} pages and {robots} robots.txt")
    try:
        return check_archives(WHO, files, handed.urls, handed.pages)
    finally:
        for file in files:
            file.unlink()
