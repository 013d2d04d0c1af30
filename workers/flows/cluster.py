"""Clustering one extracted segment: candidates, a look at both texts, verdicts, decisions, commit.

Deciding is serial by a lock, since ids depend on the order of births; the partition does not, and the look at texts,
which takes the time, is done before (`cluster_looking.py`). The order of writes: note the object that is about to be
written, the object with `If-None-Match: *` (it commits, and what stands in it wins over any second computation), the
state, the ledger. Whoever finds a noted object that nobody applied applies it first.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from schemas import keys
from schemas.ids import utc_string
from schemas.messages import ClusterSegment
from schemas.records.cluster import ClusterMember, EdgeVerdict, Fingerprint
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from workers.dedup.confirm import RULES
from workers.dedup.log import ClusterHead, ClusterLog
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.errors import RetryableError
from workers.flows.cluster_deciding import decisions_on
from workers.flows.cluster_lock import ClusterLock, cluster_lock
from workers.flows.cluster_log import Park, Told, change_of, commit_log, find_log, load, refuse, told_nobody
from workers.flows.cluster_looking import MAX_PAIRS, Ahead, Looks, SegmentTexts, pairs_of, seen_of
from workers.flows.documents import read_lines_object, read_object
from workers.ports import (
    CandidateIndex,
    Catalog,
    Clock,
    ClusterPosition,
    ClusterState,
    Ledger,
    ObjectStore,
    SegmentEntry,
)

LOG = logging.getLogger(__name__)


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
    log = await find_log(ports.store, clusters_key)
    texts = await _texts(ports.store, message) if log is None else SegmentTexts((), ())
    looks = Looks(ports.store, ports.catalog, texts.lines)
    ahead = Ahead(ports.clusters, ports.candidates, texts, looks)
    if log is None:
        await ahead.start()
    async with cluster_lock(ports.clusters, ports.clock, ahead.go_on) as lock:
        position = await followed(ports, lock, clusters_key)
        log = log or await find_log(ports.store, clusters_key)
        if log is None:
            log = await _cluster(extractor, receipt.segment_id, texts, looks, ports, lock, position)
            log = await write_down(ports, lock, clusters_key, log)
        await apply_log(ports, lock, log)
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


async def load_clusters(
    ports: ClusterPorts, *, again: bool = False, park: Park = refuse, told: Told = told_nobody
) -> int | None:
    """Build the state from the store where it is not loaded, or `again` in any case; how many objects were read,
    None where nothing was to be done. Called before the first clustering, and by a rebuild, which parks what is
    damaged, and is `told` of each change that is followed."""
    async with cluster_lock(ports.clusters, ports.clock) as lock:
        if not again and await ports.clusters.position() is not None:
            return None
        return await _load(ports, lock, park, told)


# --- following the log ------------------------------------------------------------------------


async def followed(ports: ClusterPorts, lock: ClusterLock, own_key: str) -> ClusterPosition:
    """The state's position once everything that is known to be written is applied."""
    position = await ports.clusters.position()
    if position is None:
        await _load(ports, lock)
        position = await ports.clusters.position()
    if position is not None and position.pending and position.pending != own_key:
        left = await find_log(ports.store, position.pending)
        if left is not None:
            await apply_log(ports, lock, left)
            position = await ports.clusters.position()
    if position is None:
        raise RetryableError("the cluster state was lost while it was read", where="clusters", next_step="try again")
    return position


async def _load(ports: ClusterPorts, lock: ClusterLock, park: Park = refuse, told: Told = told_nobody) -> int:
    return await load(
        ports.store,
        ports.clusters,
        ports.candidates,
        lock.token,
        params=ports.params,
        keep=lock.keep,
        park=park,
        told=told,
    )


async def write_down(ports: ClusterPorts, lock: ClusterLock, clusters_key: str, log: ClusterLog) -> ClusterLog:
    """Note the object, write it, or find the one that was there first."""
    lock.check(await ports.clusters.intend(lock.token, clusters_key))
    return await commit_log(ports.store, clusters_key, log)


async def apply_log(ports: ClusterPorts, lock: ClusterLock, log: ClusterLog) -> None:
    if not await ports.clusters.is_applied(log.name):
        lock.check(await ports.clusters.apply(lock.token, change_of(log)))


# --- one segment ------------------------------------------------------------------------------


async def _texts(store: ObjectStore, message: ClusterSegment) -> SegmentTexts:
    return SegmentTexts(
        await read_lines_object(store, message.snapshots_key, SnapshotLine),
        await read_lines_object(store, message.prints_key, Fingerprint) if message.prints_key else (),
    )


async def _cluster(
    extractor: str,
    segment_id: str,
    texts: SegmentTexts,
    looks: Looks,
    ports: ClusterPorts,
    lock: ClusterLock,
    position: ClusterPosition,
) -> ClusterLog:
    seen = await seen_of(ports.clusters, texts.lines)
    pairs = await pairs_of(ports.clusters, ports.candidates, texts.prints, seen)
    verdicts = await looks.at(pairs[:MAX_PAIRS], seen.witnesses, lock.keep)
    left_out = max(0, len(pairs) - MAX_PAIRS)
    if left_out:
        LOG.warning("pairs left out segment=%s pairs=%d", segment_id, left_out)
    await lock.keep()
    witnesses = {text: seen.witnesses[text] for text in seen.to_judge}
    return await log_of(ports, position, extractor, segment_id, verdicts, witnesses, seen.members, left_out)


async def log_of(
    ports: ClusterPorts,
    position: ClusterPosition,
    extractor: str,
    segment_id: str,
    verdicts: Iterable[EdgeVerdict],
    witnesses: dict[str, str],
    members: Iterable[ClusterMember] = (),
    pairs_left_out: int = 0,
) -> ClusterLog:
    """The object that these verdicts make. `witnesses` are those that the state does not know yet."""
    made = tuple(verdicts)
    sequence, at = position.sequence + 1, utc_string(ports.clock.now())
    decisions = await decisions_on(ports.clusters, made, witnesses, position.unsettled, sequence=sequence, at=at)
    head = ClusterHead(
        schema="citevault/cluster-segment@1",
        segment_id=segment_id,
        extractor=extractor,
        params=ports.params,
        rules=RULES,
        sequence=sequence,
        at=at,
        members=tuple(members),
        pairs_left_out=pairs_left_out,
    )
    return ClusterLog(head, made, tuple(decisions))


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
