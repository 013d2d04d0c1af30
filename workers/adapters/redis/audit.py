"""What Redis holds of a job, read back in full to be compared with what the store says.

Only whoever rebuilds asks, while everybody else is refused: that nobody changes what is read is what makes the
comparison one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from redis.asyncio import Redis

from workers.adapters.redis.translate import script_errors
from workers.catalog import names as catalog
from workers.frontier import names as frontier

SCAN_COUNT: Final = 2000


@dataclass(frozen=True, slots=True)
class RedisAudit:
    """Members of the sets of one job or collection; one may come twice."""

    client: Redis

    async def ended(self, job_id: str) -> AsyncIterator[bytes]:
        """Digests of the URLs that have an outcome, or wait for the try after one."""
        with script_errors("read ended URLs back"):
            async for digest, _ in self.client.hscan_iter(frontier.done_urls(job_id), count=SCAN_COUNT):
                yield digest
            async for digest, _ in self.client.zscan_iter(frontier.later(job_id), count=SCAN_COUNT):
                yield digest

    async def originals(self, collection: str) -> AsyncIterator[bytes]:
        """Digests of the payloads that revisits in a collection may refer to."""
        with script_errors("read originals back"):
            async for digest, _ in self.client.hscan_iter(catalog.revisits(collection), count=SCAN_COUNT):
                yield digest

    async def snapshots(self, job_id: str) -> AsyncIterator[bytes]:
        """Packed ids of its snapshots."""
        with script_errors("read snapshots back"):
            async for packed, _ in self.client.zscan_iter(catalog.job_snapshots(job_id), count=SCAN_COUNT):
                yield packed
