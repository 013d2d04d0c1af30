"""A batch that needs an object which is damaged or gone waits until somebody restores it, instead of going round.

Only what is damaged or missing is meant: a store that is away, or answers with an error, is waited out like any.
"""

from __future__ import annotations

import logging
from typing import Final

from workers.errors import CorruptError, ObjectMissingError
from workers.flows.capture.settings import SettlePorts
from workers.ports import Lease

LOG = logging.getLogger(__name__)
NEXT_STEP: Final = "restore it from a copy of the bucket, then `citevault retry {job}`; where there is no copy, "
WITHOUT_RECEIPT: Final = "`citevault rebuild` goes on without it, and fetches again what nothing else tells"
WITHOUT_JOB: Final = (
    "`citevault rebuild` goes on without the job: what it captured is kept, and the rest is to be handed in again"
)


async def set_aside(ports: SettlePorts, lease: Lease, error: CorruptError | ObjectMissingError) -> None:
    """Let the batch wait, and keep why: which object, what is wrong with it, what to do."""
    batch = lease.batch
    at = f" at {error.where}" if error.where else ""
    without = WITHOUT_JOB if error.where.endswith("/job.json") else WITHOUT_RECEIPT
    fault = f"{error.what}{at}; next: {NEXT_STEP.format(job=batch.job_id)}{without}"
    held = await ports.frontier.set_aside(lease, fault=fault, now_ms=int(ports.clock.now().timestamp() * 1000))
    if held:
        LOG.error("batch set aside job=%s batch=%s fault=%s", batch.job_id, batch.batch_id, fault)
