"""How much two snapshots say in common: the share of word runs, exact, as near-duplicates are confirmed by it."""

from __future__ import annotations

import asyncio

from schemas.records.snapshot import SnapshotLine
from workers.dedup.shingles import shingle
from workers.flows.reading import read_text
from workers.ports import ObjectStore

WHOLE = 1_000_000


async def overlap_ppm(store: ObjectStore, one: SnapshotLine, other: SnapshotLine) -> int | None:
    """Jaccard overlap of their shingles, in parts per million. None: one has no text, is taken down, or they are cut
    by different rules."""
    digest = one.snapshot.text_sha256
    if digest is not None and digest == other.snapshot.text_sha256:
        return WHOLE
    first, second = await read_text(store, one), await read_text(store, other)
    if first is None or second is None:
        return None
    return await asyncio.to_thread(_overlap, first, second)


def _overlap(first: str, second: str) -> int | None:
    one, other = shingle(first), shingle(second)
    if one.params != other.params or not (one.values or other.values):
        return None
    shared = len(one.values & other.values)
    return shared * WHOLE // (len(one.values) + len(other.values) - shared)
