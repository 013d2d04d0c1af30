"""`FoundUrls` on Redis: what a job has found by links, for depths and budgets. Rebuilt from `discovered/`.

Some 150 bytes a URL, and only of jobs that follow links.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, cast

from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.replies import byte_list, maybe_byte_list
from workers.frontier import names, scripts
from workers.frontier.urls import digest
from workers.ports import FoundUrl, LinkBudgets, LinkStanding

CHUNK: Final = 500
"""Links a script call: about a millisecond of Redis' time."""


@dataclass(frozen=True)
class RedisFoundUrls:
    """The port `FoundUrls`."""

    guard: Guard

    async def offer(self, job_id: str, links: Sequence[FoundUrl], budgets: LinkBudgets) -> list[LinkStanding]:
        """What the job would make of each link."""
        told: list[LinkStanding] = []
        for chunk in _chunks(links):
            keys, args = _call(job_id, chunk)
            reply = await self._offer(keys, [budgets.pages, budgets.pages_per_host, budgets.pages_per_form, *args])
            told += [cast(LinkStanding, word.decode()) for word in byte_list(reply)]
        return told

    async def note(self, job_id: str, links: Sequence[FoundUrl]) -> frozenset[str]:
        """Note links that are written down; those that the job had queued before."""
        queued: set[str] = set()
        for chunk in _chunks(links):
            keys, args = _call(job_id, chunk)
            reply = cast("list[int]", await self._note(keys, args))
            queued.update(link.url.normalized_url for link, before in zip(chunk, reply, strict=True) if before)
        return frozenset(queued)

    async def depths(self, job_id: str, urls: Sequence[str], *, visit: int) -> Mapping[str, int]:
        """The least depths at which these were found."""
        if not urls:
            return {}
        fields = [digest(url, visit) for url in urls]
        (reply,) = await self.guard.read(lambda pipe: pipe.hmget(names.found(job_id), fields), "depths")
        depths = zip(urls, maybe_byte_list(reply), strict=True)
        return {url: int(depth) for url, depth in depths if depth is not None}

    @cached_property
    def _offer(self) -> Script:
        return self.guard.script(scripts.source("offer"), "offer links")

    @cached_property
    def _note(self) -> Script:
        return self.guard.script(scripts.source("found"), "note links")


def _call(job_id: str, links: Sequence[FoundUrl]) -> tuple[list[str], list[Argument]]:
    """Keys behind the epoch's, and four arguments for each link."""
    keys = [names.open_urls(job_id), names.done_urls(job_id), names.found(job_id)]
    places: dict[str, int] = {}

    def place(key: str) -> int:
        if key not in places:
            keys.append(key)
            places[key] = len(keys) + 1  # the epoch comes first
        return places[key]

    args: list[Argument] = []
    for link in links:
        host = place(names.found_on_host(job_id, link.url.host))
        form = 0 if link.form is None else place(names.found_of_form(job_id, _name(link.form)))
        args += [digest(link.url.normalized_url, link.url.visit), link.url.depth, host, form]
    return keys, args


def _name(form: str) -> str:
    """24 hex: forms are as long as strangers make them."""
    return hashlib.sha256(form.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _chunks(links: Sequence[FoundUrl]) -> Iterator[Sequence[FoundUrl]]:
    for start in range(0, len(links), CHUNK):
        yield links[start : start + CHUNK]
