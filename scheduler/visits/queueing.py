"""From the schedules in the store to the queue of what is due: after a loss of Redis, and now and then to be sure.

While all schedules are read anyway, what they ask for in a day is added up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Final

from scheduler.cadence.budget import Demand
from scheduler.cadence.times import milliseconds
from scheduler.visits.shards import DamagedShard, Shard, read_shards, shard_names
from schemas import keys
from schemas.records.schedule import Schedule
from workers.errors import CitevaultError, CorruptError
from workers.ports import DueAt, DueQueue, ObjectStore

CHUNK: Final = 5000


@dataclass(slots=True)
class Queued:
    """What was read."""

    objects: int = 0
    schedules: int = 0
    paused: int = 0
    demand: Demand = field(default_factory=Demand)


Park = Callable[[str, CitevaultError], Awaitable[None]]
"""Hears of a shard that cannot be read, by its key; the others go on."""


async def queue_all(store: ObjectStore, due: DueQueue, *, park: Park, but: Collection[str] = ()) -> Queued:
    """Note of every schedule when it is due; `but` those whose visit is on its way."""
    told = Queued()
    entries: list[DueAt] = []
    async for shard in read_shards(store, await shard_names(store)):
        if isinstance(shard, DamagedShard):
            await park(keys.schedules(shard.name), shard.error)
            continue
        try:
            entries += await asyncio.to_thread(_entries, shard, but, told)
        except CorruptError as error:
            await park(keys.schedules(shard.name), error)
        if len(entries) >= CHUNK:
            await due.put(entries)
            entries = []
    await due.put(entries)
    return told


def due_at(schedule: Schedule) -> DueAt:
    """A schedule's entry in the queue."""
    return DueAt(schedule.id, milliseconds(schedule.due_at))


def _entries(shard: Shard, but: Collection[str], told: Queued) -> list[DueAt]:
    told.objects += 1
    entries = []
    for schedule in shard.all():
        told.schedules += 1
        if schedule.paused_at is not None:
            told.paused += 1
            continue
        told.demand.add(schedule)
        if schedule.id not in but:
            entries.append(due_at(schedule))
    return entries
