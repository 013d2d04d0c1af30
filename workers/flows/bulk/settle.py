"""Step 4: segment by segment the object of the cluster log, the state, the index of candidates, the ledger.

This is what clustering a segment by itself does, but that its verdicts are at hand. The lock is held for one segment
at a time, so that workers go on beside it; what they have clustered meanwhile is taken as it is, and a pair with a
text that the run did not gather is looked at here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from schemas import keys
from schemas.records.cluster import EdgeVerdict, Fingerprint
from schemas.records.snapshot import SnapshotLine
from workers.dedup.log import ClusterLog
from workers.flows.bulk.look import read_verdicts
from workers.flows.bulk.plan import Planned
from workers.flows.cluster import ClusterPorts, apply_log, followed, log_of, write_down
from workers.flows.cluster_lock import ClusterLock, cluster_lock
from workers.flows.cluster_log import find_log
from workers.flows.cluster_looking import Looks, Pair, pairs_of, seen_of
from workers.flows.documents import read_lines_object
from workers.ports import ClusterPosition


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of one segment."""

    texts: int
    verdicts: int
    confirmed: int


async def settle(planned: Planned, place: int, left_out: int, ports: ClusterPorts, folder: Path) -> Settled:
    """One segment of the plan, at this place of it. Again is harmless."""
    assert planned.entry is not None, "only what waits is settled"
    extractor = keys.extractor_of(planned.snapshots_key)
    key = keys.clusters(ports.params, extractor, planned.segment_id)
    async with cluster_lock(ports.clusters, ports.clock) as lock:
        position = await followed(ports, lock, key)
        log = await find_log(ports.store, key)
        if log is None:
            log = await _log(planned, read_verdicts(folder, place), left_out, ports, lock, position)
            log = await write_down(ports, lock, key, log)
        await apply_log(ports, lock, log)
    await ports.ledger.advance(replace(planned.entry, stage="clustered", clusters_key=key))
    return Settled(
        texts=len({member.text_sha256 for member in log.head.members}),
        verdicts=len(log.verdicts),
        confirmed=sum(verdict.confirmed for verdict in log.verdicts),
    )


async def _log(
    planned: Planned,
    verdicts: list[EdgeVerdict],
    left_out: int,
    ports: ClusterPorts,
    lock: ClusterLock,
    position: ClusterPosition,
) -> ClusterLog:
    lines = await read_lines_object(ports.store, planned.snapshots_key, SnapshotLine)
    prints = await read_lines_object(ports.store, planned.prints_key, Fingerprint) if planned.prints_key else []
    seen = await seen_of(ports.clusters, lines)
    judged: set[Pair] = {(verdict.a, verdict.b) for verdict in verdicts}
    told = await pairs_of(ports.clusters, ports.candidates, prints, seen)
    missed = [pair for pair in told if pair not in judged] if not left_out else []
    if missed:
        looks = Looks(ports.store, ports.catalog, lines)
        verdicts = sorted(
            [*verdicts, *await looks.at(missed, seen.witnesses, lock.keep)], key=lambda verdict: (verdict.a, verdict.b)
        )
    await lock.keep()
    witnesses = {text: seen.witnesses[text] for text in seen.to_judge}
    segment = planned.segment_id
    return await log_of(ports, position, keys.extractor_of(planned.snapshots_key), segment, verdicts, witnesses,
                        seen.members, left_out)  # fmt: skip
