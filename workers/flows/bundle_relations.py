"""What the cited sources have to do with each other: clusters, tiers, independence groups.

A cited version need not be the one that two sources share. So where any of their other snapshots lie in one
cluster and nothing cited unites them, the snapshots that do are taken into the bundle: otherwise quoting an older
version of a copied page would make a second source of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from schemas.records.cluster import Cluster, ClusterMember, EdgeVerdict
from schemas.records.independence import IndependenceGroup
from schemas.records.manifest import Leaf
from schemas.records.snapshot import Snapshot, SnapshotLine
from schemas.records.source import Source
from workers.dedup.confirm import RULES
from workers.dedup.independence import (
    IndependenceError,
    ManualGroup,
    SourceFacts,
    independence_groups,
)
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.dedup.representative import Candidate, representative
from workers.dedup.sighting import witness_order
from workers.dedup.tiers import TierPolicy
from workers.errors import PermanentError, RetryableError
from workers.ports import Catalog, ClusterMembers, ClusterState


@dataclass(frozen=True, slots=True)
class Related:
    """All snapshots of a bundle, sorted by id, and the clusters that they are in."""

    lines: tuple[SnapshotLine, ...]
    cluster_of: Mapping[str, str]
    """Snapshot id to cluster id; snapshots without a verdict are left out."""
    clusters: Mapping[str, ClusterMembers]


async def related(
    cited: Iterable[SnapshotLine], clusters: ClusterState, catalog: Catalog, manual: Sequence[ManualGroup]
) -> Related | IndependenceError:
    """The cited snapshots, with those that unite their sources beside them."""
    lines = {line.snapshot.id: line for line in cited}
    cluster_of: dict[str, str] = {}
    for line in lines.values():
        cluster = await clusters.cluster_of(line.snapshot.text_sha256 or "")
        if cluster is not None:
            cluster_of[line.snapshot.id] = cluster
    known: dict[str, ClusterMembers] = {}
    for cluster_id in sorted(set(cluster_of.values())):
        known[cluster_id] = await _members(clusters, cluster_id)
    for cluster_id, sources in await _shared(clusters, {line.snapshot.source_id for line in lines.values()}):
        groups = independence_groups(_facts(lines.values(), cluster_of), manual)
        if isinstance(groups, IndependenceError):
            return groups
        if not _unites(groups, sources - {record.source_ids[0] for record in manual if record.sets_apart}):
            continue
        members = known.setdefault(cluster_id, await _members(clusters, cluster_id))
        for line in await _witnesses(members, sources, lines, cluster_of, catalog):
            lines[line.snapshot.id] = line
            cluster_of[line.snapshot.id] = cluster_id
    used = set(cluster_of.values())
    return Related(
        tuple(lines[snapshot_id] for snapshot_id in sorted(lines)),
        cluster_of,
        {cluster_id: members for cluster_id, members in known.items() if cluster_id in used},
    )


def bundle_groups(found: Related, manual: Sequence[ManualGroup]) -> tuple[IndependenceGroup, ...] | IndependenceError:
    """The groups as anybody can recompute them from the bundle's own sources and clusters."""
    return independence_groups(_facts(found.lines, found.cluster_of), manual)


def bundle_sources(found: Related, tiers: TierPolicy) -> tuple[Source, ...]:
    """One record a source, by its newest snapshot in the bundle; sorted by id."""
    by_source: dict[str, list[Snapshot]] = defaultdict(list)
    for line in found.lines:
        by_source[line.snapshot.source_id].append(line.snapshot)
    return tuple(
        _source(sorted(by_source[source_id], key=_age, reverse=True), found, tiers) for source_id in sorted(by_source)
    )


async def bundle_clusters(
    found: Related, leaves: Mapping[str, Leaf], clusters: ClusterState, tiers: TierPolicy
) -> tuple[Cluster, ...]:
    """Each cluster with its members among the bundle's snapshots, and the confirmed edges between these and the
    leader; sorted by id."""
    records: list[Cluster] = []
    for cluster_id in sorted(found.clusters):
        within = [line.snapshot for line in found.lines if found.cluster_of.get(line.snapshot.id) == cluster_id]
        stands = found.clusters[cluster_id]
        texts = {snapshot.text_sha256 for snapshot in within} | {stands.leader_text_sha256}
        params = leaves[within[0].id].fingerprint_params or PIPELINE_PARAMS
        among = [edge for edge in await clusters.edges(cluster_id) if {edge.a, edge.b} <= texts]
        edges = [edge for edge in among if (edge.params, edge.rules) == (params, RULES)]
        _refuse_older_rules(cluster_id, among)
        chosen = representative([_candidate(snapshot, tiers) for snapshot in within], "specification")
        records.append(
            Cluster(
                id=cluster_id,
                params=params,
                rules=RULES,
                leader_text_sha256=stands.leader_text_sha256,
                members=tuple(
                    ClusterMember(
                        snapshot_id=snapshot.id, source_id=snapshot.source_id, text_sha256=snapshot.text_sha256 or ""
                    )
                    for snapshot in within
                ),
                representative_source_id=chosen.source_id,
                representative_reason=chosen.reason,
                edges=tuple(sorted(edges, key=lambda edge: (edge.a, edge.b))),
                aliases=tuple(sorted(stands.aliases)),
            )
        )
    return tuple(records)


def _refuse_older_rules(cluster_id: str, edges: Iterable[EdgeVerdict]) -> None:
    """A bundle names one version of the rules, by which all of its edges were confirmed."""
    older = sorted({edge.rules for edge in edges if edge.rules != RULES})
    if older:
        raise PermanentError(
            f"sources of the bundle were confirmed as near-duplicates by {', '.join(older)}, and {RULES} is in force",
            where=cluster_id,
            next_step="run `citevault clusters rejudge`, then build the bundle again",
        )


async def _members(clusters: ClusterState, cluster_id: str) -> ClusterMembers:
    members = await clusters.members(cluster_id)
    if members is None:
        raise RetryableError("a cluster has changed meanwhile", where=cluster_id, next_step="try again")
    return members


async def _shared(clusters: ClusterState, sources: Iterable[str]) -> list[tuple[str, frozenset[str]]]:
    """Clusters in which two or more of the sources ever had a text, with these sources; sorted by id."""
    in_cluster: dict[str, set[str]] = defaultdict(set)
    for source_id in sorted(sources):
        for cluster_id in await clusters.clusters_of_source(source_id):
            in_cluster[cluster_id].add(source_id)
    return [(name, frozenset(found)) for name, found in sorted(in_cluster.items()) if len(found) > 1]


def _unites(groups: Sequence[IndependenceGroup], sources: frozenset[str]) -> bool:
    """Whether sources that count apart so far would be one; those that a person set apart are not among them."""
    return sum(1 for group in groups if not sources.isdisjoint(group.source_ids)) > 1


async def _witnesses(
    members: ClusterMembers,
    sources: frozenset[str],
    lines: Mapping[str, SnapshotLine],
    cluster_of: Mapping[str, str],
    catalog: Catalog,
) -> list[SnapshotLine]:
    """For each source that is not seen in the cluster yet, its newest snapshot there."""
    seen = {lines[snapshot].snapshot.source_id for snapshot, cluster in cluster_of.items() if cluster == members.id}
    found: list[SnapshotLine] = []
    newest_first = sorted(members.members, key=lambda member: witness_order(member.snapshot_id), reverse=True)
    for member in newest_first:
        if member.source_id not in sources or member.source_id in seen:
            continue
        line = await catalog.snapshot(member.snapshot_id)
        if line is not None and line.snapshot.citeable and line.snapshot.text_sha256 == member.text_sha256:
            seen.add(member.source_id)
            found.append(line)
    return found


def _facts(lines: Iterable[SnapshotLine], cluster_of: Mapping[str, str]) -> list[SourceFacts]:
    urls: dict[str, str] = {}
    ids: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        urls[line.snapshot.source_id] = line.snapshot.normalized_url
        if line.snapshot.id in cluster_of:
            ids[line.snapshot.source_id].add(cluster_of[line.snapshot.id])
    return [SourceFacts(source_id, url, frozenset(ids[source_id])) for source_id, url in sorted(urls.items())]


def _age(snapshot: Snapshot) -> tuple[str, str]:
    return witness_order(snapshot.id)


def _source(newest_first: Sequence[Snapshot], found: Related, tiers: TierPolicy) -> Source:
    newest = newest_first[0]
    clusters = [found.cluster_of[snapshot.id] for snapshot in newest_first if snapshot.id in found.cluster_of]
    return Source(
        id=newest.source_id,
        normalized_url=newest.normalized_url,
        host=newest.normalized_url.split("/", 3)[2],
        author=newest.author,
        publisher=newest.publisher,
        tier=tiers.verdict(newest.normalized_url),
        cluster_id=clusters[0] if clusters else None,
    )


def _candidate(snapshot: Snapshot, tiers: TierPolicy) -> Candidate:
    return Candidate(
        source_id=snapshot.source_id,
        snapshot_id=snapshot.id,
        tier=tiers.verdict(snapshot.normalized_url).tier,
        published_at=snapshot.published_at,
        retrieved_at=snapshot.retrieved_at,
    )
