"""Batches that are set aside: an object that they need is damaged or gone, and they wait until somebody restores it.

What is wrong and how often it was looked at stand in the batch's own hash; a rebuild, after which there are no batches,
finds the damage itself and tells it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.leased import leased_batches
from workers.adapters.redis.replies import items, number
from workers.frontier import names, scripts
from workers.frontier.limits import FrontierLimits
from workers.ports import BatchAside, Lease

FAULT_CHARACTERS: Final = 2000


@dataclass(frozen=True, slots=True)
class SettingAside:
    """The setting aside, with its scripts."""

    guard: Guard
    scripts: Mapping[scripts.Verb, Script]
    limits: FrontierLimits

    async def set_aside(self, lease: Lease, fault: str, now_ms: int) -> bool:
        """False: the lease was lost."""
        batch_id = lease.batch.batch_id
        keys = [names.batch(batch_id), names.LEASES, names.batch_hosts(batch_id), names.BUSY]
        args: list[Argument] = [now_ms, batch_id, lease.token.counter, fault[:FAULT_CHARACTERS], *self.limits.aside_ms]
        reply = await self.scripts["set_aside"](keys, args)
        return reply == 1

    async def found(self, job_id: str | None = None) -> list[BatchAside]:
        """Those of a job, or all, in the order of their ids."""
        told = await leased_batches(self.guard, "job", "fault", "aside")
        batches = sorted(
            (batch_id, job.decode(), fault.decode(errors="replace"), int(times or 0))
            for batch_id, (job, fault, times) in told.items()
            if job and fault and job_id in (None, job.decode())
        )
        if not batches:
            return []
        ids = [each[0] for each in batches]
        ends, *urls = await self.guard.read(
            lambda pipe: (pipe.zmscore(names.LEASES, ids), *(pipe.zcard(names.batch_urls(each)) for each in ids)),
            "aside",
        )
        return [
            BatchAside(*batch, next_look_ms=round(float(str(end))), urls=number(count))
            for batch, end, count in zip(batches, items(ends), urls, strict=True)
            if end is not None  # it has ended meanwhile
        ]

    async def look_again(self, job_id: str, now_ms: int) -> int:
        """Let the pauses of a job's batches end now; how many those were."""
        own = [each.batch_id for each in await self.found(job_id)]
        if own:
            await self.scripts["expire"]([names.LEASES, *map(names.batch, own)], [now_ms, *own])
        return len(own)
