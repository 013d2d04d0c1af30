"""Schedules as they stand in the store, a page of them at a time, and how many are due."""

from __future__ import annotations

from datetime import UTC, datetime

from scheduler.visits.shards import DamagedShard, read_shards, shard_names, shard_of
from scheduler.web.answers import ScheduleCounts, ScheduleList
from scheduler.web.room import Room
from schemas.ids import utc_string
from schemas.records.schedule import Schedule
from workers.errors import CorruptError, ObjectMissingError

NAMES_SECONDS = 10.0


async def some_schedules(room: Room, *, limit: int, after: str | None, collection: str | None) -> ScheduleList:
    """Schedules in order of ids, behind the one named `after`."""
    names = await room.look("shards", lambda: shard_names(room.archive.store), fresh_seconds=NAMES_SECONDS)
    wanted = [name for name in names if after is None or name >= shard_of(after)]
    found: list[Schedule] = []
    damaged: list[str] = []
    async for shard in read_shards(room.archive.store, wanted):
        if isinstance(shard, DamagedShard):
            damaged.append(str(shard.error))
            continue
        try:
            of_shard = list(shard.all())
        except CorruptError as error:
            damaged.append(str(error))
            continue
        found += [
            each for each in of_shard if (after is None or each.id > after) and collection in (None, each.collection)
        ]
        if len(found) > limit:
            break
    more = len(found) > limit
    return ScheduleList(
        items=tuple(found[:limit]), next_after=found[limit - 1].id if more else None, damaged=tuple(damaged)
    )


async def schedule(room: Room, schedule_id: str) -> Schedule:
    """One schedule. ObjectMissingError where there is none of this id."""
    async for shard in read_shards(room.archive.store, [shard_of(schedule_id)]):
        if isinstance(shard, DamagedShard):
            raise shard.error
        found = shard.get(schedule_id)
        if found is not None:
            return found
    raise ObjectMissingError("there is no such schedule", where=schedule_id, next_step="see /api/v1/schedules")


async def counts(room: Room) -> ScheduleCounts:
    """How many wait and are due."""
    now_ms = round(room.archive.clock.now().timestamp() * 1000)
    found = await room.look("due", lambda: room.archive.due.counts(now_ms=now_ms))
    first = None if found.first_ms is None else utc_string(datetime.fromtimestamp(found.first_ms / 1000, UTC))
    return ScheduleCounts(waiting=found.waiting, due=found.due, next_at=first)
