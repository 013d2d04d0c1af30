"""The only way in which our state in Redis is read and changed: behind the epoch check.

A script checks within itself; plain reads go out as one transaction whose first command fetches the
epoch. So no call can take an emptied Redis for an archive in which nothing is left to do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias, TypeVar, cast

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline

from workers.adapters.redis.patience import patiently
from workers.adapters.redis.translate import REBUILD, script_errors
from workers.errors import EpochError
from workers.frontier import names
from workers.frontier.epoch import Epoch

T = TypeVar("T")
Argument: TypeAlias = str | bytes | int
Reply: TypeAlias = object
"""What a script or a command answers: bytes, int, None, or a list or mapping of these. Decoded where it is used."""


class _Script(Protocol):
    async def __call__(self, keys: Sequence[Argument], args: Sequence[Argument]) -> Reply: ...


@dataclass(frozen=True, slots=True)
class Guard:
    """A client and the epoch that this process believes in."""

    client: Redis
    epoch: Epoch

    def script(self, source: str, name: str, *, of_one_epoch: bool = False) -> Script:
        """A script whose text begins with the epoch check. `of_one_epoch`: what its callers bring (a lease) was made
        in the epoch that they believe in, and is worth nothing in another."""
        return Script(self, cast(_Script, self.client.register_script(source)), name, of_one_epoch)

    async def read(self, fill: Callable[[Pipeline], object], where: str) -> list[Reply]:
        """Run the reads that `fill` queues, at one moment; their replies in order."""
        await self.settle()
        while True:
            believed = self.epoch.text
            found, *replies = await self.ask(lambda: self._together(fill, where), where)
            text = found.decode() if isinstance(found, bytes) else "none"
            if text == believed:
                return replies
            if not await self.has_moved_on(believed):
                message = f"Redis is in another epoch: caller has {believed}, Redis has {text}"
                raise EpochError(message, where=where, next_step=REBUILD)

    async def ask(self, call: Callable[[], Awaitable[T]], where: str) -> T:
        """Run a call; by who rebuilds the state, once more where Redis does not answer."""
        return await (patiently(call, where) if self.epoch.rebuilding else call())

    async def _together(self, fill: Callable[[Pipeline], object], where: str) -> list[Reply]:
        with script_errors(where):
            async with self.client.pipeline(transaction=True) as pipe:
                pipe.get(names.EPOCH)
                fill(pipe)
                return cast("list[Reply]", await pipe.execute())

    async def settle(self) -> None:
        """Read the epoch before the first call of a process."""
        if self.epoch.number is None:
            await self.epoch.refresh()

    async def has_moved_on(self, believed: str) -> bool:
        """After an epoch error: whether the store is in another epoch than was believed, as after a rebuild by
        another process. From now on that one is believed in. Who rebuilds follows nobody."""
        if self.epoch.text == believed and not self.epoch.rebuilding:
            await self.epoch.refresh()
        return self.epoch.text != believed


@dataclass(frozen=True, slots=True)
class Script:
    """A registered script. Where it meets an epoch that has only moved on, it is run once more in the new one, unless
    it is of one epoch."""

    guard: Guard
    run: _Script
    name: str
    of_one_epoch: bool

    async def __call__(self, keys: Sequence[str], args: Sequence[Argument]) -> Reply:
        """Run it: the epoch's key and value come first by themselves."""
        await self.guard.settle()
        while True:
            believed = self.guard.epoch.text
            try:
                return await self.guard.ask(partial(self._run, [names.EPOCH, *keys], [believed, *args]), self.name)
            except EpochError:
                if not await self.guard.has_moved_on(believed) or self.of_one_epoch:
                    raise

    async def _run(self, keys: Sequence[str], args: Sequence[Argument]) -> Reply:
        with script_errors(self.name):
            return await self.run(keys, args)
