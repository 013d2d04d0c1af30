"""`RequisiteIndex` on Redis: one set a job. About 80 bytes an entry; rebuilt from receipts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from redis.asyncio.client import Pipeline

from workers.adapters.redis.guard import Guard, Script
from workers.adapters.redis.replies import number
from workers.catalog import names
from workers.frontier.scripts import guarded

CHUNK: Final = 1000


@dataclass(frozen=True)
class RedisRequisites:
    """The port `RequisiteIndex`."""

    guard: Guard

    async def captured(self, job_id: str, urls: Sequence[str]) -> frozenset[str]:
        """Those of these addresses that the job has, in one round trip."""
        if not urls:
            return frozenset()
        key, fields = names.requisites(job_id), [names.requisite_name(url) for url in urls]

        def ask(pipe: Pipeline) -> None:
            for field in fields:
                pipe.sismember(key, field)

        replies = await self.guard.read(ask, "requisites")
        return frozenset(url for url, known in zip(urls, replies, strict=True) if number(known))

    async def publish(self, job_id: str, urls: Sequence[str]) -> None:
        """Make captured ones known, after their receipt."""
        for start in range(0, len(urls), CHUNK):
            await self._add(
                [names.requisites(job_id)], [names.requisite_name(url) for url in urls[start : start + CHUNK]]
            )

    @cached_property
    def _add(self) -> Script:
        return self.guard.script(guarded("workers.adapters.redis", "add_members"), "requisites")
