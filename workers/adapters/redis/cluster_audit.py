"""The cluster state read back in full, entry by entry, also such as no other key leads to.

Texts, clusters and sources have small keys of their own, which are found by going through all names and read some
hundreds a call.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias, cast

from workers.adapters.redis.cluster_keys import ClusterKeys
from workers.adapters.redis.guard import Guard, Script
from workers.adapters.redis.paging import hash_pages, key_pages
from workers.adapters.redis.replies import items
from workers.frontier.scripts import guarded
from workers.ports import ClusterFamily

KEYS_A_CALL: Final = 1000
CALLS_AHEAD: Final = 2
Page: TypeAlias = Collection[Hashable]
_SETS: Final[dict[bytes, ClusterFamily]] = {
    b"a:": "aliases of clusters",
    b"t:": "texts of clusters",
    b"s:": "snapshots of texts",
    b"o:": "texts of sources",
}
_HASHES: Final[dict[bytes, ClusterFamily]] = {b"n:": "confirmed edges", b"v:": "verdicts on edges"}
_TURNED: Final = frozenset({"aliases of clusters", "texts of clusters"})
"""They say the same as another family from the other side, and are given as that one is."""


@dataclass(frozen=True)
class ClusterAudit:
    """Under one parameter id."""

    guard: Guard
    params: str

    async def read(self) -> AsyncIterator[tuple[ClusterFamily, Page]]:
        """Pages of entries with their family; one may come twice. All snapshots of a text come in one page."""
        keys = ClusterKeys(self.params)
        (place,) = await self._whole([keys.meta], hashes=True)
        applied, unsettled = await self._whole([keys.applied, keys.unsettled], hashes=False)
        yield "fields of the place in the log", place
        yield "applied objects", [(name,) for name in applied]
        yield "unsettled texts", [(text,) for text in unsettled]
        async for page in hash_pages(self.guard.client, keys.cluster_of):
            yield "clusters of texts", page.items()
        async for page in hash_pages(self.guard.client, keys.witness):
            yield "witnesses of texts", page.items()
        async for page in hash_pages(self.guard.client, keys.alias):
            yield "ids of merged clusters", page.items()
        async for page in hash_pages(self.guard.client, keys.clusters):
            parts = [(cluster, *standing.partition(b" ")) for cluster, standing in page.items()]
            yield "numbers of birth", [(cluster, born) for cluster, born, _, _ in parts]
            yield "leaders of clusters", [(cluster, leader) for cluster, _, _, leader in parts]
        async for family, of_kind in self._small(keys.prefix.encode()):
            yield family, of_kind

    async def _small(self, prefix: bytes) -> AsyncIterator[tuple[ClusterFamily, Page]]:
        """What stands in the keys of single texts, clusters and sources. Some calls are ahead of who reads."""
        running: deque[tuple[ClusterFamily, asyncio.Task[Page]]] = deque()
        try:
            async for kind, names in self._names(prefix):
                entries = asyncio.create_task(self._entries(kind, names, len(prefix) + 2))
                running.append((_family(kind), entries))
                if len(running) > CALLS_AHEAD:
                    family, reading = running.popleft()
                    yield family, await reading
            while running:
                family, reading = running.popleft()
                yield family, await reading
        finally:
            for _, reading in running:
                reading.cancel()

    async def _names(self, prefix: bytes) -> AsyncIterator[tuple[bytes, list[bytes]]]:
        """Kinds of such keys, each with the names of as many as are read in one call."""
        waiting: defaultdict[bytes, list[bytes]] = defaultdict(list)
        async for names in key_pages(self.guard.client, prefix):
            for name in names:
                kind = name[len(prefix) : len(prefix) + 2]
                if kind in _SETS or kind in _HASHES:
                    waiting[kind].append(name)
            for kind, found in waiting.items():
                while len(found) >= KEYS_A_CALL:
                    yield kind, found[:KEYS_A_CALL]
                    del found[:KEYS_A_CALL]
        for kind, found in waiting.items():
            if found:
                yield kind, found

    async def _entries(self, kind: bytes, names: Sequence[bytes], cut: int) -> Page:
        family, hashes = _family(kind), kind in _HASHES
        replies = await self._whole([name.decode() for name in names], hashes=hashes)
        pairs = [(name[cut:], reply) for name, reply in zip(names, replies, strict=True)]
        if hashes:
            return [(owner, *entry) for owner, reply in pairs for entry in cast("list[tuple[bytes, bytes]]", reply)]
        if family in _TURNED:
            return [(member, owner) for owner, reply in pairs for member in reply]
        return [(owner, member) for owner, reply in pairs for member in reply]

    async def _whole(self, keys: Sequence[str], *, hashes: bool) -> list[list[Hashable]]:
        """What stands in each key: its members, or its fields with their values."""
        replies = items(await self._read(keys, ["HGETALL" if hashes else "SMEMBERS"]))
        listed = [items(reply) for reply in replies]
        if not hashes:
            return listed
        return [list(zip(reply[::2], reply[1::2], strict=True)) for reply in listed]

    @cached_property
    def _read(self) -> Script:
        return self.guard.script(guarded("workers.adapters.redis", "read_all"), "read the cluster state back")


def _family(kind: bytes) -> ClusterFamily:
    return _SETS.get(kind) or _HASHES[kind]
