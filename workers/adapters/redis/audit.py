"""What Redis holds, read back in full to be compared with what the store says.

Only whoever rebuilds asks, while everybody else is refused: that nobody changes what is read is what makes the
comparison one. Entries come in pages, as tuples of bytes or bytes; one may come twice.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Hashable
from dataclasses import dataclass
from typing import TypeAlias

from workers.adapters.redis.cluster_audit import ClusterAudit
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.paging import hash_pages, set_pages, sorted_pages
from workers.catalog import names as catalog
from workers.frontier import names as frontier
from workers.ports import ClusterFamily

Page: TypeAlias = Collection[Hashable]


@dataclass(frozen=True)
class RedisAudit:
    """Entries of one job, collection or parameter id, or of the whole archive."""

    guard: Guard

    async def ended(self, job_id: str) -> AsyncIterator[Page]:
        """Digests of the URLs that have an outcome, or wait for the try after one."""
        async for page in hash_pages(self.guard.client, frontier.done_urls(job_id)):
            yield page.keys()
        async for members in sorted_pages(self.guard.client, frontier.later(job_id)):
            yield members

    async def snapshots(self, job_id: str) -> AsyncIterator[Page]:
        """Packed ids of its snapshots."""
        async for page in sorted_pages(self.guard.client, catalog.job_snapshots(job_id)):
            yield page

    async def requisites(self, job_id: str) -> AsyncIterator[Page]:
        """What a job has captured of what its pages need, by name."""
        async for page in set_pages(self.guard.client, catalog.requisites(job_id)):
            yield page

    async def originals(self, collection: str) -> AsyncIterator[Page]:
        """Digests of the payloads that revisits in a collection may refer to, each with its original, packed."""
        async for page in hash_pages(self.guard.client, catalog.revisits(collection)):
            yield page.items()

    async def versions(self, collection: str) -> AsyncIterator[Page]:
        """Names of the URLs that can be asked for news, each with its version as it stands."""
        async for page in hash_pages(self.guard.client, catalog.versions(collection)):
            yield page.items()

    async def known_snapshots(self) -> AsyncIterator[Page]:
        """Packed ids of all snapshots that can be looked up."""
        async for page in hash_pages(self.guard.client, catalog.SNAPSHOTS):
            yield page.keys()

    async def records(self) -> AsyncIterator[Page]:
        """Packed ids of all records that have a place."""
        async for page in hash_pages(self.guard.client, catalog.RECORDS):
            yield page.keys()

    def clusters(self, params: str) -> AsyncIterator[tuple[ClusterFamily, Page]]:
        """The cluster state under one parameter id, family by family, in any order."""
        return ClusterAudit(self.guard, params).read()
