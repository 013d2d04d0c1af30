"""What a rebuild is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from scheduler.rebuild.comparison import Audit
from scheduler.rebuild.lineage import Lineage
from schemas.records.outcome import UrlOutcome
from workers.frontier.control import Control
from workers.frontier.epoch import Epoch
from workers.ports import Catalog, FoundUrls, Frontier, Ledger, ObjectStore, RequisiteIndex, RevisitIndex, VersionIndex

if TYPE_CHECKING:
    from scheduler.rebuild.work import Restoration


class RestorableFrontier(Frontier, Protocol):
    """A frontier whose URLs can be marked done without a lease, and that can be told what was decided about jobs."""

    async def restore_done(self, job_id: str, outcomes: Sequence[UrlOutcome]) -> int: ...

    async def control(self, job_id: str, control: Control, *, now_ms: int) -> None: ...

    async def controlled(self, job_id: str) -> int: ...

    async def note_controlled(self, job_id: str, sequence: int) -> None: ...

    async def end_cancelled(self) -> int: ...

    async def look_again(self, job_id: str, *, now_ms: int) -> int: ...


class StateMark(Protocol):
    """The epoch mark of Redis, and its state as a whole."""

    async def mark(self) -> str: ...

    async def swap_mark(self, expected: str, following: str) -> bool: ...

    async def clear(self) -> int: ...

    async def begin_catching_up(self) -> None: ...

    async def catching_up(self) -> bool: ...

    async def caught_up(self) -> None: ...


class Lease(Protocol):
    """The right to be the one who rebuilds: two at a time would take down each other's work."""

    @property
    def seconds(self) -> float:
        """How long it lasts without being taken again."""

    async def take(self) -> bool: ...

    async def leave(self) -> None: ...


Step: TypeAlias = "Callable[[Restoration], Awaitable[object]]"
"""Restores what another part keeps in Redis, such as the cluster state. Runs beside the kinds of objects of this
package, while everybody else is refused; a kind that needs it awaits it."""


@dataclass(frozen=True, slots=True)
class RebuildPorts:
    store: ObjectStore
    frontier: RestorableFrontier
    ledger: Ledger
    catalog: Catalog
    revisits: RevisitIndex
    requisites: RequisiteIndex
    versions: VersionIndex
    found: FoundUrls
    state: StateMark
    audit: Audit
    epoch: Epoch
    lease: Lease
    lineage: Lineage
    steps: Sequence[Step] = ()
