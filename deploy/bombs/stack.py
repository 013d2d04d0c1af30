"""Each bomb through the whole stack: served, captured, archived, extracted, clustered and published by real workers.

A bomb is a job with a good page behind it. It survives where the job completes, the good page is read as ever, the bomb
has a snapshot that is either text by a named extractor or says why it is none, and nothing is parked or failing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from deploy.bench.capture import processes
from deploy.bombs.run import Bomb
from deploy.bombs.serving import BombServer, serving
from deploy.chaos.given import emptied
from deploy.chaos.stack import SETTINGS, Stack, supervised
from deploy.chaos.watch import hand_in
from schemas.records.snapshot import ReaderStatus, Snapshot
from workers.bootstrap import Archive, open_archive
from workers.config import Settings

LOOK_SECONDS = 0.2
MIB = 1024 * 1024
WORKERS = ("worker-interactive", "worker-capture", "worker-extract", "worker-cluster")


@dataclass(slots=True)
class Passed:
    """What became of a bomb and of the page behind it."""

    name: str
    seconds: float
    """From its being handed in until its last segment was published."""
    worker_mib: float
    """The most memory that any process of the workers had resident meanwhile."""
    reader_status: str
    reason: str | None
    extractor: str | None
    findings: list[str] = field(default_factory=list)


def run(wanted: Sequence[Bomb], folder: Path, most_seconds: float) -> Iterator[Passed]:
    """One after the other on one stack with the product's own limits; `most_seconds` for each."""
    # Of what runs that kill shorten, the defaults: a segment of a bomb takes longer than they wait.
    defaults = {name: str(getattr(Settings(), name)) for name in SETTINGS if name.endswith("_seconds")}
    own = {"publish_seconds": SETTINGS["publish_seconds"], "sync_seconds": SETTINGS["sync_seconds"]}
    with serving(wanted) as web, supervised(emptied(folder), {**defaults, **own}) as stack:
        for number, bomb in enumerate(wanted):
            yield asyncio.run(_pass(bomb, number, web, stack, most_seconds))


async def _pass(bomb: Bomb, number: int, web: BombServer, stack: Stack, most_seconds: float) -> Passed:
    for pid in _workers(stack):
        with suppress(OSError):
            processes.reset_peak(pid)
    bad, good = web.url(str(number)), web.url(f"good-{number}")
    async with open_archive(stack.settings) as archive:
        started = time.monotonic()
        job = await hand_in(archive, [bad, good])
        peak, over = 0, False
        while not (over := await _is_published(archive, job.id)) and time.monotonic() - started < most_seconds:
            peak = max(peak, *map(_peak, _workers(stack)), 0)
            await asyncio.sleep(LOOK_SECONDS)
        seconds = time.monotonic() - started
        found = {line.requested_url: line for line in await _snapshots(archive, job.id)}
        passed = _passed(bomb, found.get(bad), found.get(good), seconds, peak)
        if not over:
            passed.findings.append(f"not published within {most_seconds:.0f} s")
        stuck = [entry for entry in await archive.ledger.of_job(job.id) if entry.parked or entry.failures]
        passed.findings += [f"segment {entry.segment_id}: {entry.error}" for entry in stuck]
    return passed


def _passed(bomb: Bomb, bad: Snapshot | None, good: Snapshot | None, seconds: float, peak: int) -> Passed:
    findings = []
    if bad is None:
        findings.append("the bomb has no snapshot")
    elif bad.reader_status is not ReaderStatus.OK and bad.reader_reason is None:
        findings.append("nobody says why the bomb has no text")
    if good is None or not good.citeable:
        findings.append("the page behind it was not read")
    return Passed(
        bomb.name,
        seconds,
        peak / MIB,
        "none" if bad is None else bad.reader_status.value,
        None if bad is None else bad.reader_reason,
        None if bad is None else bad.extractor,
        findings,
    )


async def _is_published(archive: Archive, job_id: str) -> bool:
    progress = await archive.frontier.progress(job_id)
    entries = await archive.ledger.of_job(job_id)
    return (
        progress is not None
        and progress.captured_all
        and bool(entries)
        and all(entry.stage == "published" or entry.parked for entry in entries)
    )


async def _snapshots(archive: Archive, job_id: str) -> list[Snapshot]:
    lines = [await archive.catalog.snapshot(name) for name in await archive.catalog.snapshots_of_job(job_id)]
    return [line.snapshot for line in lines if line is not None]


def _workers(stack: Stack) -> list[int]:
    """Processes of all workers, with their sandboxes."""
    mains = [main for name in WORKERS if (main := stack.main(name)) is not None]
    return [pid for main in mains for pid in processes.tree(main)]


def _peak(pid: int) -> int:
    try:
        return processes.peak_bytes(pid)
    except (OSError, ValueError):  # it is ending: gone, or without memory already
        return 0
