"""What is in hand right now, and what holds URLs back: batches, what waits behind capture, commits that wait for the
store, room on the disk, and what keeps the scheduler from its work.

Commits and room are what the workers of this machine told last; the rest is of the whole archive.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scheduler.gauge_files import gauges
from schemas.records.job import Lane
from workers.adapters.redis.liveness import Liveness
from workers.adapters.redis.replies import number
from workers.frontier import names

if TYPE_CHECKING:
    from workers.bootstrap import Archive

COMMITS_WAITING: Final = "citevault_commits_waiting"
SPOOL_FREE: Final = "citevault_spool_free_bytes"
SILENT_SECONDS: Final = 120.0
"""A process that has told nothing for so long is gone, and its last trouble with it."""
GB: Final = 1e9


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
    scheduler: str
    """Its troubles in words; empty: none."""
    scheduler_silent_seconds: float | None
    """None: it has never told anything."""

    @property
    def sentence(self) -> str:
        """What is in hand, for people."""
        room = "" if self.free_bytes is None else f"; {self.free_bytes / GB:.1f} GB free for the spool"
        return (
            f"in hand: {self.taken} batches with workers, {self.waiting} wait for one; {self.unextracted} segments "
            f"wait to be extracted; {self.commits_waiting} commits wait for the store{room}"
        )

    @property
    def holdups(self) -> list[str]:
        """What holds URLs back, a sentence each, with what to do; empty where nothing does."""
        found = []
        if self.free_bytes is not None and self.free_bytes < self.least_free_bytes:
            found.append(
                f"disk: {self.free_bytes / GB:.1f} GB are free where the spool is, and no batch is begun below "
                f"{self.least_free_bytes / GB:.1f}; next: make room, or lower CITEVAULT_SPOOL_FREE_BYTES"
            )
        if self.commits_waiting:
            found.append(
                f"storage: {self.commits_waiting} commits wait for a store that is away or refuses them; next: "
                "`citevault doctor` names the fault, and they go on by themselves"
            )
        if self.scheduler_silent_seconds is None or self.scheduler_silent_seconds > SILENT_SECONDS:
            found.append("scheduler: it has told nothing for two minutes, so no batch goes out; next: start one")
        elif self.scheduler:
            found.append(f"scheduler: {self.scheduler}")
        return found


async def read_in_hand(archive: Archive) -> InHand:
    """One look."""
    now_ms = archive.clock.now().timestamp() * 1000
    (released,) = await archive.guard.read(lambda pipe: pipe.zcard(names.LEASES), "in hand")
    waiting = sum([await archive.frontier.backlog(lane) for lane in Lane])
    sign = (await Liveness(archive.redis).all()).get("scheduler")
    told = await asyncio.to_thread(gauges, archive.settings.metrics_dir, {COMMITS_WAITING, SPOOL_FREE})
    return InHand(
        taken=max(0, number(released) - waiting),
        waiting=waiting,
        unextracted=(await archive.ledger.depths())["committed"],
        commits_waiting=round(told.get(COMMITS_WAITING, 0)),
        free_bytes=round(told[SPOOL_FREE]) if SPOOL_FREE in told else None,
        least_free_bytes=archive.settings.spool_free_bytes,
        scheduler="" if sign is None else sign.trouble,
        scheduler_silent_seconds=None if sign is None else (now_ms - sign.alive_at_ms) / 1000,
    )
