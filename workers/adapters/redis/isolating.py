"""Isolating: a batch that gets nowhere is taken apart, so that the URL it dies of can be told from the others.

A worker visits the URLs of a host one after the other, so what a worker dies of is the first that is left of some
host. These go out alone, each in a batch that holds its host; the rest is queued again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from workers.adapters.redis.guard import Argument, Script
from workers.adapters.redis.replies import byte_list, items
from workers.frontier import names
from workers.frontier.limits import FrontierLimits
from workers.frontier.urls import unpack
from workers.ports import Batch, Lease

HOSTS_A_CALL: Final = 200  # with four keys each


@dataclass(frozen=True, slots=True)
class Isolating:
    """The taking apart, with its script."""

    script: Script
    limits: FrontierLimits
    batch_ids: Callable[[], str]

    async def isolate(self, lease: Lease, now_ms: int) -> list[Batch]:
        """The batches that were formed, one a host."""
        hosts = list(dict.fromkeys(url.host for url in lease.batch.urls))
        formed: list[Batch] = []
        for start in range(0, len(hosts), HOSTS_A_CALL):
            formed += await self._some(lease, hosts[start : start + HOSTS_A_CALL], now_ms)
        return formed

    async def _some(self, lease: Lease, hosts: Sequence[str], now_ms: int) -> list[Batch]:
        batch = lease.batch
        keys = [names.batch(batch.batch_id), names.batch_urls(batch.batch_id), names.batch_hosts(batch.batch_id)]
        keys += [names.open_urls(batch.job_id), names.hosts(batch.job_id), names.lane(batch.lane), names.BUSY]
        keys += [names.LEASES, names.waiting(batch.lane)]
        args: list[Argument] = [now_ms, batch.batch_id, batch.job_id, lease.token.counter, batch.lane.value]
        args.append(now_ms + self.limits.unclaimed_ms)
        for host in hosts:
            one = self.batch_ids()
            keys += [names.queue(batch.job_id, host), names.batch(one), names.batch_urls(one), names.batch_hosts(one)]
            args += [host, one]
        formed = []
        for reply in items(await self.script(keys, args)):
            batch_id, name, packed = byte_list(reply)
            url = unpack(packed, name.decode())
            formed.append(Batch(batch_id.decode(), batch.job_id, batch.lane, (url,)))
        return formed
