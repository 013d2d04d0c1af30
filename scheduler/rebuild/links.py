"""`discovered/…`: what jobs have found by links is known again, and queued where it has no outcome."""

from __future__ import annotations

from scheduler.rebuild.work import Restoration
from schemas import keys
from schemas.records.discovered import PageLinks
from workers.flows.discover import replay_links
from workers.flows.documents import read_lines_object


async def restore(work: Restoration) -> None:
    """Replay the links of all jobs that follow any. A segment of which a part is missing or damaged stays where its
    receipt put it."""
    store = work.ports.store

    async def lines_of(key: str) -> list[PageLinks]:
        return await read_lines_object(store, key, PageLinks)

    for job in work.jobs:
        if not job.options.follow_depth:
            continue
        found = sorted([key async for key in store.list(keys.discovered_of(job.id))])
        parts = work.each("links", found, lines_of)
        replay = await replay_links(job.id, parts, frontier=work.ports.frontier, found=work.ports.found)
        work.admitted(job.id, replay.queued)
        work.linked |= replay.ended
