"""Step 4: segment by segment the object of the cluster log, the state, the index of candidates, the ledger.

This is what clustering a segment by itself does, but that its verdicts are at hand. The lock is held for one segment
at a time, so that workers go on beside it; what they have clustered meanwhile is taken as it is, and a pair with a
text that the run did not gather is looked at here.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from schemas import keys
from schemas.records.cluster import EdgeVerdict, Fingerprint
from schemas.records.snapshot import SnapshotLine
from workers.dedup.log import ClusterLog
from workers.errors import RetryableError
from workers.flows.bulk.look import read_verdicts
from workers.flows.bulk.plan import Planned
from workers.flows.cluster import ClusterPorts, apply_log, followed, log_of, write_down
from workers.flows.cluster_lock import ClusterLock, cluster_lock
from workers.flows.cluster_log import find_log
from workers.flows.cluster_looking import Looks, Pair, pairs_of, seen_of
from workers.flows.documents import parse_lines, read_packed
from workers.ports import ClusterPosition


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of one segment."""

    texts: int
    verdicts: int
    confirmed: int


@dataclass(frozen=True, slots=True)
class Given:
    """What a segment is settled from. Nothing of it changes, so it is read before the lock is held."""

    verdicts: list[EdgeVerdict]
    lines: list[SnapshotLine]
    prints: list[Fingerprint]


async def given_of(planned: Planned, place: int, ports: ClusterPorts, folder: Path) -> Given | None:
    """Of a segment at this place of the plan. None: its object stands already, as after a run that was killed."""
    if await ports.store.info(_key(planned, ports)) is not None:
        return None
    lines = await read_packed(ports.store, planned.snapshots_key)
    prints = await read_packed(ports.store, planned.prints_key) if planned.prints_key else []
    return await asyncio.to_thread(_parsed, planned, place, folder, lines, prints)


def _parsed(planned: Planned, place: int, folder: Path, lines: list[bytes], prints: list[bytes]) -> Given:
    return Given(
        read_verdicts(folder, place),
        parse_lines(lines, SnapshotLine, planned.snapshots_key),
        parse_lines(prints, Fingerprint, planned.prints_key),
    )


async def settle(planned: Planned, given: Given | None, left_out: int, ports: ClusterPorts) -> Settled:
    """One segment of the plan. Again is harmless. RetryableError where its object stood, and stands no more."""
    assert planned.entry is not None, "only what waits is settled"
    key = _key(planned, ports)
    async with cluster_lock(ports.clusters, ports.clock) as lock:
        position = await followed(ports, lock, key)
        log = await find_log(ports.store, key)
        if log is None:
            if given is None:
                raise RetryableError("an object of the cluster log has gone", where=key, next_step="run it again")
            log = await _log(planned, given, left_out, ports, lock, position)
            log = await write_down(ports, lock, key, log)
        await apply_log(ports, lock, log)
    await ports.ledger.advance(replace(planned.entry, stage="clustered", clusters_key=key))
    return Settled(
        texts=len({member.text_sha256 for member in log.head.members}),
        verdicts=len(log.verdicts),
        confirmed=sum(verdict.confirmed for verdict in log.verdicts),
    )


def _key(planned: Planned, ports: ClusterPorts) -> str:
    return keys.clusters(ports.params, keys.extractor_of(planned.snapshots_key), planned.segment_id)


async def _log(
    planned: Planned,
    given: Given,
    left_out: int,
    ports: ClusterPorts,
    lock: ClusterLock,
    position: ClusterPosition,
) -> ClusterLog:
    verdicts = given.verdicts
    seen = await seen_of(ports.clusters, given.lines)
    judged: set[Pair] = {(verdict.a, verdict.b) for verdict in verdicts}
    told = await pairs_of(ports.clusters, ports.candidates, given.prints, seen)
    missed = [pair for pair in told if pair not in judged] if not left_out else []
    if missed:
        looks = Looks(ports.store, ports.catalog, given.lines)
        verdicts = sorted(
            [*verdicts, *await looks.at(missed, seen.witnesses, lock.keep)], key=lambda verdict: (verdict.a, verdict.b)
        )
    await lock.keep()
    witnesses = {text: seen.witnesses[text] for text in seen.to_judge}
    segment = planned.segment_id
    return await log_of(ports, position, keys.extractor_of(planned.snapshots_key), segment, verdicts, witnesses,
                        seen.members, left_out)  # fmt: skip
