"""Whose turn it is at a host, and what its robots.txt says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Permit:
    """The right to ask one host from outside of the batch that it may be in, for `seconds` from the call, by the
    monotonic clock of who asked, unless it is kept."""

    host: str
    holder: str
    seconds: float
    strikes: int = 0
    """How often in a row the host has said that it is busy."""


@dataclass(frozen=True, slots=True)
class NotBefore:
    """A host cannot be asked now; when it is worth while to ask for it again."""

    ready_at_ms: int
    reason: Literal["busy", "paced", "full"]
    """In somebody else's hands; at rest; or served on an address that serves enough hosts already."""


@dataclass(frozen=True, slots=True)
class AddressSlot:
    """One of the few hosts that are served at a time on one address. `who` names batch and host."""

    address: str
    who: str


class Permits(Protocol):
    """Politeness beyond one batch: what all workers know of hosts and addresses together. Every call is one atomic
    script that checks the epoch first. What a killed worker held comes free when its time is over."""

    async def take(self, host: str, *, batch_id: str, now_ms: int) -> Permit | NotBefore:
        """The right to ask a host, where no other batch has it, nobody else asks it, and it is not at rest. `batch_id`:
        the batch on whose behalf; its own hosts can be had too, while nobody else asks them."""

    async def give_back(self, permit: Permit, *, now_ms: int, ready_at_ms: int) -> bool:
        """End a permit; from `ready_at_ms` on the host may be asked again. False: it had run out before."""

    async def enter(self, address: str, who: str, *, most: int, now_ms: int) -> AddressSlot | NotBefore:
        """Be one of at most `most` that are served on an address. Again is harmless, and ends the slot's rest."""

    async def leave(self, slot: AddressSlot, *, now_ms: int, ready_at_ms: int) -> bool:
        """End the request. Until `ready_at_ms` the slot is at rest, and only the same `who` may use it. False: it had
        run out before."""

    async def keep(self, permits: Collection[Permit], slots: Collection[AddressSlot], *, now_ms: int) -> int:
        """Hold them for another full time from now; how many are still held."""

    async def strikes(self, hosts: Sequence[str]) -> Mapping[str, int]:
        """How often in a row each of these hosts has said that it is busy; hosts that have not are left out."""

    async def back_off(self, host: str, *, strikes: int, now_ms: int, ready_at_ms: int) -> None:
        """Note that a host has said so (again), or with 0 that it answers as it should; kept over all workers."""


class RobotsCopies(Protocol):
    """What workers share of robots.txt files, as bytes that only their reader understands. Losing one costs a request,
    or while the site cannot be reached, a refusal."""

    async def get(self, site: str) -> bytes | None:
        """The copy of the robots.txt at this URL."""

    async def put(self, site: str, copy: bytes, *, seconds: float) -> None:
        """Keep a copy for so long."""
