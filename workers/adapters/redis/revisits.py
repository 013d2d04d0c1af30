"""`RevisitIndex` on Redis: one hash a collection, since a collection is the scope of deduplication.

About 190 bytes an entry with a URL of 80 characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.replies import maybe_byte_list
from workers.catalog import names
from workers.catalog.packing import pack_original, unpack_original
from workers.frontier.scripts import guarded
from workers.ports import Original

CHUNK: Final = 1000


@dataclass(frozen=True)
class RedisRevisits:
    """The port `RevisitIndex`."""

    guard: Guard

    async def find(self, collection: str, digests: Sequence[str]) -> Mapping[str, Original]:
        """Originals by content digest (64 hex), in one round trip; what has none is absent from the answer."""
        if not digests:
            return {}
        fields = [bytes.fromhex(digest) for digest in digests]
        (reply,) = await self.guard.read(lambda pipe: pipe.hmget(names.revisits(collection), fields), "revisits")
        found = zip(digests, maybe_byte_list(reply), strict=True)
        return {digest: unpack_original(packed, digest) for digest, packed in found if packed is not None}

    async def publish(self, collection: str, originals: Iterable[Original]) -> None:
        """Make originals known, after their receipt. The first of a payload stays."""
        waiting = list(originals)
        for start in range(0, len(waiting), CHUNK):
            args: list[Argument] = []
            for original in waiting[start : start + CHUNK]:
                args += [bytes.fromhex(original.content_sha256), pack_original(original)]
            await self._add([names.revisits(collection)], args)

    @cached_property
    def _add(self) -> Script:
        return self.guard.script(guarded("workers.adapters.redis", "add_originals"), "revisits")
