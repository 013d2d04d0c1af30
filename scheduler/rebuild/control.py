"""`decisions/…`: what people decided about jobs is in force before anything of these is queued, so that no paused job
starts by itself, and before receipts are read, since they decide which failures are tried again."""

from __future__ import annotations

from scheduler.rebuild.work import Restoration
from schemas import keys
from schemas.records.decision import Decision
from workers.catalog.packing import milliseconds
from workers.flows.numbered import gap, gone
from workers.frontier.control import controls_of


async def restore(work: Restoration) -> None:
    """Pause, cancel and call for another try again. What cannot be read is parked, and has no effect."""
    found = sorted([key async for key in work.ports.store.list(keys.DECISIONS)])
    if (missing := gap(found, keys.decision)) is not None:
        await work.park(missing, gone(missing))
    log = [decision async for _, decision in work.documents("decisions", found, Decision)]
    known = {job.id for job in work.jobs}
    for job_id, control in controls_of(log).items():
        if job_id in known:
            await work.ports.frontier.control(job_id, control, now_ms=milliseconds(work.now))
            await work.ports.frontier.note_controlled(job_id, control.sequence)
            if control.state == "cancelled":
                work.cancelled.add(job_id)
