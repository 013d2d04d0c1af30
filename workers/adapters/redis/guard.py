"""The only way in which our state in Redis is read and changed: behind the epoch check.

A script checks within itself; plain reads go out as one transaction whose first command fetches the
epoch. So no call can take an emptied Redis for an archive in which nothing is left to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, cast

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline

from workers.adapters.redis.translate import REBUILD, script_errors
from workers.errors import EpochError
from workers.frontier import names
from workers.frontier.epoch import Epoch

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

    def script(self, source: str, name: str) -> Script:
        """A script whose text begins with the epoch check."""
        return Script(self, cast(_Script, self.client.register_script(source)), name)

    async def read(self, fill: Callable[[Pipeline], object], where: str) -> list[Reply]:
        """Run the reads that `fill` queues, at one moment; their replies in order."""
        await self.settle()
        with script_errors(where):
            async with self.client.pipeline(transaction=True) as pipe:
                pipe.get(names.EPOCH)
                fill(pipe)
                found, *replies = cast("list[Reply]", await pipe.execute())
        text = found.decode() if isinstance(found, bytes) else "none"
        if text != self.epoch.text:
            error = EpochError(
                f"Redis is in another epoch: caller has {self.epoch.text}, Redis has {text}",
                where=where,
                next_step=REBUILD,
            )
            await self.epoch.refresh()
            raise error
        return replies

    async def settle(self) -> None:
        """Read the epoch before the first call of a process."""
        if self.epoch.number is None:
            await self.epoch.refresh()


@dataclass(frozen=True, slots=True)
class Script:
    """A registered script. After an epoch error the belief is renewed, so that the next call may succeed; this one
    still fails, since what its caller knew belongs to the old epoch."""

    guard: Guard
    run: _Script
    name: str

    async def __call__(self, keys: Sequence[str], args: Sequence[Argument]) -> Reply:
        """Run it: the epoch's key and value come first by themselves."""
        await self.guard.settle()
        try:
            with script_errors(self.name):
                return await self.run([names.EPOCH, *keys], [self.guard.epoch.text, *args])
        except EpochError:
            await self.guard.epoch.refresh()
            raise
