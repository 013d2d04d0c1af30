"""A job in the middle of which something happens, more than once: it is handed in, hit, and judged at its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from deploy.chaos.ending import Ending, ended
from deploy.chaos.given import Given
from deploy.chaos.site import Site
from deploy.chaos.watch import Watch, hand_in
from workers.bootstrap import open_archive
from workers.config import Settings

T = TypeVar("T")
R = TypeVar("R")


async def in_the_middle(
    settings: Settings,
    web: Site,
    given: Given,
    moments: Iterable[tuple[float, T]],
    happens: Callable[[Watch, T], Awaitable[R]],
) -> tuple[list[R], Ending]:
    """What came of each moment, and of the job. `moments`: the share of the URLs that is done by then, and what
    `happens` is told."""
    async with open_archive(settings) as archive:
        job = await hand_in(archive, list(web.pages))
        watch = Watch(archive, job.id, web.pages)
        met = []
        for share, what in moments:
            await watch.until(share * given.urls)
            met.append(await happens(watch, what))
        return met, await ended(watch, given, web, watch.started)
