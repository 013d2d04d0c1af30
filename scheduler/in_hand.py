"""What is in hand right now, and what holds URLs back: batches, what waits behind capture, commits that wait for the
store, room on the disk, and what keeps the scheduler from its work.

Commits and room are what the workers of this machine told last; the rest is of the whole archive.
"""

from __future__ import annotations

import asyncio
import errno
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scheduler.gauge_files import gauges
from schemas.counted import counted
from schemas.ids import utc_string
from schemas.records.job import Lane
from workers.adapters.disk import amount, full_of, prove
from workers.adapters.redis.leased import asked_by
from workers.adapters.redis.liveness import Liveness
from workers.adapters.redis.replies import number
from workers.adapters.redis.resting import resting_hosts
from workers.config import Settings
from workers.disk_faults import unkept
from workers.errors import UnkeptError
from workers.frontier import names
from workers.ports import Asked

if TYPE_CHECKING:
    from workers.bootstrap import Archive

COMMITS_WAITING: Final = "citevault_commits_waiting"
SPOOL_FREE: Final = "citevault_spool_free_bytes"
SILENT_SECONDS: Final = 120.0
"""A process that has told nothing for so long is gone, and its last trouble with it."""
MOST_ASKED: Final = 5
"""Slow answers that are told of."""
NO_BATCH: Final = "write to its spool, and begins no batch"
AGAIN: Final = "; next: try again"
"""What stores say that fail; no advice where it is the disk."""


def folders_of(settings: Settings) -> list[Path]:
    """Where this machine's processes write: the spool, and the local stack, where there is one."""
    local = [settings.data_dir] if (settings.data_dir / "run").is_dir() else []
    return [*local, settings.spool_dir]


def full_disk(settings: Settings) -> str | None:
    """What is full on this machine, and what to do; None: nothing is."""
    full = full_of(folders_of(settings))
    if full is None:
        return None
    return (
        f"the disk is full: {full.sentence(full.least_bytes)}; make room there, or enlarge it. Nothing is lost, "
        "and what waits goes on by itself; a command that ended with an error is to be run again"
    )


def spool_fault(settings: Settings) -> UnkeptError | None:
    """Why workers of this machine cannot write to their spool; None: they can, or have not begun here. Blocks.

    A folder of another user tells us nothing where we may not write to it.
    """
    spool = settings.spool_dir
    begun = (settings.data_dir / "run").is_dir() or SPOOL_FREE in gauges(settings.metrics_dir, {SPOOL_FREE})
    try:
        if begun or spool.exists():
            prove(spool)
    except PermissionError as error:
        return None if _is_anothers(spool) else unkept(error, NO_BATCH, str(spool))
    except OSError as error:
        full = error.errno == errno.ENOSPC and full_of([spool]) is not None  # which is told with its amounts
        return None if full else unkept(error, NO_BATCH, str(spool))
    return None


def _is_anothers(folder: Path) -> bool:
    """Whether it is of another user, or we may not even ask."""
    try:
        return folder.stat().st_uid != os.geteuid()
    except OSError:
        return True


@dataclass(frozen=True, slots=True)
class InHand:
    """As it was found."""

    taken: int
    """Batches that workers have."""
    waiting: int
    """Batches that wait for a worker."""
    unextracted: int
    """Segments that wait to be extracted."""
    commits_waiting: int
    free_bytes: int | None
    """None: no worker of this machine has looked yet."""
    least_free_bytes: int
    spool: str
    """Where the spool is."""
    spool_fault: str | None
    """Why it cannot be written, and what to do."""
    full_disk: str | None
    """Which disk of this machine is full, in words."""
    scheduler: str
    """Its troubles in words; empty: none."""
    scheduler_silent_seconds: float | None
    """None: it has never told anything."""
    asked: tuple[Asked, ...] = ()
    """What workers have been waiting for, the longest first."""
    aside: int = 0
    """Batches that wait until somebody restores an object."""
    resting: tuple[tuple[str, int], ...] = ()
    """Hosts of the job that rest for more than a minute, and until when (ms), the longest first."""

    @property
    def sentence(self) -> str:
        """What is in hand, for people."""
        room = "" if self.free_bytes is None or self.spool_fault else f"; {amount(self.free_bytes)} free for the spool"
        aside = f", {self.aside} set aside" if self.aside else ""
        parts = [
            f"in hand: {counted(self.taken, 'batch', 'batches')} with workers, "
            f"{counted(self.waiting, 'waits', 'wait')} for one{aside}",
            f"{counted(self.unextracted, 'segment waits', 'segments wait')} to be extracted",
            f"{counted(self.commits_waiting, 'commit waits', 'commits wait')} for the store{room}",
        ]
        return "; ".join(parts)

    @property
    def holdups(self) -> list[str]:
        """What holds URLs back, a sentence each, with what to do; empty where nothing does."""
        found = []
        if self.full_disk is not None:
            found.append(f"disk: {self.full_disk}")
        if self.spool_fault is not None:
            found.append(f"disk: {self.spool_fault}")
        elif self.free_bytes is not None and self.free_bytes < self.least_free_bytes:
            found.append(
                f"disk: {amount(self.free_bytes)} are free where the spool is ({self.spool}), and no batch is begun "
                f"below {amount(self.least_free_bytes)}; next: make room, or lower CITEVAULT_SPOOL_FREE_BYTES"
            )
        if self.commits_waiting:
            found.append(
                f"storage: {self.commits_waiting} commits wait for a store that is away or refuses them; next: "
                "`citevault doctor` names the fault, and they go on by themselves"
            )
        if self.scheduler_silent_seconds is None or self.scheduler_silent_seconds > SILENT_SECONDS:
            found.append("scheduler: it has told nothing for two minutes, so no batch goes out; next: start one")
        elif self.scheduler:
            found.append(f"scheduler: {self.scheduler.replace(AGAIN, '') if self.full_disk else self.scheduler}")
        slow = [each for each in self.asked if not each.crawl_delay_ms]
        found += (
            f"a slow answer: {each.url} is being fetched since {utc_string(since(each))[:19]}Z; next: wait, or cancel "
            "the job; CITEVAULT_TOTAL_SECONDS ends it at the latest, and other pages go on beside it"
            for each in slow[:MOST_ASKED]
        )
        delays = {each.url: each.crawl_delay_ms / 1000 for each in self.asked if each.crawl_delay_ms}
        found += (
            f"Crawl-delay: the robots.txt of {host} asks for {seconds:g} s between two requests; next: wait; other "
            "hosts go on beside it, and CITEVAULT_CRAWL_DELAY_MAX_SECONDS is the longest that is obeyed"
            for host, seconds in [*delays.items()][:MOST_ASKED]
        )
        found += (
            f"a host that rests: {host} is asked again from {_moment(until_ms)} on, since it asked for that "
            "(Retry-After) or was busy again and again; next: wait; other hosts go on beside it"
            for host, until_ms in self.resting[:MOST_ASKED]
        )
        if len(self.resting) > MOST_ASKED:
            found.append(f"{len(self.resting) - MOST_ASKED} more hosts that rest for longer than a minute; next: wait")
        return found


def _moment(ms: int) -> str:
    return f"{utc_string(datetime.fromtimestamp(ms / 1000, UTC))[:19]}Z"


def since(asked: Asked) -> datetime:
    """When it was asked for."""
    return datetime.fromtimestamp(asked.since_ms / 1000, UTC)


async def read_in_hand(archive: Archive, job_id: str | None = None) -> InHand:
    """One look. What is waited for is that of one job, or of all."""
    now_ms = archive.clock.now().timestamp() * 1000
    (released,) = await archive.guard.read(lambda pipe: pipe.zcard(names.LEASES), "in hand")
    waiting = sum([await archive.frontier.backlog(lane) for lane in Lane])
    aside = len(await archive.frontier.aside())
    sign = (await Liveness(archive.redis).all()).get("scheduler")
    told = await asyncio.to_thread(gauges, archive.settings.metrics_dir, {COMMITS_WAITING, SPOOL_FREE})
    fault = await asyncio.to_thread(spool_fault, archive.settings)
    return InHand(
        taken=max(0, number(released) - waiting - aside),
        waiting=waiting,
        unextracted=(await archive.ledger.depths())["committed"],
        commits_waiting=round(told.get(COMMITS_WAITING, 0)),
        free_bytes=round(told[SPOOL_FREE]) if SPOOL_FREE in told else None,
        least_free_bytes=archive.settings.spool_free_bytes,
        spool=str(archive.settings.spool_dir),
        spool_fault=None if fault is None else str(fault),
        full_disk=await asyncio.to_thread(full_disk, archive.settings),
        scheduler="" if sign is None else sign.trouble,
        scheduler_silent_seconds=None if sign is None else (now_ms - sign.alive_at_ms) / 1000,
        aside=aside,
        asked=tuple(await asked_by(archive.guard, job_id)),
        resting=() if job_id is None else tuple(await resting_hosts(archive.guard, job_id, now_ms)),
    )
