"""`compactions/…`: records of files that were joined are found where they lie now."""

from __future__ import annotations

from scheduler.rebuild.work import Restoration
from schemas import keys
from schemas.records.compaction import Compaction
from workers.flows.numbered import gap, gone


async def restore(work: Restoration) -> None:
    """Follow the compaction log. Where an entry is damaged, records are looked for where its files were."""
    listed = [key async for key in work.ports.store.list(keys.COMPACTIONS)]
    found = sorted(key for key in listed if keys.compaction_number(key) is not None)
    if (missing := gap(found, keys.compaction)) is not None:
        await work.park(missing, gone(missing))
    async for _, compaction in work.documents("compactions", found, Compaction):
        await work.ports.catalog.add_compaction(compaction)
