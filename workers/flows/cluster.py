"""Clustering one extracted segment: candidates, a look at both texts, verdicts, decisions, commit.

Serial by a lock, since ids depend on the order of births; the partition does not. The order of writes: note the
object that is about to be written, the object with `If-None-Match: *` (it commits, and what stands in it wins over
any second computation), the state, the ledger. Whoever finds a noted object that nobody applied applies it first.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from schemas import keys
from schemas.ids import cluster_id, utc_string
from schemas.messages import ClusterSegment
from schemas.records.cluster import ClusterDecision, ClusterMember, EdgeVerdict, Fingerprint
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from workers.dedup.clusters import Edge, partition
from workers.dedup.confirm import RULES, judge
from workers.dedup.lineage import Births, KnownCluster, decide
from workers.dedup.log import ClusterHead, ClusterLog
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.dedup.sighting import witness_order
from workers.errors import RetryableError
from workers.flows.cluster_lock import ClusterLock, cluster_lock
from workers.flows.cluster_log import Park, change_of, commit_log, find_log, load, refuse
from workers.flows.cluster_texts import Sightings
from workers.flows.documents import read_lines_object, read_object
from workers.ports import (
    CandidateIndex,
    Catalog,
    Clock,
    ClusterPosition,
    ClusterState,
    Ledger,
    Neighbourhood,
    ObjectStore,
    SegmentEntry,
)

LOG = logging.getLogger(__name__)

MAX_PAIRS = 50_000
"""Pairs that one segment may bring to be looked at: some 100 MB of verdicts and a few minutes. A site with
thousands of near-equal pages would need millions; what is left out is counted in the object's head, and there
alone may the partition depend on the order of arrival."""


@dataclass(frozen=True, slots=True)
class ClusterPorts:
    store: ObjectStore
    catalog: Catalog
    ledger: Ledger
    candidates: CandidateIndex
    clusters: ClusterState
    clock: Clock
    params: str = PIPELINE_PARAMS


@dataclass(frozen=True, slots=True)
class ClusteredSegment:
    """What became of a segment."""

    segment_id: str
    clusters_key: str
    texts: int
    verdicts: int
    confirmed: int
    decisions: int
    pairs_left_out: int


async def cluster_segment(message: ClusterSegment, ports: ClusterPorts) -> ClusteredSegment:
    """Cluster the texts of one segment. Again is harmless. RetryableError where another worker holds the lock."""
    receipt = await read_object(ports.store, message.receipt_key, Receipt)
    extractor = keys.extractor_of(message.snapshots_key)
    clusters_key = keys.clusters(ports.params, extractor, receipt.segment_id)
    async with cluster_lock(ports.clusters, ports.clock) as lock:
        position = await _followed(ports, lock, clusters_key)
        log = await find_log(ports.store, clusters_key)
        if log is None:
            log = await _cluster(message, receipt.segment_id, ports, lock, position)
            lock.check(await ports.clusters.intend(lock.token, clusters_key))
            log = await commit_log(ports.store, clusters_key, log)
        await _apply(ports, lock, log)
    await ports.ledger.advance(
        SegmentEntry(
            segment_id=receipt.segment_id,
            job_id=receipt.job_id,
            lane=receipt.lane,
            stage="clustered",
            receipt_key=message.receipt_key,
            snapshots_key=message.snapshots_key,
            prints_key=message.prints_key,
            clusters_key=clusters_key,
        )
    )
    return _summary(log, clusters_key)


async def load_clusters(ports: ClusterPorts, *, again: bool = False, park: Park = refuse) -> int | None:
    """Build the state from the store where it is not loaded, or `again` in any case; how many objects were read,
    None where nothing was to be done. Called before the first clustering, and by a rebuild, which parks what is
    damaged."""
    async with cluster_lock(ports.clusters, ports.clock) as lock:
        if not again and await ports.clusters.position() is not None:
            return None
        return await _load(ports, lock, park)


# --- following the log ------------------------------------------------------------------------


async def _followed(ports: ClusterPorts, lock: ClusterLock, own_key: str) -> ClusterPosition:
    """The state's position once everything that is known to be written is applied."""
    position = await ports.clusters.position()
    if position is None:
        await _load(ports, lock)
        position = await ports.clusters.position()
    if position is not None and position.pending and position.pending != own_key:
        left = await find_log(ports.store, position.pending)
        if left is not None:
            await _apply(ports, lock, left)
            position = await ports.clusters.position()
    if position is None:
        raise RetryableError("the cluster state was lost while it was read", where="clusters", next_step="try again")
    return position


async def _load(ports: ClusterPorts, lock: ClusterLock, park: Park = refuse) -> int:
    return await load(
        ports.store, ports.clusters, ports.candidates, lock.token, params=ports.params, keep=lock.keep, park=park
    )


async def _apply(ports: ClusterPorts, lock: ClusterLock, log: ClusterLog) -> None:
    if not await ports.clusters.is_applied(log.name):
        lock.check(await ports.clusters.apply(lock.token, change_of(log)))


# --- deciding ---------------------------------------------------------------------------------


@dataclass(slots=True)
class _Seen:
    """What the segment shows: its citeable snapshots, and who witnesses each text now."""

    lines: dict[str, SnapshotLine]
    members: list[ClusterMember]
    witnesses: dict[str, str]
    to_judge: list[str] = field(default_factory=list)
    """Texts that are new, or have a new witness, sorted."""


async def _cluster(
    message: ClusterSegment, segment_id: str, ports: ClusterPorts, lock: ClusterLock, position: ClusterPosition
) -> ClusterLog:
    seen = await _seen(ports, await read_lines_object(ports.store, message.snapshots_key, SnapshotLine))
    pairs = await _pairs(ports, message.prints_key, seen)
    await _find_witnesses(ports, pairs, seen)
    verdicts, left_out = await _verdicts(ports, lock, pairs, seen)
    await lock.keep()
    sequence, at = position.sequence + 1, utc_string(ports.clock.now())
    ends = {end for verdict in verdicts for end in (verdict.a, verdict.b)}
    around = await ports.clusters.neighbourhood({*seen.to_judge, *ends, *position.unsettled})
    decisions = await _decisions(ports, around, verdicts, seen, sequence, at)
    if left_out:
        LOG.warning("pairs left out segment=%s pairs=%d", segment_id, left_out)
    head = ClusterHead(
        schema="citevault/cluster-segment@1",
        segment_id=segment_id,
        extractor=keys.extractor_of(message.snapshots_key),
        params=ports.params,
        rules=RULES,
        sequence=sequence,
        at=at,
        members=tuple(seen.members),
        pairs_left_out=left_out,
    )
    return ClusterLog(head, tuple(verdicts), tuple(decisions))


async def _seen(ports: ClusterPorts, lines: Iterable[SnapshotLine]) -> _Seen:
    """Only what may be cited is clustered: error pages and walls would make strangers one story."""
    citeable = [line for line in lines if line.snapshot.citeable]
    members = [
        ClusterMember(
            snapshot_id=line.snapshot.id, source_id=line.snapshot.source_id, text_sha256=line.snapshot.text_sha256
        )
        for line in citeable
        if line.snapshot.text_sha256 is not None
    ]
    members.sort(key=lambda member: member.snapshot_id)
    known = await ports.clusters.witnesses(sorted({member.text_sha256 for member in members}))
    witnesses = dict(known)
    for member in members:
        now = witnesses.get(member.text_sha256)
        if now is None or witness_order(member.snapshot_id) < witness_order(now):
            witnesses[member.text_sha256] = member.snapshot_id
    changed = sorted(text for text, witness in witnesses.items() if known.get(text) != witness)
    return _Seen({line.snapshot.id: line for line in citeable}, members, witnesses, changed)


async def _pairs(ports: ClusterPorts, prints_key: str, seen: _Seen) -> list[tuple[str, str]]:
    """Candidate pairs, each once and sorted. A text whose witness has changed is judged again with all of its
    candidates, so that verdicts do not depend on which capture was worked through first."""
    prints = await read_lines_object(ports.store, prints_key, Fingerprint) if prints_key else []
    wanted = set(seen.to_judge)
    found = await ports.candidates.insert([print_ for print_ in prints if print_.text_sha256 in wanted])
    return sorted({(min(text, other), max(text, other)) for text, others in found.items() for other in others})


async def _find_witnesses(ports: ClusterPorts, pairs: Sequence[tuple[str, str]], seen: _Seen) -> None:
    missing = sorted({text for pair in pairs for text in pair} - seen.witnesses.keys())
    seen.witnesses |= await ports.clusters.witnesses(missing)


async def _verdicts(
    ports: ClusterPorts, lock: ClusterLock, pairs: Sequence[tuple[str, str]], seen: _Seen
) -> tuple[list[EdgeVerdict], int]:
    """A text without a witness is in the index only: its own segment, when it commits, will bring the pair again."""
    sightings = Sightings(ports.store, ports.catalog, seen.lines)
    verdicts: list[EdgeVerdict] = []
    for a, b in pairs[:MAX_PAIRS]:
        if a not in seen.witnesses or b not in seen.witnesses:
            continue
        one, other = await sightings.of(a, seen.witnesses[a]), await sightings.of(b, seen.witnesses[b])
        if one is not None and other is not None:
            verdicts.append(judge(one, other))
        await lock.keep()
    return verdicts, max(0, len(pairs) - MAX_PAIRS)


async def _decisions(
    ports: ClusterPorts,
    around: Neighbourhood,
    verdicts: Iterable[EdgeVerdict],
    seen: _Seen,
    sequence: int,
    at: str,
) -> list[ClusterDecision]:
    witnesses = {**around.witnesses, **{text: seen.witnesses[text] for text in seen.to_judge}}
    parts = partition(witnesses, _edges(around, verdicts))
    taken = await ports.clusters.taken([cluster_id(witness) for witness in witnesses.values()])
    return decide(_known(around), parts, Births(witnesses, taken, sequence), at)


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


def _summary(log: ClusterLog, clusters_key: str) -> ClusteredSegment:
    summary = ClusteredSegment(
        segment_id=log.head.segment_id,
        clusters_key=clusters_key,
        texts=len({member.text_sha256 for member in log.head.members}),
        verdicts=len(log.verdicts),
        confirmed=sum(verdict.confirmed for verdict in log.verdicts),
        decisions=len(log.decisions),
        pairs_left_out=log.head.pairs_left_out,
    )
    LOG.info(
        "segment clustered segment=%s texts=%d verdicts=%d confirmed=%d decisions=%d",
        summary.segment_id, summary.texts, summary.verdicts, summary.confirmed, summary.decisions,
    )  # fmt: skip
    return summary
