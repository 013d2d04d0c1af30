"""The epoch mark in Redis, and taking the state down before it is rebuilt.

These are the only calls that are not behind the epoch check: they are how it comes to be there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from redis.asyncio import Redis

from workers.adapters.redis.translate import script_errors
from workers.frontier import names

SCAN_COUNT: Final = 1000
_SWAP: Final = """
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
"""


@dataclass(frozen=True, slots=True)
class RedisState:
    """What the scheduler does to Redis as a whole."""

    client: Redis

    async def mark(self) -> str:
        """What the epoch key holds; empty where there is none."""
        with script_errors("read the epoch"):
            found = await self.client.get(names.EPOCH)
        return found.decode() if isinstance(found, bytes) else ""

    async def swap_mark(self, expected: str, following: str) -> bool:
        """Change the epoch key if it holds what was expected. False: somebody else changed it."""
        with script_errors("set the epoch"):
            return bool(await self.client.register_script(_SWAP)(keys=[names.EPOCH], args=[expected, following]))

    async def clear(self) -> int:
        """Remove all state of ours; how many keys there were. The broker's messages, the scheduler's lease, signs of
        life, the epoch mark and what hosts have asked of us stay."""
        removed = 0
        with script_errors("clear the state"):
            batch: list[bytes] = []
            async for key in self.client.scan_iter(match=f"{names.TAG}:*", count=SCAN_COUNT):
                name = key.decode(errors="replace")
                if name not in names.OUTLIVE_A_REBUILD and not name.startswith(names.OUTLIVE_PREFIXES):
                    batch.append(key)
                if len(batch) >= SCAN_COUNT:
                    removed += int(await self.client.unlink(*batch))
                    batch = []
            if batch:
                removed += int(await self.client.unlink(*batch))
        return removed

    async def begin_catching_up(self) -> None:
        """Note that receipts of an earlier epoch may still come."""
        with script_errors("note a rebuild"):
            await self.client.set(names.CATCHING_UP, 1)

    async def catching_up(self) -> bool:
        """Whether that is noted."""
        with script_errors("look for a rebuild"):
            return bool(await self.client.exists(names.CATCHING_UP))

    async def caught_up(self) -> None:
        """Take the note back."""
        with script_errors("end a rebuild"):
            await self.client.delete(names.CATCHING_UP)
