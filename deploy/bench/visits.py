"""Many schedules: what one costs in Redis, what a look at those that are due costs among a million, and how long the
queue takes to be given back from the store, as after a lost Redis."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

from deploy.bench.result import Result
from scheduler.cadence.changing import new_schedule
from scheduler.cadence.times import written
from scheduler.stack.running import RunningStores, running_parts
from scheduler.visits.planning import look
from scheduler.visits.queueing import queue_all
from scheduler.visits.shards import Shard, change_shard, shard_of
from schemas import keys
from schemas.ids import schedule_id
from schemas.records.job import JobOptions
from schemas.records.schedule import Every, Schedule
from workers.adapters.redis.client import connect
from workers.adapters.redis.due import RedisDueQueue
from workers.adapters.redis.guard import Guard
from workers.adapters.s3.client import S3Location
from workers.adapters.s3.store import S3ObjectStore
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.ports import DueAt, ObjectStore

ENTRIES = 1_000_000
STORED = 100_000
LOOKS = 50
ROUND = 2000
NOW_MS = 1_800_000_000_000


def measure(entries: int = ENTRIES, stored: int = STORED) -> list[Result]:
    """On a Valkey and a SeaweedFS of its own. AssertionError where something is not given back."""
    with (
        tempfile.TemporaryDirectory(prefix="cv-bench-", ignore_cleanup_errors=True) as folder,
        running_parts(Path(folder)) as stores,
    ):
        return asyncio.run(_measure(stores, entries, stored))


async def _measure(stores: RunningStores, entries: int, stored: int) -> list[Result]:
    client = connect(stores.redis_url)
    store = S3ObjectStore(
        S3Location(
            endpoint=stores.s3_endpoint,
            bucket=stores.bucket,
            prefix="bench",
            access_key=stores.credentials.access_key,
            secret_key=stores.credentials.secret_key,
        )
    )
    try:
        await client.set(names.EPOCH, "1")
        due = RedisDueQueue(Guard(client, Epoch(number=1)))
        return [*await _in_redis(client, due, entries), *await _in_the_store(client, due, store, stored)]
    finally:
        store.close()
        await client.aclose()


async def _in_redis(client: object, due: RedisDueQueue, entries: int) -> list[Result]:
    """A million schedules, of which one round is due."""
    before = await _used(client)
    names_ = [schedule_id("default", f"https://a.test/{number}") for number in range(entries)]
    put = await _seconds(lambda: due.put([DueAt(name, NOW_MS + place) for place, name in enumerate(names_)]))
    taken = await _used(client) - before
    now_ms = NOW_MS + ROUND - 1
    looks = [await _seconds(lambda: due.due(now_ms=now_ms, limit=ROUND)) for _ in range(LOOKS)]
    nothing = [await _seconds(lambda: due.due(now_ms=NOW_MS - 1, limit=ROUND)) for _ in range(LOOKS)]
    found = await due.due(now_ms=now_ms, limit=ROUND)
    if [entry.schedule_id for entry in found] != names_[:ROUND]:
        raise AssertionError("the queue does not give what is due, soonest first")
    drop = await _seconds(lambda: due.drop(names_[:ROUND]))
    label = f"{entries:,} schedules in Redis"
    return [
        _row(f"{label}: bytes an entry", taken / entries, "bytes", floor=120),
        _row(f"{label}: look, nothing is due", median(nothing) * 1000, "ms", floor=20),
        _row(f"{label}: look, {ROUND} are due", median(looks) * 1000, "ms", floor=100),
        _row(f"{label}: {ROUND} forgotten", drop * 1000, "ms", floor=200),
        _row(f"{label}: all put", put, "s", floor=120),
    ]


async def _in_the_store(client: object, due: RedisDueQueue, store: ObjectStore, stored: int) -> list[Result]:
    """As many schedules in their shards, and a round of them looked at."""
    shards: dict[str, list[Schedule]] = defaultdict(list)
    for number in range(stored):
        each = _schedule(number)
        shards[shard_of(each.id)].append(each)
    write = await _seconds(lambda: _write(store, shards))
    await due.drop([each.id for group in shards.values() for each in group])
    rebuilt = await _seconds(lambda: queue_all(store, due, park=_damaged))
    counts = await due.counts(now_ms=NOW_MS)
    chosen = [DueAt(each.id, NOW_MS) for group in shards.values() for each in group][:ROUND]
    looked = await _seconds(lambda: look(chosen, store=store, now_ms=NOW_MS, stretch_ppm=1_000_000))
    if counts.waiting < stored:
        raise AssertionError(f"{stored} schedules were stored, and {counts.waiting} queued")
    some = next(iter(shards))
    packed = len(await store.get(keys.schedules(some)))
    label = f"{stored:,} schedules in S3"
    return [
        _row(f"{label}: all queued again", rebuilt, "s", floor=60 * stored / STORED),
        _row(f"{label}: {ROUND} looked at", looked, "s", floor=20),
        _row(f"{label}: all written", write, "s", floor=None),
        _row(f"{label}: bytes a schedule", packed / len(shards[some]), "bytes", floor=None),
    ]


def _schedule(number: int) -> Schedule:
    url = f"https://host-{number % 997}.test/articles/2026/{number}"
    return new_schedule(
        schedule_id("default", url),
        collection="default",
        requested_url=url,
        normalized_url=url,
        options=JobOptions(),
        cadence=Every(every_seconds=7 * 86_400),
        cited=bool(number % 2),
        captured_at=None,
        now=written(NOW_MS - number * 1000),
    )


async def _write(store: ObjectStore, shards: dict[str, list[Schedule]]) -> None:
    slots = asyncio.Semaphore(16)

    async def one(name: str, group: list[Schedule]) -> None:
        def edit(shard: Shard) -> bool:
            for each in group:
                shard.put(each)
            return True

        async with slots:
            await change_shard(store, name, edit)

    await asyncio.gather(*(one(*each) for each in shards.items()))


async def _damaged(key: str, error: Exception) -> None:
    raise AssertionError(f"{key}: {error}")


async def _seconds(work: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await work()
    return time.perf_counter() - started


async def _used(client: object) -> int:
    info = await client.info("memory")  # type: ignore[attr-defined]  # redis-py leaves its answers untyped
    return int(info["used_memory"])


def _row(name: str, value: float, unit: str, *, floor: float | None) -> Result:
    return Result(name, value, unit, None, None, None, lower_is_better=True, floor=floor, goal=None)
