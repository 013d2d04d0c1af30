"""The kinds of objects in the order in which they are read. What a kind needs is restored by those before it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from scheduler.rebuild import clusters, compactions, control, jobs, links, parked, receipts, seeds, snapshots
from scheduler.rebuild.work import Restoration

Kind = Callable[[Restoration], Awaitable[None]]

KINDS: Final[tuple[Kind, ...]] = (
    jobs.restore,
    control.restore,
    receipts.restore,  # before anything is queued: what has an outcome is not queued again
    compactions.restore,
    seeds.restore,
    links.restore,  # after the seeds, whose depth is none
    snapshots.restore,
    clusters.restore,
    parked.restore,
)
