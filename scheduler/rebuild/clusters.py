"""`clusters/…`: only names are read here; what the objects say is restored by a step of its own, which parks what is
damaged. A segment whose object that is stays extracted."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from scheduler.rebuild.snapshots import by_segment
from scheduler.rebuild.work import Restoration


async def restore(work: Restoration) -> None:
    """Extracted segments with an object of the cluster log are clustered."""
    await asyncio.gather(*work.steps)
    damaged = {damage.key for damage in work.rebuilt.damaged}
    for segment_id, key in (await by_segment(work, "clusters/")).items():
        entry = work.entries.get(segment_id)
        if entry is not None and entry.stage == "extracted" and key not in damaged:
            work.entries[segment_id] = replace(entry, stage="clustered", clusters_key=key)
            await work.ports.ledger.advance(work.entries[segment_id])
