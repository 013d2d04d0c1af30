"""What follows from new verdicts: the partition around them, and the decisions that lead to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from schemas.ids import cluster_id
from schemas.records.cluster import ClusterDecision, EdgeVerdict
from workers.dedup.clusters import Edge, partition
from workers.dedup.lineage import Births, KnownCluster, decide
from workers.ports import ClusterState, Neighbourhood


async def decisions_on(
    clusters: ClusterState,
    verdicts: Sequence[EdgeVerdict],
    witnesses: Mapping[str, str],
    unsettled: Iterable[str],
    *,
    sequence: int,
    at: str,
) -> list[ClusterDecision]:
    """The decisions that these verdicts bring. `witnesses`: of texts that the state does not know, or knows by a
    later one."""
    ends = {end for verdict in verdicts for end in (verdict.a, verdict.b)}
    around = await clusters.neighbourhood({*witnesses, *ends, *unsettled})
    known = {**around.witnesses, **witnesses}
    parts = partition(known, _edges(around, verdicts))
    taken = await clusters.taken([cluster_id(witness) for witness in known.values()])
    return decide(_known(around), parts, Births(known, taken, sequence), at)


def _edges(around: Neighbourhood, verdicts: Iterable[EdgeVerdict]) -> list[Edge]:
    """The confirmed edges as they stand after these verdicts."""
    edges = dict(around.edges)
    for verdict in verdicts:
        if verdict.confirmed:
            edges[verdict.a, verdict.b] = verdict.figures.shingle_jaccard_ppm
        else:
            edges.pop((verdict.a, verdict.b), None)
    return [Edge(a, b, overlap) for (a, b), overlap in edges.items()]


def _known(around: Neighbourhood) -> list[KnownCluster]:
    texts: dict[str, set[str]] = {cluster: set() for cluster in around.clusters}
    for text, cluster in around.cluster_ids.items():
        texts[cluster].add(text)
    return [
        KnownCluster(cluster, ordinal, leader, frozenset(texts[cluster]))
        for cluster, (ordinal, leader) in around.clusters.items()
    ]
