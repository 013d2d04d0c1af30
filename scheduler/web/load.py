"""Reads what health is judged by: what waits in the frontier and the ledger, and what processes told."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import cast

from scheduler.cadence.times import written
from scheduler.web.answers import Health, VisitsWaiting
from scheduler.web.health import Load, Signs, judge
from scheduler.web.room import Room
from scheduler.web.scrape import last_work_seconds
from schemas.records.job import Lane
from workers.adapters.redis.astray import AstrayUrls
from workers.adapters.redis.liveness import Liveness, SignOfLife
from workers.adapters.redis.replies import number, text_list
from workers.errors import CitevaultError
from workers.frontier import names
from workers.ports import Stage

JOBS_LOOKED_AT = 50
NEWEST_JOBS = 2000
"""Looked at for open URLs where nothing else waits. Those of older jobs the scheduler finds, which looks at all."""
ALIVE_SECONDS = 120.0
"""A process that has been silent for so long is gone; its last trouble is its own."""
UNPUBLISHED: tuple[Stage, ...] = ("committed", "extracted", "clustered")
REDIS_SECONDS = 2.0


class Watch:
    """Remembers since when something has been waiting."""

    def __init__(self) -> None:
        self._waiting_since = 0.0

    async def health(self, room: Room) -> Health:
        """Whether work is done. `unknown` where Redis does not say what waits."""
        now = time.time()
        try:
            load = await room.look("load", lambda: read_load(room), within_seconds=REDIS_SECONDS)
            signs = await room.look("signs", lambda: read_signs(room), within_seconds=REDIS_SECONDS)
        except CitevaultError as error:
            return Health(status="unknown", reason=f"cannot tell: {error.what}", next_step=error.next_step or None)
        if not load.waits:
            self._waiting_since = 0.0
        elif self._waiting_since == 0.0:
            self._waiting_since = now
        return judge(load, signs, waiting_since=self._waiting_since, now=now)


async def read_load(room: Room) -> Load:
    """What waits now. Of many jobs the first of each lane are looked at: one ready host is enough to know."""
    now_ms = int(time.time() * 1000)
    guard = room.archive.guard
    batches, *lanes = await guard.read(
        lambda pipe: (
            pipe.zcard(names.LEASES),
            *(pipe.zrange(names.lane(lane), 0, JOBS_LOOKED_AT - 1) for lane in Lane),
        ),
        "health",
    )
    jobs = [job_id for reply in lanes for job_id in text_list(reply)]
    ready = await guard.read(
        lambda pipe: [pipe.zcount(names.hosts(job_id), "-inf", now_ms) for job_id in jobs], "health"
    )
    depths = await room.archive.ledger.depths()
    aside = len(await room.archive.frontier.aside())
    load = Load(
        batches=max(0, number(batches) - aside),
        ready_hosts=sum(map(number, ready)),
        segments=sum(depths[stage] for stage in UNPUBLISHED),
        aside=aside,
    )
    return load if load.waits else await _with_open_urls(room, load, now_ms)


async def _with_open_urls(room: Room, load: Load, now_ms: int) -> Load:
    """Where nothing waits for workers: what running jobs have open all the same. No batch is out, so what has no host
    in a lane is in nothing."""
    jobs = await AstrayUrls(room.archive.guard).open_jobs(now_ms=now_ms, newest=NEWEST_JOBS)
    stranded = sum(job.unserved for job in jobs)
    return replace(
        load,
        ready_hosts=sum(job.ready_hosts for job in jobs),
        stranded=stranded,
        resting=sum(job.urls for job in jobs) - stranded,
    )


async def read_signs(room: Room) -> Signs:
    """When work was last finished: as processes told, as their metrics say, as the newest published segment shows."""
    told = await processes(room)
    (newest,) = await room.archive.guard.read(
        lambda pipe: pipe.zrange(names.stage("published"), 0, 0, desc=True, withscores=True), "health"
    )
    published = cast("list[tuple[bytes, float]]", newest)
    metrics = await asyncio.to_thread(last_work_seconds, room.archive.settings.metrics_dir)
    last = max(
        [metrics, *(sign.worked_at_ms / 1000 for sign in told.values()), *(score / 1000 for _, score in published)]
    )
    recent = (time.time() - ALIVE_SECONDS) * 1000
    troubles = [
        f"{name}: {sign.trouble[:300]}"
        for name, sign in sorted(told.items())
        if sign.trouble and sign.alive_at_ms >= recent
    ]
    return Signs(last, troubles)


async def visits(room: Room) -> VisitsWaiting:
    """Schedules that wait for their next visit."""
    counts = await room.archive.due.counts(now_ms=int(time.time() * 1000))
    first = None if counts.first_ms is None else written(counts.first_ms)
    return VisitsWaiting(waiting=counts.waiting, due=counts.due, first_at=first)


async def processes(room: Room) -> dict[str, SignOfLife]:
    """Signs of life by process."""
    return dict(await Liveness(room.archive.redis).all())
