"""Schedules in the store: 4,096 shards by the first three hex digits of the id, one line a schedule, sorted by id.

A million schedules are some 250 a shard: few enough to write one anew for one visit, and all of them are read with
4,096 requests. A shard is changed with If-Match, so that two writers never lose each other's lines.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.schedule import Schedule
from workers.errors import CitevaultError, CorruptError, ObjectMissingError, PermanentError, RetryableError
from workers.flows.documents import parse
from workers.packed import pack, unpack
from workers.ports import ObjectStore

SHARD_DIGITS: Final = 3
MAX_SHARD_BYTES: Final = 64 * 1024 * 1024
READS_AT_ONCE: Final = 16
RACES: Final = 20
_ID: Final = re.compile(rb'[,{]"id":"(sch-[0-9a-f]{16})"')
"""Within a text, a quotation mark has a backslash before it, so this is the field."""


def shard_of(schedule_id: str) -> str:
    """The shard that a schedule lies in."""
    return schedule_id.removeprefix("sch-")[:SHARD_DIGITS]


@dataclass(slots=True)
class Shard:
    """Lines by schedule id; a line is read when it is asked for."""

    name: str
    lines: dict[str, bytes] = field(default_factory=dict)

    def get(self, schedule_id: str) -> Schedule | None:
        """One schedule; CorruptError where its line cannot be read."""
        line = self.lines.get(schedule_id)
        return None if line is None else parse(line, Schedule, f"{keys.schedules(self.name)} {schedule_id}")

    def put(self, schedule: Schedule) -> None:
        """Take the place of what was there."""
        self.lines[schedule.id] = canonical_bytes(schedule)

    def all(self) -> Iterable[Schedule]:
        """Every schedule, in order of ids."""
        return (parse(line, Schedule, keys.schedules(self.name)) for _, line in sorted(self.lines.items()))

    def packed(self) -> bytes:
        """As it is stored."""
        return pack(line for _, line in sorted(self.lines.items()))


async def read_shard(store: ObjectStore, name: str) -> Shard:
    """A shard as it stands; an empty one where there is none."""
    try:
        data = await store.get(keys.schedules(name), limit=MAX_SHARD_BYTES)
    except ObjectMissingError:
        return Shard(name)
    return await asyncio.to_thread(_shard, data, name)


async def change_shard(store: ObjectStore, name: str, edit: Callable[[Shard], bool]) -> bool:
    """Let `edit` change a shard, and store it if it answers that it did; it is called again on what another writer
    left. Answers whether anything was stored. RetryableError where others never leave it alone."""
    key = keys.schedules(name)
    for _ in range(RACES):
        info = await store.info(key)
        shard = Shard(name) if info is None else await read_shard(store, name)
        if not edit(shard):
            return False
        body = await asyncio.to_thread(shard.packed)
        if info is None:
            stored = await store.create(key, body, content_type="application/gzip")
        else:
            stored = await store.replace(key, body, etag=info.etag)
        if stored:
            return True
    raise RetryableError("others change these schedules at the same time", where=key, next_step="try again")


async def shard_names(store: ObjectStore) -> list[str]:
    """Shards that are there, sorted."""
    return sorted([_name(key) async for key in store.list(keys.SCHEDULES)])


@dataclass(frozen=True, slots=True)
class DamagedShard:
    """A shard that cannot be read."""

    name: str
    error: CitevaultError


async def read_shards(store: ObjectStore, names: Sequence[str]) -> AsyncIterator[Shard | DamagedShard]:
    """Shards in the order given, some at a time. One that is damaged keeps nobody from the others."""
    for start in range(0, len(names), READS_AT_ONCE):
        some = names[start : start + READS_AT_ONCE]
        for shard in await asyncio.gather(*(_tried(store, name) for name in some)):
            yield shard


async def _tried(store: ObjectStore, name: str) -> Shard | DamagedShard:
    try:
        return await read_shard(store, name)
    except (CorruptError, PermanentError) as error:
        return DamagedShard(name, error)


def _name(key: str) -> str:
    return key.rpartition("/")[2].removesuffix(".jsonl.gz")


def _shard(data: bytes, name: str) -> Shard:
    key = keys.schedules(name)
    lines: dict[str, bytes] = {}
    for number, line in enumerate(unpack(data, key), 1):
        found = _ID.search(line)
        if found is None:
            raise CorruptError(
                "a line is no schedule", where=f"{key} line {number}", next_step="restore the object from a copy"
            )
        lines[found[1].decode()] = line
    return Shard(name, lines)
