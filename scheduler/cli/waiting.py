"""Waiting for a job, with a progress bar for a person and plain lines for a log. All of it on stderr."""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from scheduler.cli.order import STAGES
from scheduler.cli.output import say, shown
from scheduler.in_hand import read_in_hand
from scheduler.outcomes import MissingUrl
from scheduler.stuck import aside_sentence
from scheduler.unfinished_intake import intake_fault
from schemas.counted import counted
from schemas.records.outcome import Outcome
from workers.bootstrap import Archive
from workers.errors import EpochError, RetryableError
from workers.ports import BatchAside, JobProgress, SegmentEntry

POLL_SECONDS = 0.3
TOLD_EACH_SECONDS = 10.0
FIRST_TOLD_SECONDS = 3.0
MOST_OUTCOMES = 20_000
"""That are read after waiting; of more, `status` tells."""
SHOWN_REFUSALS = 3
INTAKE_ASKED_EACH_SECONDS = 3.0
ASIDE_ASKED_EACH_SECONDS = 3.0
_BEHIND = {"committed": 0, "extracted": 1, "clustered": 2, "published": 3}
_NEEDED = {"captured": 0, "extracted": 1, "published": 3}


@dataclass(frozen=True, slots=True)
class Ended:
    """A job that has reached the stage that was waited for, or cannot reach it."""

    progress: JobProgress
    parked: tuple[str, ...]
    """Segments that were given up; their errors lie under `parked/`."""
    intake_fault: str | None = None
    """Why not all that was asked for can be known, as a sentence; None: it is."""
    aside: str | None = None
    """Why batches are set aside without which it does not end, as a sentence; None: there are none."""

    @property
    def without_response(self) -> int:
        """URLs that ended without a response."""
        return sum(count for name, count in self.progress.outcomes.items() if not Outcome(name).has_response)


def told_end(job_id: str, ended: Ended, missing: Iterable[MissingUrl] = ()) -> int:
    """Say what is missing of a job that ended; its exit code. What is known to be missing (1) goes before what could
    not be finished (3), but for a job of which not even that is known. `missing`: as far as it was read."""
    if ended.progress.later:
        say(f"{tried_again(ended.progress)}; `citevault watch {job_id}` waits for that")
    if ended.without_response:
        say(f"{counted(ended.without_response, 'URL')} ended without a response; `citevault status {job_id}` says why")
    if ended.progress.outcomes.get(Outcome.GUARD_DENIED):
        for refusal in _refusals(missing)[:SHOWN_REFUSALS]:
            say(f"guard_denied: {refusal}")
    if ended.parked:
        say(f"{counted(len(ended.parked), 'segment is', 'segments are')} parked; see `citevault status {job_id}`")
    faults = [fault for fault in (ended.intake_fault, ended.aside) if fault is not None]
    for fault in faults:
        say(shown(fault))
    if faults:
        return 3
    if ended.without_response or ended.progress.later:
        return 1
    return 3 if ended.parked else 0


def _refusals(missing: Iterable[MissingUrl]) -> list[str]:
    """Why the guard let some URLs not be asked for, and what to do about it, each reason once."""
    denied = (url for url in missing if url.outcome is Outcome.GUARD_DENIED)
    return list(dict.fromkeys("; ".join(filter(None, (url.failure, url.next_step))) for url in denied))


def tried_again(progress: JobProgress) -> str:
    """How many URLs wait for their next try, and until when, as a sentence."""
    are = counted(progress.later, "URL got no answer yet and is", "URLs got no answer yet and are")
    return f"{are} tried again from {(progress.next_try_at or '')[:19]}Z on"


def why_it_stands(progress: JobProgress) -> str | None:
    """Why nothing is done for a job just now, as a sentence; None: something is."""
    if progress.state == "paused":
        return f"the job is paused; `citevault resume {progress.job_id}` lets it go on"
    return tried_again(progress) if progress.at_rest and progress.later else None


async def wait_for(archive: Archive, job_id: str, stage: str, *, through_tries: bool = False) -> Ended:
    """Wait until a job has reached a stage; parked segments, cancelled jobs, seeds that are lost and batches that are
    set aside are not waited for, and with `through_tries` alone, what is tried again in minutes or hours."""
    held, intake, set_aside = _HeldBack(archive), _Intake(archive), _Aside(archive)
    with _shown(stage) as show:
        while True:
            try:
                progress = await archive.frontier.progress(job_id)
                entries = await archive.ledger.of_job(job_id)
                fault = None if progress is None else await intake.fault(progress)
                aside = [] if progress is None else await set_aside.of(progress)
            except (RetryableError, EpochError) as error:
                say(f"waiting for the stores: {error.what}")
                await asyncio.sleep(2.0)
                continue
            if progress is not None:
                show.update(progress, entries)
                await held.tell(progress, entries)
                parked = tuple(entry.segment_id for entry in entries if entry.parked)
                if _reached(progress, entries, stage, through_tries) or progress.state == "cancelled":
                    return Ended(progress, parked)
                if fault is not None and _reached(replace(progress, intake_open=False), entries, stage, through_tries):
                    return Ended(progress, parked, fault)
                if aside:
                    rest = progress.known - sum(each.urls for each in aside)
                    if _reached(
                        replace(progress, known=rest, intake_open=progress.intake_open and fault is None),
                        entries,
                        stage,
                        through_tries,
                    ):
                        return Ended(progress, parked, fault, aside_sentence(aside))
            await asyncio.sleep(POLL_SECONDS)


def published_segments(entries: Iterable[SegmentEntry]) -> frozenset[str]:
    """Those that are in the log."""
    return frozenset(entry.segment_id for entry in entries if entry.stage == "published" and not entry.parked)


def _reached(progress: JobProgress, entries: list[SegmentEntry], stage: str, through_tries: bool) -> bool:
    """Derived from sets: every URL has an outcome (or waits for its next try), and every segment is far enough."""
    far = all(entry.parked or _BEHIND[entry.stage] >= _NEEDED[stage] for entry in entries)
    return far and (progress.captured_all if through_tries else progress.at_rest)


class _Intake:
    """Asks now and then why an intake stays open; nearly none is."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._asked_at = -math.inf
        self._fault: str | None = None

    async def fault(self, job: JobProgress) -> str | None:
        if not job.intake_open:
            return None
        if time.monotonic() - self._asked_at >= INTAKE_ASKED_EACH_SECONDS:
            self._fault = await intake_fault(self._archive.store, job)
            self._asked_at = time.monotonic()
        return self._fault


class _Aside:
    """Asks now and then which batches of a job are set aside; nearly none is."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._asked_at = -math.inf

    async def of(self, job: JobProgress) -> list[BatchAside]:
        if job.at_rest or time.monotonic() - self._asked_at < ASIDE_ASKED_EACH_SECONDS:
            return []
        self._asked_at = time.monotonic()
        return await self._archive.frontier.aside(job.job_id)


class _HeldBack:
    """Says what holds a job back that has not got on for a while, each sentence once."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._seen: object = None
        self._since = time.monotonic()
        self._told: frozenset[str] = frozenset()

    async def tell(self, job: JobProgress, entries: list[SegmentEntry]) -> None:
        seen = (job.known, job.done, [entry.stage for entry in entries])
        if seen != self._seen:
            self._seen, self._since, self._told = seen, time.monotonic(), frozenset()
        if time.monotonic() - self._since < TOLD_EACH_SECONDS:
            return
        self._since = time.monotonic()
        holdups = (await read_in_hand(self._archive, job.job_id)).holdups
        for sentence in holdups:
            if sentence not in self._told:
                say(f"held back by {shown(sentence)}")
        self._told |= frozenset(holdups)


class _Bars:
    """A bar for each stage up to the one that is waited for."""

    def __init__(self, progress: Progress, stage: str) -> None:
        self._progress = progress
        wanted = STAGES[: STAGES.index(stage) + 1]
        self._told: str | None = None
        self._bars: dict[str, TaskID] = {name: progress.add_task(name, total=None) for name in wanted}

    def update(self, job: JobProgress, entries: list[SegmentEntry]) -> None:
        why = why_it_stands(job)
        if why is not None and why != self._told:
            self._progress.console.print(why, markup=False, highlight=False)
        self._told = why
        total = None if job.intake_open else job.known
        self._progress.update(self._bars["captured"], completed=job.done, total=total)
        for name in list(self._bars)[1:]:
            done = sum(_BEHIND[entry.stage] >= _NEEDED[name] for entry in entries)
            segments = len(entries) if job.at_rest else None
            self._progress.update(self._bars[name], completed=done, total=segments)


class _Lines:
    """A line now and then, where nobody looks at bars."""

    def __init__(self) -> None:
        self._told_at = time.monotonic() - TOLD_EACH_SECONDS + FIRST_TOLD_SECONDS
        self._told = ""

    def update(self, job: JobProgress, entries: list[SegmentEntry]) -> None:
        if time.monotonic() - self._told_at < TOLD_EACH_SECONDS:
            return
        published = sum(entry.stage == "published" for entry in entries)
        line = f"{job.done} of {job.known} URLs are through, {published} of {len(entries)} segments published"
        why = why_it_stands(job)
        told = line if why is None else f"{line}\n{why}"
        if why is not None and told == self._told:  # it stands, and that has been said
            return
        self._told_at, self._told = time.monotonic(), told
        say(told)


@contextmanager
def _shown(stage: str) -> Iterator[_Bars | _Lines]:
    if not sys.stderr.isatty():
        yield _Lines()
        return
    columns = (TextColumn("{task.description:>10}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield _Bars(progress, stage)
