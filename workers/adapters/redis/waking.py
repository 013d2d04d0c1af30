"""Waking: URLs whose next try is due go from `later` into the queues of their hosts.

A script must declare the queues that it fills, and a host is known only by what is to be fetched; so that is read
first. What happened in between is seen by the script.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from schemas.records.job import Lane
from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.replies import byte_list, maybe_byte_list, number, one_bytes, text_list
from workers.frontier import names
from workers.frontier.urls import unpack

JOBS_A_CALL: Final = 20
URLS_A_CALL: Final = 500


@dataclass(frozen=True, slots=True)
class Waking:
    """The wake, with the script that moves."""

    guard: Guard
    script: Script

    async def wake(self, now_ms: int) -> int:
        """Queue some of what is due of each job; how many URLs that were."""
        (reply,) = await self.guard.read(
            lambda pipe: pipe.zrangebyscore(names.LATER, "-inf", now_ms, start=0, num=JOBS_A_CALL), "wake"
        )
        return sum([await self._wake(job_id, now_ms) for job_id in text_list(reply)])

    async def _wake(self, job_id: str, now_ms: int) -> int:
        due, lane = await self.guard.read(
            lambda pipe: (
                pipe.zrangebyscore(names.later(job_id), "-inf", now_ms, start=0, num=URLS_A_CALL),
                pipe.hget(names.job(job_id), "lane"),
            ),
            "wake",
        )
        if lane is None:  # a rebuild found receipts of a job whose object is gone: it has no queues
            return 0
        hosts_of = await self._hosts_of(job_id, byte_list(due))
        hosts = {host: place for place, host in enumerate(dict.fromkeys(hosts_of.values()), start=1)}
        keys = [names.open_urls(job_id), names.later(job_id), names.LATER, names.hosts(job_id)]
        keys += [names.lane(Lane(one_bytes(lane).decode())), *(names.queue(job_id, host) for host in hosts)]
        args: list[Argument] = [now_ms, job_id, len(hosts), *hosts]
        for name, host in hosts_of.items():
            args += [name, hosts[host]]
        return number(await self.script(keys, args))

    async def _hosts_of(self, job_id: str, digests: list[bytes]) -> dict[bytes, str]:
        """The host of each URL; none where the URL is not open any more, which the script then drops."""
        if not digests:
            return {}
        (reply,) = await self.guard.read(lambda pipe: pipe.hmget(names.open_urls(job_id), digests), "wake")
        packed = zip(digests, maybe_byte_list(reply), strict=True)
        return {name: "" if item is None else unpack(item).host for name, item in packed}
