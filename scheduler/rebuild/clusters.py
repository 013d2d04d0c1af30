"""`clusters/…`: what the objects say is restored by a step of its own, which parks what is damaged; then only names are
read. A segment whose object that is stays extracted, and so does one that has been extracted anew since."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from scheduler.rebuild.cluster_facts import ClusterFacts
from scheduler.rebuild.ports import Step
from scheduler.rebuild.snapshots import by_place, place_of
from scheduler.rebuild.work import Restoration
from workers.flows.cluster import ClusterPorts, load_clusters


def cluster_step(ports: ClusterPorts) -> Step:
    """Follows the cluster log, and notes for the comparison what it says."""

    async def load(work: Restoration) -> None:
        facts = ClusterFacts(ports.params)
        loaded = await load_clusters(ports, again=True, park=work.park, told=facts.follow)
        facts.whole = not any(damage.key.startswith("clusters/") for damage in work.rebuilt.damaged)
        work.said.clusters = facts
        work.rebuilt.objects += loaded or 0  # after the wait: other steps add to it meanwhile

    return load


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
