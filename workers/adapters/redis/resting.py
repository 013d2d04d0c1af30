"""Hosts of a job that are not asked for a while: they asked for that (Retry-After), or were busy again and again."""

from __future__ import annotations

from typing import Final

from workers.adapters.redis.guard import Guard
from workers.adapters.redis.replies import items, text_list
from workers.frontier import names

MOST_HOSTS: Final = 1000
LONG_REST_MS: Final = 60_000
"""From here on a rest is told; shorter ones are usual politeness."""


async def resting_hosts(guard: Guard, job_id: str, now_ms: float) -> list[tuple[str, int]]:
    """Hosts with waiting URLs that rest for longer than a minute from now, and until when (ms), the longest rest first.
    Of a job's hosts a thousand are looked at: those that are looked at again last."""
    (reply,) = await guard.read(lambda pipe: pipe.zrange(names.hosts(job_id), 0, MOST_HOSTS - 1, desc=True), "resting")
    hosts = text_list(reply)
    if not hosts:
        return []
    (ready,) = await guard.read(lambda pipe: pipe.zmscore(names.PACE, hosts), "resting")
    rests = [(host, round(float(str(at)))) for host, at in zip(hosts, items(ready), strict=True) if at is not None]
    return sorted((each for each in rests if each[1] > now_ms + LONG_REST_MS), key=lambda each: -each[1])
