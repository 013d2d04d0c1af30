"""`jobs/…/seeds-*.jsonl.gz`: what has no outcome is queued again.

A job of which a part of the seeds is damaged keeps its intake open: it goes on with what is known, and never reads
as complete.
"""

from __future__ import annotations

from scheduler.intake import resume_intake
from scheduler.rebuild.work import Restoration
from workers.errors import CorruptError, ObjectMissingError


async def restore(work: Restoration) -> None:
    """Queue the seeds of all jobs."""
    for number, job in enumerate(work.jobs, 1):
        try:
            work.admitted(job.id, await resume_intake(job, store=work.ports.store, frontier=work.ports.frontier))
        except (CorruptError, ObjectMissingError) as error:
            await work.park(error.where.partition(" ")[0], error)
        work.rebuilt.objects += len(job.seed_parts)
        work.told("seeds of jobs", number, len(work.jobs))
