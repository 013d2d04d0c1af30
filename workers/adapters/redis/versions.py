"""`VersionIndex` on Redis: one hash a collection, beside that of its originals.

About 230 bytes an entry with a strong ETag of 20 characters and a Last-Modified, the URL itself not among them; a
test holds the bound below. An ETag of 512 bytes, the longest that is ever kept, costs what it is longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.replies import maybe_byte_list
from workers.catalog import names
from workers.catalog.packing import microseconds, pack_version, unpack_version
from workers.frontier.scripts import guarded
from workers.ports import KnownVersion, VersionSeen

BYTES_AN_ENTRY: Final = 260
CHUNK: Final = 1000


@dataclass(frozen=True)
class RedisVersions:
    """The port `VersionIndex`."""

    guard: Guard

    async def find(self, collection: str, urls: Sequence[str]) -> Mapping[str, KnownVersion]:
        """Versions by URL as fetched, in one round trip."""
        if not urls:
            return {}
        fields = [names.version_field(url) for url in urls]
        (reply,) = await self.guard.read(lambda pipe: pipe.hmget(names.versions(collection), fields), "versions")
        entries = zip(urls, maybe_byte_list(reply), strict=True)
        found = ((url, entry.partition(b"\n")[2]) for url, entry in entries if entry is not None)
        return {url: unpack_version(packed, url) for url, packed in found if packed}

    async def publish(self, collection: str, seen: Iterable[VersionSeen]) -> None:
        """Take in versions, after their receipt."""
        waiting = list(seen)
        for start in range(0, len(waiting), CHUNK):
            args: list[Argument] = []
            for each in waiting[start : start + CHUNK]:
                packed = b"" if each.version is None else pack_version(each.version)
                args += [names.version_field(each.url), microseconds(each.at), packed]
            await self._add([names.versions(collection)], args)

    @cached_property
    def _add(self) -> Script:
        return self.guard.script(guarded("workers.adapters.redis", "add_versions"), "versions")
