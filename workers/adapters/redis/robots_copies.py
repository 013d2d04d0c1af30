"""`RobotsCopies` on Redis: one string a site, which ends by itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from workers.adapters.redis.guard import Guard, Script
from workers.adapters.redis.replies import one_bytes
from workers.frontier import names
from workers.frontier.scripts import guarded


@dataclass(frozen=True)
class RedisRobotsCopies:
    """The port `RobotsCopies`."""

    guard: Guard

    async def get(self, site: str) -> bytes | None:
        """A copy, in one round trip."""
        (reply,) = await self.guard.read(lambda pipe: pipe.get(names.robots(site)), "robots")
        return None if reply is None else one_bytes(reply)

    async def put(self, site: str, copy: bytes, *, seconds: float) -> None:
        """Keep it."""
        await self._put([names.robots(site)], [copy, round(seconds * 1000)])

    @cached_property
    def _put(self) -> Script:
        return self.guard.script(guarded("workers.adapters.redis", "put_robots"), "robots")
