"""Whether clusters are what they say: members fit their snapshots, and each has a confirmed edge to the leader (C43).

A cluster that is too small makes copies look independent, so the same text in two clusters is an
error too: the one way to hide a copy that needs no forged edge.
"""

from __future__ import annotations

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.cluster import Cluster
from validator.found import Found
from validator.input import BundleInput


def check_clusters(given: BundleInput, found: Found) -> None:
    """All clusters of the bundle, and the clusters that its sources name."""
    for i, cluster in enumerate(given.bundle.clusters):
        _members(given, cluster, i, found)
        _edges_to_leader(cluster, i, found)
        _representative(given, cluster, i, found)
        _aliases(given, cluster, i, found)
    _sources_are_members(given, found)
    _one_text_one_cluster(given, found)


def _members(given: BundleInput, cluster: Cluster, i: int, found: Found) -> None:
    for j, member in enumerate(cluster.members):
        snapshot = given.snapshots.get(member.snapshot_id)
        if snapshot is None:
            continue  # reported as an unknown reference
        expected = (snapshot.source_id, snapshot.text_sha256)
        if (member.source_id, member.text_sha256) != expected:
            found.add(
                FindingKind.CLUSTER_MEMBER,
                pointer=pointer(("clusters", i, "members", j)),
                ids=(cluster.id, member.snapshot_id),
                expected=f"{expected[0]} {expected[1]}",
                actual=f"{member.source_id} {member.text_sha256}",
            )


def _edges_to_leader(cluster: Cluster, i: int, found: Found) -> None:
    leader = cluster.leader_text_sha256
    confirmed = {
        (edge.a, edge.b)
        for edge in cluster.edges
        if edge.confirmed and edge.a < edge.b and (edge.params, edge.rules) == (cluster.params, cluster.rules)
    }
    for j, member in enumerate(cluster.members):
        pair = (min(leader, member.text_sha256), max(leader, member.text_sha256))
        if member.text_sha256 != leader and pair not in confirmed:
            found.add(
                FindingKind.CLUSTER_UNCONFIRMED,
                pointer=pointer(("clusters", i, "members", j)),
                ids=(cluster.id, member.snapshot_id),
                expected=f"a confirmed edge to {leader}",
            )


def _representative(given: BundleInput, cluster: Cluster, i: int, found: Found) -> None:
    chosen, members = cluster.representative_source_id, sorted({m.source_id for m in cluster.members})
    if chosen in given.sources and chosen not in members:  # else reported as an unknown reference
        found.add(
            FindingKind.CLUSTER_REPRESENTATIVE,
            pointer=pointer(("clusters", i, "representative_source_id")),
            ids=(cluster.id, chosen),
            expected=" or ".join(members),
            actual=chosen,
        )


def _aliases(given: BundleInput, cluster: Cluster, i: int, found: Found) -> None:
    """An id is given once: one that another cluster has cannot be an older name of this one."""
    if not cluster.aliases:
        return
    others = {other.id for other in given.bundle.clusters} - {cluster.id}
    for j, alias in enumerate(cluster.aliases):
        if alias in others:
            found.add(
                FindingKind.CLUSTER_ALIAS, pointer=pointer(("clusters", i, "aliases", j)), ids=(cluster.id, alias)
            )


def _sources_are_members(given: BundleInput, found: Found) -> None:
    members = {(c.id, m.source_id) for c in given.bundle.clusters for m in c.members}
    for i, source in enumerate(given.bundle.sources):
        cluster = None if source.cluster_id is None else given.clusters.get(source.cluster_id)
        if cluster is not None and (cluster.id, source.id) not in members:
            found.add(
                FindingKind.CLUSTER_MEMBER,
                pointer=pointer(("sources", i, "cluster_id")),
                ids=(source.id, cluster.id),
                expected="a cluster that lists a snapshot of this source",
            )


def _one_text_one_cluster(given: BundleInput, found: Found) -> None:
    cluster_of_text: dict[str, str] = {}
    for i, cluster in enumerate(given.bundle.clusters):
        for text in sorted({m.text_sha256 for m in cluster.members}):
            other = cluster_of_text.setdefault(text, cluster.id)
            if other != cluster.id:
                found.add(
                    FindingKind.CLUSTER_SAME_TEXT,
                    pointer=pointer(("clusters", i)),
                    ids=(other, cluster.id),
                    actual=f"text {text} in both",
                )
