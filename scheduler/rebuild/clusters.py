"""`clusters/…`: only names are read here; what the objects say is restored by a step of its own, which parks what is
damaged. A segment whose object that is stays extracted, and so does one that has been extracted anew since."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from scheduler.rebuild.snapshots import by_place, place_of
from scheduler.rebuild.work import Restoration


async def restore(work: Restoration) -> None:
    """Extracted segments with an object of the cluster log are clustered."""
    await asyncio.gather(*work.steps)
    damaged = {damage.key for damage in work.rebuilt.damaged}
    clustered = await by_place(work, "clusters/")
    for entry in list(work.entries.values()):
        key = clustered.get(place_of(entry.snapshots_key)) if entry.stage == "extracted" else None
        if key is not None and key not in damaged:
            work.entries[entry.segment_id] = replace(entry, stage="clustered", clusters_key=key)
            await work.ports.ledger.advance(work.entries[entry.segment_id])
