"""What is known of a snapshot's source at the moment its leaf is made: cluster, tier, independence group."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from schemas.records.snapshot import SnapshotLine
from workers.dedup.independence import SourceFacts, group_at_publication
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.dedup.tiers import TierPolicy
from workers.ports import ClusterState
from workers.publish.leaves import Standing


def standing_of(clusters: ClusterState, tiers: TierPolicy) -> Callable[[SnapshotLine], Awaitable[Standing]]:
    """A look-up of the standing of one snapshot."""

    async def look(line: SnapshotLine) -> Standing:
        snapshot = line.snapshot
        cluster = await clusters.cluster_of(snapshot.text_sha256) if snapshot.text_sha256 else None
        known = await clusters.clusters_of_source(snapshot.source_id)
        shared = [other for other in known if await _is_shared(clusters, other, snapshot.source_id)]
        facts = SourceFacts(snapshot.source_id, snapshot.normalized_url, known)
        return Standing(
            cluster_id=cluster,
            tier=tiers.verdict(snapshot.normalized_url),
            group=group_at_publication(facts, shared),
            decisions_sequence=0,
            policies=tuple(sorted({tiers.id, PIPELINE_PARAMS})),
        )

    return look


async def _is_shared(clusters: ClusterState, cluster_id: str, source_id: str) -> bool:
    members = await clusters.members(cluster_id)
    return members is not None and any(member.source_id != source_id for member in members.members)
