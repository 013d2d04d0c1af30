"""Verdicts as they were written down: found again in the objects of the cluster log.

Redis holds confirmed edges only; why a pair was refused stands in the store, in the object of a segment that showed
one of the two texts, or in one that belongs to no segment (`rejudge.py`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from schemas import keys
from schemas.records.cluster import ClusterDecision, EdgeVerdict
from workers.dedup.confirm import EARLIER, RULES
from workers.flows.ahead import read_ahead
from workers.flows.cluster_log import find_log, log_order, read_log
from workers.ports import Catalog, ClusterState, ObjectStore


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """A verdict, and where it stands in the log."""

    verdict: EdgeVerdict
    sequence: int
    at: str
    key: str


@dataclass(frozen=True, slots=True)
class StoredVerdicts:
    """All verdicts on a pair, the one that counts last."""

    found: tuple[StoredVerdict, ...]
    left_out: int
    """Candidate pairs that nobody looked at, in the objects that were read."""


async def verdicts_on(
    one: str, other: str, *, store: ObjectStore, catalog: Catalog, clusters: ClusterState, params: str
) -> StoredVerdicts:
    """Every verdict on two texts, in the order of the log."""
    pair = min(one, other), max(one, other)
    objects = [key for rules in (*EARLIER, RULES) async for key in store.list(f"clusters/{params}/{rules}/")]
    for text in pair:
        for member in await clusters.snapshots_of_text(text):
            line = await catalog.snapshot(member.snapshot_id)
            if line is not None:
                objects.append(keys.clusters(params, line.snapshot.extractor or "", line.segment_id))
    found: list[StoredVerdict] = []
    left_out = 0
    async for key, log in read_ahead(sorted(set(objects)), lambda key: find_log(store, key), at_once=4):
        if log is None:
            continue
        left_out += log.head.pairs_left_out
        found += [
            StoredVerdict(verdict, log.head.sequence, log.head.at, key)
            for verdict in log.verdicts
            if (verdict.a, verdict.b) == pair
        ]
    return StoredVerdicts(tuple(sorted(found, key=lambda stored: (stored.sequence, stored.key))), left_out)


async def history_of(
    names: frozenset[str], *, store: ObjectStore, params: str
) -> AsyncIterator[tuple[int, ClusterDecision]]:
    """Every decision on one of these ids, with its place in the log, in order. Reads the whole log."""
    order = await log_order(store, params, keep=_nothing)
    async for _, log in read_ahead([key for key, _ in order], lambda key: read_log(store, key), at_once=4):
        for decision in log.decisions:
            if decision.cluster_id in names or decision.other in names:
                yield log.head.sequence, decision


async def _nothing() -> None:
    return None
