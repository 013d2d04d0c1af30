"""What clusters say to others: a cluster as bundles and the API show it, and a source's standing for the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.ids import source_id
from schemas.records.cluster import Cluster
from schemas.records.snapshot import SnapshotLine
from workers.dedup.confirm import RULES
from workers.dedup.independence import ManualGroup, SourceFacts, group_at_publication
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.dedup.representative import Candidate, Purpose, representative
from workers.dedup.suffixes import suffix_policy_id
from workers.dedup.tiers import TierPolicy
from workers.errors import RetryableError
from workers.ports import Catalog, ClusterState
from workers.publish.leaves import Standing


@dataclass(frozen=True, slots=True)
class ClusterReader:
    """Looks clusters up and says what they mean."""

    clusters: ClusterState
    catalog: Catalog
    tiers: TierPolicy
    params: str = PIPELINE_PARAMS

    async def cluster(self, cluster_id: str, purpose: Purpose = "tracing") -> Cluster | None:
        """A cluster by its id or an alias, with every URL and its representative for a purpose (R059-R061)."""
        found = await self.clusters.members(cluster_id)
        if found is None:
            return None
        chosen = representative([await self._candidate(member.snapshot_id) for member in found.members], purpose)
        return Cluster(
            id=found.id,
            params=self.params,
            rules=RULES,
            leader_text_sha256=found.leader_text_sha256,
            members=found.members,
            representative_source_id=chosen.source_id,
            representative_reason=chosen.reason,
            edges=tuple(await self.clusters.edges(found.id)),
            aliases=found.aliases,
        )

    async def source_facts(self, normalized_url: str) -> SourceFacts:
        """What independence looks at: a source and the clusters of all texts that it ever had."""
        identity = source_id(normalized_url)
        return SourceFacts(identity, normalized_url, await self.clusters.clusters_of_source(identity))

    async def standing(
        self, line: SnapshotLine, *, manual: Sequence[ManualGroup] = (), decisions_sequence: int = 0
    ) -> Standing:
        """Cluster, tier and group of a snapshot as they are known now, for its leaf."""
        snapshot = line.snapshot
        text = snapshot.text_sha256
        facts = await self.source_facts(snapshot.normalized_url)
        shared = [cluster for cluster in facts.cluster_ids if await self._is_shared(cluster, facts.source_id)]
        tier = self.tiers.verdict(snapshot.normalized_url)
        return Standing(
            cluster_id=await self.clusters.cluster_of(text) if text is not None and snapshot.citeable else None,
            tier=tier,
            group=group_at_publication(facts, shared, manual),
            decisions_sequence=decisions_sequence,
            policies=tuple(sorted({tier.policy, self.params, RULES, suffix_policy_id()})),
        )

    async def _is_shared(self, cluster_id: str, source: str) -> bool:
        found = await self.clusters.members(cluster_id)
        return found is not None and any(member.source_id != source for member in found.members)

    async def _candidate(self, snapshot_id: str) -> Candidate:
        line = await self.catalog.snapshot(snapshot_id)
        if line is None:
            raise RetryableError(
                "the catalog does not know a snapshot whose text is clustered",
                where=snapshot_id,
                next_step="wait until the catalog is rebuilt, or run `citevault rebuild`",
            )
        snapshot = line.snapshot
        return Candidate(
            source_id=snapshot.source_id,
            snapshot_id=snapshot.id,
            tier=self.tiers.verdict(snapshot.normalized_url).tier,
            published_at=snapshot.published_at,
            retrieved_at=snapshot.retrieved_at,
        )
