"""How many messages wait in the broker's queues, by the list that kombu keeps for each."""

from __future__ import annotations

from dataclasses import dataclass

from redis.asyncio import Redis

from schemas.messages import Queue
from workers.adapters.redis.translate import script_errors


@dataclass(frozen=True, slots=True)
class RedisQueues:
    """Messages that no worker has taken; what workers are busy with is not among them."""

    client: Redis

    async def waiting(self, queue: Queue) -> int:
        """Length of one queue."""
        with script_errors("queue length"):
            return int(await self.client.llen(queue))
