"""Open URLs that nothing will ever bring forward, as where somebody deleted a key of the frontier.

The way back to a batch without a lease are the hosts that are busy with it. What is in no queue, batch or wait for a
next try is found by its job alone: it has open URLs and nothing that could move them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from schemas.records.job import Lane
from workers.adapters.redis.guard import Guard, Script
from workers.adapters.redis.replies import number, text_list
from workers.frontier import names, scripts

JOBS_A_CALL: Final = 500
RUNNING: Final = b"running"


@dataclass(frozen=True, slots=True)
class OpenJob:
    """A running job with URLs that have no outcome."""

    job_id: str
    urls: int
    later: int
    """Of these, what waits for its next try."""
    hosts: int
    """With waiting URLs, in the lane of the job."""
    ready_hosts: int
    """Of these, those that may be asked now."""

    @property
    def unserved(self) -> int:
        """URLs that are in a batch, or else in nothing."""
        return 0 if self.hosts else max(self.urls - self.later, 0)


@dataclass(frozen=True)
class AstrayUrls:
    """What a frontier has lost sight of."""

    guard: Guard

    async def relist(self, *, ends_ms: int) -> int:
        """Give batches that hold hosts, and are not known to end, an end at this time; how many."""
        holders, leased = await self.guard.read(
            lambda pipe: (pipe.hvals(names.BUSY), pipe.zrange(names.LEASES, 0, -1)), "relist"
        )
        lost = sorted({*text_list(holders)} - {*text_list(leased)})
        return sum([number(await self._relist([names.batch(name), names.LEASES], [name, ends_ms])) for name in lost])

    async def open_jobs(self, *, now_ms: int, newest: int | None = None) -> list[OpenJob]:
        """Running jobs with open URLs, among the `newest` so many jobs or all."""
        start = 0 if newest is None else -newest
        (reply,) = await self.guard.read(lambda pipe: pipe.zrange(names.JOBS, start, -1), "open jobs")
        found: list[OpenJob] = []
        for jobs in _some(text_list(reply)):
            for job_id in await self._with_open_urls(jobs):
                job = await self._job(job_id, now_ms)
                if job is not None:
                    found.append(job)
        return found

    async def stranded(self, *, now_ms: int) -> dict[str, int]:
        """Jobs with open URLs that are in no queue that is served, in no batch, and do not wait for a next try; how
        many. What goes from one to the other meanwhile may be among them: twice the same answer is one."""
        suspects = {job.job_id: job.unserved for job in await self.open_jobs(now_ms=now_ms) if job.unserved}
        if not suspects:
            return {}
        in_batches = await self.jobs_in_batches()
        return {job_id: count for job_id, count in suspects.items() if job_id not in in_batches}

    async def jobs_in_batches(self) -> set[str]:
        """Jobs of which a batch is out."""
        (leased,) = await self.guard.read(lambda pipe: pipe.zrange(names.LEASES, 0, -1), "batches")
        batches = text_list(leased)
        jobs = await self.guard.read(lambda pipe: [pipe.hget(names.batch(name), "job") for name in batches], "batches")
        return {job.decode() for job in jobs if isinstance(job, bytes)}

    async def _with_open_urls(self, jobs: Sequence[str]) -> list[str]:
        counts = await self.guard.read(
            lambda pipe: [pipe.hlen(names.open_urls(job_id)) for job_id in jobs], "open jobs"
        )
        return [job_id for job_id, count in zip(jobs, counts, strict=True) if number(count)]

    async def _job(self, job_id: str, now_ms: int) -> OpenJob | None:
        state, urls, later, hosts, ready, *in_lane = await self.guard.read(
            lambda pipe: (
                pipe.hget(names.job(job_id), "state"),
                pipe.hlen(names.open_urls(job_id)),
                pipe.zcard(names.later(job_id)),
                pipe.zcard(names.hosts(job_id)),
                pipe.zcount(names.hosts(job_id), "-inf", now_ms),
                *(pipe.zscore(names.lane(lane), job_id) for lane in Lane),
            ),
            "open jobs",
        )
        if state != RUNNING or not number(urls):
            return None
        served = any(score is not None for score in in_lane)
        return OpenJob(
            job_id, number(urls), number(later), number(hosts) if served else 0, number(ready) if served else 0
        )

    @cached_property
    def _relist(self) -> Script:
        return self.guard.script(scripts.source("relist"), "relist")


def _some(jobs: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(jobs), JOBS_A_CALL):
        yield jobs[start : start + JOBS_A_CALL]
