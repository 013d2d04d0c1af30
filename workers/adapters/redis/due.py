"""`DueQueue` on Redis: one sorted set of schedules by the time of their next visit.

Dates are scores, never delayed tasks: with Redis as broker, a task beyond the visibility timeout runs again and
again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar, cast

from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.replies import number
from workers.frontier import names
from workers.frontier.scripts import guarded
from workers.ports import DueAt, DueCounts

PACKAGE: Final = "workers.adapters.redis"
CHUNK: Final = 2000
PREFIX: Final = "sch-"
T = TypeVar("T")


@dataclass(frozen=True)
class RedisDueQueue:
    """The port `DueQueue`."""

    guard: Guard

    async def put(self, entries: Sequence[DueAt]) -> None:
        """Note when schedules are due; again is harmless."""
        for chunk in _chunks(entries):
            args: list[Argument] = []
            for entry in chunk:
                args += [entry.due_ms, pack(entry.schedule_id)]
            await self._put([names.DUE], args)

    async def drop(self, schedule_ids: Sequence[str]) -> None:
        """Forget schedules; unknown ones are passed over."""
        for chunk in _chunks(schedule_ids):
            await self._drop([names.DUE], [pack(schedule_id) for schedule_id in chunk])

    async def due(self, *, now_ms: int, limit: int) -> list[DueAt]:
        """Soonest first."""
        (reply,) = await self.guard.read(
            lambda pipe: pipe.zrangebyscore(names.DUE, "-inf", now_ms, start=0, num=limit, withscores=True), "due"
        )
        return [DueAt(unpack(packed), round(score)) for packed, score in cast("list[tuple[bytes, float]]", reply)]

    async def counts(self, *, now_ms: int) -> DueCounts:
        """All at one moment."""
        waiting, due, first = await self.guard.read(
            lambda pipe: (
                pipe.zcard(names.DUE),
                pipe.zcount(names.DUE, "-inf", now_ms),
                pipe.zrange(names.DUE, 0, 0, withscores=True),
            ),
            "due counts",
        )
        soonest = cast("list[tuple[bytes, float]]", first)
        return DueCounts(number(waiting), number(due), round(soonest[0][1]) if soonest else None)

    @cached_property
    def _put(self) -> Script:
        return self.guard.script(guarded(PACKAGE, "put_due"), "put due")

    @cached_property
    def _drop(self) -> Script:
        return self.guard.script(guarded(PACKAGE, "drop_due"), "drop due")


def pack(schedule_id: str) -> bytes:
    """The 8 bytes of a schedule id. ValueError for another form."""
    packed = bytes.fromhex(schedule_id.removeprefix(PREFIX))
    if len(packed) != 8 or not schedule_id.startswith(PREFIX):
        raise ValueError("not a schedule id")
    return packed


def unpack(packed: bytes) -> str:
    """The inverse of `pack`."""
    return PREFIX + packed.hex()


def _chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), CHUNK):
        yield items[start : start + CHUNK]
