"""`Permits` on Redis: who asks which host from outside of a batch, and how many hosts of one address are served."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ulid import ULID

from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.replies import byte_list, maybe_byte_list, number
from workers.frontier import names, scripts
from workers.frontier.limits import FrontierLimits
from workers.ports import AddressSlot, NotBefore, Permit

LOOK_AGAIN_MS = 500
"""How soon a host in other hands is looked at again."""


def new_holder() -> str:
    """A name that nobody has used."""
    return str(ULID())


@dataclass(frozen=True)
class RedisPermits:
    """The port `Permits`."""

    guard: Guard
    limits: FrontierLimits = field(default_factory=FrontierLimits)
    holders: Callable[[], str] = new_holder

    async def take(self, host: str, *, batch_id: str, now_ms: int) -> Permit | NotBefore:
        """The right to ask a host, or when to ask for it again."""
        keys = [names.BUSY, names.PACE, names.PERMITS, names.PERMIT_HOLDERS, names.strikes(host), names.WANTED]
        args: list[Argument] = [now_ms, host, self.holders(), batch_id, now_ms + self._lease_ms, now_ms + LOOK_AGAIN_MS]
        word, *rest = byte_list(await self._scripts["take_permit"](keys, args))
        if word == b"permit":
            return Permit(host, rest[0].decode(), self.limits.permit_seconds, int(rest[1]))
        reason: Literal["busy", "paced"] = "paced" if word == b"paced" else "busy"
        return NotBefore(round(float(rest[0])), reason)

    async def give_back(self, permit: Permit, *, now_ms: int, ready_at_ms: int) -> bool:
        """End a permit."""
        held = await self._scripts["give_back_permit"](
            [names.PACE, names.PERMITS, names.PERMIT_HOLDERS], [now_ms, permit.host, permit.holder, ready_at_ms]
        )
        return number(held) == 1

    async def enter(self, address: str, who: str, *, most: int, now_ms: int) -> AddressSlot | NotBefore:
        """A slot on an address, or when to look again: soon, since one may be left before its time is over."""
        args: list[Argument] = [now_ms, who, now_ms + self._lease_ms, most, self._lease_ms]
        word, *rest = byte_list(await self._scripts["enter_address"]([names.address(address)], args))
        if word == b"in":
            return AddressSlot(address, who)
        return NotBefore(min(round(float(rest[0])), now_ms + LOOK_AGAIN_MS), "full")

    async def leave(self, slot: AddressSlot, *, now_ms: int, ready_at_ms: int) -> bool:
        """End the request on an address."""
        left = await self._scripts["leave_address"]([names.address(slot.address)], [now_ms, slot.who, ready_at_ms])
        return number(left) == 1

    async def keep(self, permits: Collection[Permit], slots: Collection[AddressSlot], *, now_ms: int) -> int:
        """Hold them longer; how many are still held."""
        if not permits and not slots:
            return 0
        keys = [names.PERMITS, names.PERMIT_HOLDERS, *(names.address(slot.address) for slot in slots)]
        args: list[Argument] = [now_ms, now_ms + self._lease_ms, self._lease_ms, len(permits)]
        for permit in permits:
            args += [permit.host, permit.holder]
        args += [slot.who for slot in slots]
        return number(await self._scripts["keep_permits"](keys, args))

    async def strikes(self, hosts: Sequence[str]) -> Mapping[str, int]:
        """Those of these hosts that were busy when they were asked last."""
        if not hosts:
            return {}
        (reply,) = await self.guard.read(lambda pipe: pipe.mget([names.strikes(host) for host in hosts]), "strikes")
        counts = zip(hosts, maybe_byte_list(reply), strict=True)
        return {host: int(count) for host, count in counts if count is not None}

    async def back_off(self, host: str, *, strikes: int, now_ms: int, ready_at_ms: int) -> None:
        """Keep a host back."""
        remembered_ms = round(self.limits.strikes_seconds * 1000)
        await self._scripts["back_off"](
            [names.PACE, names.strikes(host)], [now_ms, host, ready_at_ms, strikes, remembered_ms]
        )

    @cached_property
    def _scripts(self) -> dict[scripts.Verb, Script]:
        verbs: tuple[scripts.Verb, ...] = (
            "take_permit", "give_back_permit", "keep_permits", "enter_address", "leave_address", "back_off",
        )  # fmt: skip
        return {verb: self.guard.script(scripts.source(verb), verb) for verb in verbs}

    @property
    def _lease_ms(self) -> int:
        return round(self.limits.permit_seconds * 1000)
