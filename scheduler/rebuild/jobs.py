"""`jobs/…/job.json`: jobs become known again, with their intake open until their seeds are queued."""

from __future__ import annotations

from scheduler.rebuild.work import Restoration
from schemas import keys
from schemas.records.job import StoredJob


async def restore(work: Restoration) -> None:
    """Open all jobs, oldest first."""
    found = sorted([key async for key in work.ports.store.list(keys.JOBS) if key.endswith("/job.json")])
    jobs = [job async for _, job in work.documents("jobs", found, StoredJob)]
    work.jobs = sorted(jobs, key=lambda job: (job.created_at, job.id))
    for job in work.jobs:
        await work.ports.frontier.open_job(job)
    work.rebuilt.jobs = len(work.jobs)
