"""When scheduled pages are due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class DueAt:
    """When a schedule's next visit is due, in ms since 1970."""

    schedule_id: str
    due_ms: int


@dataclass(frozen=True, slots=True)
class DueCounts:
    """How many schedules wait for their next visit, how many of those are due, and when the first one is."""

    waiting: int
    due: int
    first_ms: int | None


class DueQueue(Protocol):
    """Which schedules are due, soonest first. A hint, given back by reading the schedules: who acts on an entry looks
    at the schedule itself, so an entry too many costs a look, and one that is missing, time."""

    async def put(self, entries: Sequence[DueAt]) -> None:
        """Note when schedules are due, in place of what was noted of them."""

    async def drop(self, schedule_ids: Sequence[str]) -> None:
        """Forget them: removed, paused, or on their way."""

    async def due(self, *, now_ms: int, limit: int) -> list[DueAt]:
        """Those that are due, soonest first."""

    async def counts(self, *, now_ms: int) -> DueCounts: ...
