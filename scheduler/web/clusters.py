"""Clusters as the API lists them."""

from __future__ import annotations

from scheduler.web.answers import ClusterList, ClusterSummary
from scheduler.web.room import Room
from schemas.records.cluster import Cluster
from workers.errors import ObjectMissingError

MOST_CLUSTERS = 1000
"""Clusters that are counted for the list. The state has no order, so one cannot page through it."""
LIST_SECONDS = 5.0


async def largest_clusters(room: Room, *, limit: int, least_sources: int) -> ClusterList:
    """Clusters with at least so many sources, the one with most sources first."""
    found = await room.look("clusters", lambda: _counted(room), fresh_seconds=LIST_SECONDS)
    fitting = [item for item in found.items if item.sources >= least_sources]
    return ClusterList(items=tuple(fitting[:limit]), complete=found.complete and len(fitting) <= limit)


async def cluster(room: Room, cluster_id: str) -> Cluster:
    """One cluster, by its id or an alias."""
    found = await room.look(
        f"cluster {cluster_id}", lambda: room.archive.cluster_reader().cluster(cluster_id), fresh_seconds=LIST_SECONDS
    )
    if found is None:
        raise ObjectMissingError("there is no such cluster", where=cluster_id, next_step="see /api/v1/clusters")
    return found


async def _counted(room: Room) -> ClusterList:
    clusters = room.archive.clusters
    items: dict[str, ClusterSummary] = {}
    complete = True
    async for cluster_id in clusters.all():
        if len(items) == MOST_CLUSTERS:
            complete = False
            break
        found = await clusters.members(cluster_id)
        if found is not None:  # else it was merged away meanwhile
            items[found.id] = ClusterSummary(
                id=found.id,
                leader_text_sha256=found.leader_text_sha256,
                texts=len({member.text_sha256 for member in found.members}),
                snapshots=len(found.members),
                sources=len({member.source_id for member in found.members}),
            )
    ordered = sorted(items.values(), key=lambda item: (-item.sources, -item.snapshots, item.id))
    return ClusterList(items=tuple(ordered), complete=complete)
