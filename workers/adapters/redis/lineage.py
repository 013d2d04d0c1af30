"""What Redis says of its own past, and the pulse that we keep in it (`workers/frontier/lineage.py`)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from redis import exceptions

from workers.adapters.redis.guard import Guard, Script
from workers.adapters.redis.replies import number
from workers.adapters.redis.translate import script_errors
from workers.frontier import names
from workers.frontier.lineage import Sighting
from workers.frontier.scripts import guarded

LOG = logging.getLogger(__name__)
NEVER: Final = -1


@dataclass(frozen=True)
class RedisLineage:
    """Reads are not behind the epoch check, since they are part of how it comes to hold; the pulse is."""

    guard: Guard

    async def seen(self) -> Sighting:
        """As it is now. Where we may not ask Redis for its past, the pulse alone tells."""
        with script_errors("read the pulse"):
            noted, pulse = await self.guard.client.hmget(names.LINEAGE, "promotion", "pulse")
        return Sighting(
            promotion=await self._promotion(),
            noted=noted.decode() if isinstance(noted, bytes) else None,
            pulse=int(pulse or 0),
        )

    async def note(self, pulse: int) -> None:
        """From now on the state counts as whole, with this pulse."""
        promotion = await self._promotion()
        with script_errors("note the pulse"):
            await self.guard.client.hset(names.LINEAGE, mapping={"promotion": promotion, "pulse": pulse})

    async def beat(self) -> int:
        """The next pulse."""
        return number(await self._beat([names.LINEAGE], []))

    async def _promotion(self) -> str:
        with script_errors("ask for replication"):
            try:
                told = await self.guard.client.info("replication")
            except exceptions.ResponseError as refused:
                LOG.debug("replication not told error=%s", refused)
                return ""
        offset = int(told.get("second_repl_offset", NEVER))
        return "" if offset == NEVER else f"{told.get('master_replid2')}:{offset}"

    @cached_property
    def _beat(self) -> Script:
        return self.guard.script(guarded("workers.adapters.redis", "beat"), "beat")
