"""When files of captures are joined without anybody asking for it: when there are many new ones, and once a day where
files that were joined may be due to be deleted.

One at a time: this is the one scheduler, a look ends when its run does, and on this machine the run has a folder to
itself, against `citevault compact` too. Two on two machines would do no harm, since the log lets one win.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from scheduler.compaction import Tidied
from scheduler.service.ticking import WorkLog
from schemas import keys
from schemas.counted import counted
from workers import metrics
from workers.errors import CitevaultError
from workers.ports import Clock, ObjectStore

LOG = logging.getLogger(__name__)
CLEARED_SECONDS: Final = 86_400.0
FAILED_SECONDS: Final = 3600.0
"""After a run that failed: there is no room, or the store is away."""
NAME: Final = "compaction"
"""Under which it stands among the scheduler's troubles."""


def is_due(receipts: int, receipts_before: int, *, most: int, joined: bool, seconds: float | None) -> bool:
    """Whether to run now. `receipts`: how many there are; before: at the last run. `joined`: whether anything was ever
    joined; `seconds`: since the last run, None where this process knows of none. `most` 0: never."""
    if most == 0:
        return False
    if receipts - receipts_before >= most:
        return True
    return joined and (seconds is None or seconds >= CLEARED_SECONDS)


@dataclass(slots=True)
class Compacting:
    """Looks now and then. `most`: receipts that may come before their files are joined."""

    store: ObjectStore
    clock: Clock
    run: Callable[[], Awaitable[Tidied]]
    log: WorkLog
    most: int
    _receipts: int = 0
    _ran_at: float | None = None
    """By the clock's monotonic seconds, as the next."""
    _not_before: float = 0.0

    async def look(self) -> int:
        """One look, and a run where one is due; how many files were joined or deleted."""
        if self.most == 0:
            return 0
        now = self.clock.monotonic()
        if now < self._not_before:
            return 0
        receipts = await self._count(keys.COMMITS, None)
        joined = await self._count(keys.COMPACTIONS, 1) > 0
        seconds = None if self._ran_at is None else now - self._ran_at
        if not is_due(receipts, self._receipts, most=self.most, joined=joined, seconds=seconds):
            return 0
        try:
            done = await self.run()
        except CitevaultError as error:  # a whole look later is soon enough, and not at once as for other ticks
            self.log.troubles[NAME] = str(error)
            metrics.ERRORS.labels("scheduler", "retryable").inc()
            LOG.warning("compaction failed error=%s", error)
            self._not_before = now + FAILED_SECONDS
            return 0
        if done.busy:
            LOG.info("compaction put off: another is at work on this machine")
            return 0
        self._receipts, self._ran_at = receipts, now
        self._tell(done)
        return done.joined + done.deleted

    def _tell(self, done: Tidied) -> None:
        metrics.COMPACTED.labels("joined").inc(done.joined)
        metrics.COMPACTED.labels("deleted").inc(done.deleted)
        LOG.info("compaction made=%d joined=%d deleted=%d", done.made, done.joined, done.deleted)
        if done.damaged:
            self.log.troubles[NAME] = (
                f"{counted(len(done.damaged), 'file is', 'files are')} damaged and left alone, such as "
                f"{done.damaged[0]}; next: restore what is damaged from a copy of the bucket"
            )
            LOG.error("damaged files count=%d first=%s", len(done.damaged), done.damaged[0])
        else:
            self.log.troubles.pop(NAME, None)

    async def _count(self, prefix: str, most: int | None) -> int:
        count = 0
        async for _ in self.store.list(prefix):
            count += 1
            if count == most:
                break
        return count
