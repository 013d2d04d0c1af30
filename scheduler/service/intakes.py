"""Jobs that are stored and not queued to the end: whoever handed them in was cut off, or Redis was away."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from scheduler.intake import resume_intake
from schemas import keys
from workers.catalog.jobs import load_job
from workers.errors import CorruptError, ObjectMissingError
from workers.ports import Frontier, ObjectStore

LOG = logging.getLogger(__name__)
UNKNOWN = -1


@dataclass(slots=True)
class Intakes:
    """Looks for them. At the first look all that are open are taken up, later those that stand still: two that queue
    one job at the same time do no harm, but twice the work."""

    store: ObjectStore
    frontier: Frontier
    _seen: dict[str, int] | None = None
    """URLs that each open intake had queued at the last look."""
    _complete: set[str] = field(default_factory=set)

    async def resume(self, now: datetime) -> int:
        """One look; how many were taken up and queued to the end."""
        before, self._seen = self._seen, {}
        days = [""] if before is None else [_day(now), _day(now - timedelta(days=1))]
        resumed = 0
        for job_id in dict.fromkeys([*await self.frontier.jobs(), *await self._stored(days)]):
            queued = await self._open(job_id)
            if queued is None:
                continue
            self._seen[job_id] = queued
            if before is None or before.get(job_id) == queued:
                resumed += await self._resume(job_id)
        return resumed

    async def _open(self, job_id: str) -> int | None:
        """How many URLs of an open intake are queued; None where it is closed. It is closed for good."""
        if job_id in self._complete:
            return None
        progress = await self.frontier.progress(job_id)
        if progress is not None and not progress.intake_open:
            self._complete.add(job_id)
            return None
        return UNKNOWN if progress is None else progress.known

    async def _stored(self, days: Sequence[str]) -> list[str]:
        """Jobs of these days in the store; the newest are what the frontier may not have heard of."""
        return [
            key.split("/")[-2]
            for day in days
            async for key in self.store.list(keys.JOBS + day)
            if key.endswith("/job.json")
        ]

    async def _resume(self, job_id: str) -> int:
        """0 where the job is not there, or is damaged: that one waits for a person, and the others go on."""
        try:
            job = await load_job(self.store, job_id)
            await resume_intake(job, store=self.store, frontier=self.frontier)
        except ObjectMissingError as error:
            LOG.debug("nothing to take in job=%s error=%s", job_id, error)
            return 0
        except CorruptError as error:
            LOG.error("damaged intake job=%s error=%s", job_id, error)
            return 0
        return 1


def _day(moment: datetime) -> str:
    return f"{moment:%Y/%m/%d}/"
