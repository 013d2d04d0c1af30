"""The batches that have a lease or wait for a worker, and what their workers wait for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from redis.asyncio.client import Pipeline

from workers.adapters.redis.guard import Guard
from workers.adapters.redis.replies import items, maybe_byte_list, text_list
from workers.frontier import names
from workers.frontier.urls import politeness_key
from workers.ports import Asked

BATCHES_A_CALL: Final = 1000
URL_CHARACTERS: Final = 300


async def leased_batches(guard: Guard, *fields: str) -> dict[str, list[bytes | None]]:
    """These fields of each, by batch."""
    (reply,) = await guard.read(lambda pipe: pipe.zrange(names.LEASES, 0, -1), "leases")
    batches = text_list(reply)
    found: dict[str, list[bytes | None]] = {}
    for start in range(0, len(batches), BATCHES_A_CALL):
        some = batches[start : start + BATCHES_A_CALL]
        told = await guard.read(partial(_ask, some, fields), "leases")
        found |= dict(zip(some, map(maybe_byte_list, told), strict=True))
    return found


async def asked_by(guard: Guard, job_id: str | None) -> list[Asked]:
    """What workers said with their last heartbeats that they wait for, the longest first; for a job (None: all) on its
    own behalf, or on hosts that it waits for behind another one."""
    batches = await leased_batches(guard, "job", "asked")
    told = [(job, each) for job, asked in batches.values() if asked for each in _asked_of(asked)]
    told.sort(key=lambda of: of[1].since_ms)
    hosts = [_host_of(each.url) for _, each in told]
    if job_id is None or not told:
        return [each for _, each in told]
    (waited_for,) = await guard.read(lambda pipe: pipe.zmscore(names.hosts(job_id), hosts), "hosts")
    return [
        each
        for (job, each), score in zip(told, items(waited_for), strict=True)
        if job == job_id.encode() or score is not None
    ]


def _ask(batches: Sequence[str], fields: Sequence[str], pipe: Pipeline) -> None:
    for batch_id in batches:
        pipe.hmget(names.batch(batch_id), fields)


def asked_text(asked: Sequence[Asked]) -> str:
    """As the hash of a batch has it: a line each, with the delay of a host behind its time."""
    times = (f"{each.since_ms}+{each.crawl_delay_ms}" if each.crawl_delay_ms else each.since_ms for each in asked)
    return "\n".join(f"{time} {each.url[:URL_CHARACTERS]}" for time, each in zip(times, asked, strict=True))


def _host_of(url: str) -> str:
    """The politeness key of what is fetched."""
    return politeness_key(url) if url.count("/") > 1 else url


def _asked_of(told: bytes) -> list[Asked]:
    lines = [line.partition(" ") for line in told.decode(errors="replace").split("\n")]
    times = [(*time.partition("+"), url) for time, _, url in lines]
    return [Asked(url, int(since), int(delay or 0)) for since, _, delay, url in times]
