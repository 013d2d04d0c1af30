"""How much waits where, as metrics: read from sets, a few times a minute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import get_args

from schemas.messages import Queue
from workers import metrics
from workers.ports import Frontier, Ledger, Stage

JOBS_LOOKED_AT = 1000
"""The newest ones; older jobs are almost always complete, and each costs a look."""


async def measure(frontier: Frontier, ledger: Ledger, waiting: Callable[[Queue], Awaitable[int]]) -> None:
    """Set all gauges of the control plane."""
    queues: tuple[Queue, ...] = get_args(Queue)
    for queue in queues:
        metrics.QUEUE_DEPTH.labels(queue).set(await waiting(queue))
    stages: tuple[Stage, ...] = get_args(Stage)
    for stage in stages[:-1]:
        metrics.STAGE_DEPTH.labels(stage).set(len(await ledger.at(stage)))
    states: Counter[str] = Counter()
    urls = later = 0
    for job_id in (await frontier.jobs())[-JOBS_LOOKED_AT:]:
        progress = await frontier.progress(job_id)
        if progress is not None:
            states[progress.shown_state] += 1
            urls += progress.known - progress.done - progress.later
            later += progress.later
    for state in ("running", "paused", "cancelled", "captured"):
        metrics.JOBS.labels(state).set(states[state])
    metrics.URLS_WAITING.set(urls)
    metrics.URLS_LATER.set(later)
