"""Why a source is in its independence group, and whether two sources count as one (`citevault groups explain`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.ids import source_id
from schemas.records.independence import IndependenceGroup
from workers.dedup.independence import (
    IndependenceError,
    ManualGroup,
    SourceFacts,
    group_at_publication,
    independence_groups,
)
from workers.dedup.site import site_of
from workers.dedup.suffixes import registered_by, suffix_policy_id
from workers.errors import PermanentError
from workers.ports import Catalog, ClusterState


@dataclass(frozen=True, slots=True)
class SharedCluster:
    """A cluster of a source's texts, and what else is in it."""

    cluster_id: str
    others: tuple[str, ...]
    """URLs of other sources in it, sorted."""


@dataclass(frozen=True, slots=True)
class ExplainedGroup:
    """One source by its own relations."""

    source_id: str
    url: str
    group: str
    site: str
    domain: str
    """The registrable domain of its host, whose sources count as one; empty: there is none, and the site counts."""
    domain_list: str
    """The list of public suffixes that says so."""
    clusters: tuple[SharedCluster, ...]
    manual: ManualGroup | None
    overridden: str | None
    """The group that it would have without the manual record (X34)."""


@dataclass(frozen=True, slots=True)
class GroupReader:
    clusters: ClusterState
    catalog: Catalog
    manual: Sequence[ManualGroup]

    async def explain(self, normalized_url: str) -> ExplainedGroup:
        """The group of a source and everything that speaks for it: manual, then clusters, then its site."""
        facts = await self.facts(normalized_url)
        shared = [await self._shared(cluster, facts.source_id) for cluster in sorted(facts.cluster_ids)]
        joining = [cluster.cluster_id for cluster in shared if cluster.others]
        manual = next((one for one in self.manual if facts.source_id in one.source_ids and not one.is_rest), None)
        derived = group_at_publication(facts, joining)
        return ExplainedGroup(
            source_id=facts.source_id,
            url=normalized_url,
            group=derived if manual is None else f"manual:{manual.name}",
            site=site_of(normalized_url),
            domain=registered_by(normalized_url) or "",
            domain_list=suffix_policy_id(),
            clusters=tuple(shared),
            manual=manual,
            overridden=None if manual is None else derived,
        )

    async def together(self, urls: Sequence[str]) -> tuple[IndependenceGroup, ...]:
        """The groups of these sources where all are cited together, as a bundle counts them."""
        groups = independence_groups([await self.facts(url) for url in urls], self.manual)
        if isinstance(groups, IndependenceError):
            raise PermanentError(groups.message, where=groups.subject, next_step="see `citevault groups list`")
        return groups

    async def facts(self, normalized_url: str) -> SourceFacts:
        """What the rules look at."""
        identity = source_id(normalized_url)
        return SourceFacts(identity, normalized_url, await self.clusters.clusters_of_source(identity))

    async def _shared(self, cluster_id: str, source: str) -> SharedCluster:
        members = await self.clusters.members(cluster_id)
        others: set[str] = set()
        for member in members.members if members is not None else ():
            line = await self.catalog.snapshot(member.snapshot_id) if member.source_id != source else None
            if line is not None:
                others.add(line.snapshot.normalized_url)
        return SharedCluster(cluster_id, tuple(sorted(others)))
