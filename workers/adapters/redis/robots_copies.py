"""`RobotsCopies` on Redis: one string a site, which ends by itself. What is asked at one moment, as for the hosts of a
batch that begins, is one round trip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.replies import maybe_byte_list
from workers.adapters.redis.together import Together
from workers.frontier import names
from workers.frontier.scripts import guarded


@dataclass(frozen=True)
class RedisRobotsCopies:
    """The port `RobotsCopies`. Belongs to one event loop."""

    guard: Guard

    async def get(self, site: str) -> bytes | None:
        """A copy, in one round trip."""
        return await self._gets.one(site)

    async def put(self, site: str, copy: bytes, *, seconds: float) -> None:
        """Keep it."""
        await self._puts.one((site, copy, round(seconds * 1000)))

    @cached_property
    def _gets(self) -> Together[str, bytes | None]:
        return Together(self._get)

    @cached_property
    def _puts(self) -> Together[tuple[str, bytes, int], None]:
        return Together(self._put)

    async def _get(self, sites: Sequence[str]) -> Sequence[bytes | None]:
        keys = [names.robots(site) for site in sites]
        (reply,) = await self.guard.read(lambda pipe: pipe.mget(keys), "robots")
        return maybe_byte_list(reply)

    async def _put(self, copies: Sequence[tuple[str, bytes, int]]) -> Sequence[None]:
        args: list[Argument] = []
        for _, copy, milliseconds in copies:
            args += [copy, milliseconds]
        await self._put_all([names.robots(site) for site, _, _ in copies], args)
        return [None] * len(copies)

    @cached_property
    def _put_all(self) -> Script:
        return self.guard.script(guarded("workers.adapters.redis", "put_robots"), "robots")
