"""Forming batches: look which hosts seem ready, plan, and let a script take what is ready indeed.

Looking and taking are two steps, since a script must declare the queues it takes from. What happened in between
is seen by the script, and costs a plan at most.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from schemas.records.job import Lane
from workers.adapters.redis.guard import Argument, Guard, Reply, Script
from workers.adapters.redis.replies import byte_list, items, text_list
from workers.frontier import names, scripts
from workers.frontier.limits import FrontierLimits
from workers.frontier.plan import BatchPlan, DueHosts, plan
from workers.frontier.urls import unpack
from workers.ports import Batch, QueuedUrl

JOBS_A_LOOK: Final = 100


@dataclass(frozen=True, slots=True)
class Forming:
    """The release of batches, with the script that takes."""

    guard: Guard
    script: Script
    limits: FrontierLimits
    batch_ids: Callable[[], str]

    async def form(self, lane: Lane, *, now_ms: int, batches: int, urls: int) -> AsyncIterator[Batch]:
        """Up to `batches` batches of one lane, each as soon as it is formed."""
        due = await self._due(lane, now_ms, batches=batches, urls=urls)
        for one in plan(lane, due, batches=batches, urls=urls, urls_per_host=self.limits.urls_per_host):
            batch = await self._form(one, now_ms)
            if batch.urls:
                yield batch

    async def _due(self, lane: Lane, now_ms: int, *, batches: int, urls: int) -> list[DueHosts]:
        """Jobs with hosts that look ready, in the order of their turns; enough of them for the batches asked for."""
        found: list[DueHosts] = []
        for start in count(0, JOBS_A_LOOK):
            jobs = await self._turns(lane, start) if len(found) < batches else []
            if not jobs:
                break
            ready = await self._ready_hosts(jobs, now_ms, limit=batches * urls)
            found += [DueHosts(job, hosts) for job, hosts in zip(jobs, ready, strict=True) if hosts]
        return found

    async def _turns(self, lane: Lane, start: int) -> list[str]:
        """Some jobs of a lane, in the order of their turns."""
        (reply,) = await self.guard.read(
            lambda pipe: pipe.zrange(names.lane(lane), start, start + JOBS_A_LOOK - 1), "release"
        )
        return text_list(reply)

    async def _ready_hosts(self, jobs: Sequence[str], now_ms: int, *, limit: int) -> list[tuple[str, ...]]:
        """For each job the hosts that it is worth while to look at now."""
        replies = await self.guard.read(
            lambda pipe: [pipe.zrangebyscore(names.hosts(job), "-inf", now_ms, start=0, num=limit) for job in jobs],
            "release",
        )
        return [tuple(text_list(reply)) for reply in replies]

    async def _form(self, planned: BatchPlan, now_ms: int) -> Batch:
        """Form the batch; without URLs where its hosts turned out to be taken."""
        batch_id, job_id = self.batch_ids(), planned.job_id
        keys = [
            names.open_urls(job_id),
            names.hosts(job_id),
            names.lane(planned.lane),
            names.BUSY,
            names.PACE,
            names.LEASES,
            names.waiting(planned.lane),
            names.batch(batch_id),
            names.batch_urls(batch_id),
            names.batch_hosts(batch_id),
            names.PERMITS,
            names.WANTED,
            names.job(job_id),
            names.CANCELLING,
        ]
        args: list[Argument] = [now_ms, job_id, planned.lane.value, batch_id, now_ms + self.limits.unclaimed_ms]
        args.append(planned.rest)
        for host, quota in planned.quotas:
            keys.append(names.queue(job_id, host))
            args += [host, min(quota, scripts.HOST_STRIDE - 1 - planned.rest)]
        return Batch(batch_id, job_id, planned.lane, urls_of(items(await self.script(keys, args))))


def urls_of(hosts: Sequence[Reply]) -> tuple[QueuedUrl, ...]:
    """The URLs of a batch as scripts give them: per host a list of its name and its packed URLs."""
    urls: list[QueuedUrl] = []
    for reply in hosts:
        name, *packed = byte_list(reply)
        host = name.decode()
        urls += [unpack(item, host) for item in packed]
    return tuple(urls)
