"""A lease on being the only one: the scheduler, or whoever rebuilds the state. It says nothing of the archive, so it
is not behind the epoch check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from redis.asyncio import Redis

from workers.adapters.redis.translate import script_errors
from workers.frontier import names

_TAKE: Final = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
_LEAVE: Final = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


@dataclass(frozen=True, slots=True)
class Singleton:
    """`me` names this process and nobody else, ever; `key`, what it is the only one of."""

    client: Redis
    me: str
    seconds: float = 15.0
    key: str = names.SINGLETON

    async def take(self) -> bool:
        """Take the lease or make it longer. False: another holds it."""
        with script_errors("take a lease"):
            script = self.client.register_script(_TAKE)
            return bool(await script(keys=[self.key], args=[self.me, round(self.seconds * 1000)]))

    async def leave(self) -> None:
        """Give it back, if it is still held."""
        with script_errors("leave a lease"):
            await self.client.register_script(_LEAVE)(keys=[self.key], args=[self.me])
