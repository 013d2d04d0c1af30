"""Servers whose word on their content's digest does not hold (RFC 9530, RFC 3230): read from snapshot lines.

It is recorded where a page is extracted (`workers/extract/server_digests.py`) and judges nothing; whoever wonders why
two fetches differ, or trusts a server's word, has to hear of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from scheduler.outcomes import Remark
from schemas.records.snapshot import ServerDigest, SnapshotLine
from workers.flows.ahead import read_ahead
from workers.flows.documents import MAX_OBJECT_BYTES, parse
from workers.packed import unpack
from workers.ports import ObjectStore, SegmentEntry

MOST_REMARKS: Final = 1_000
_DISAGREES: Final = b'"agrees":false'
"""As canonical JSON has it. Looking for that is some fifty times as fast as reading each line."""


async def digest_remarks(store: ObjectStore, entries: Sequence[SegmentEntry]) -> list[Remark]:
    """A remark on each claim that does not hold, of the segments that are extracted; 1,000 at most."""
    keys = [entry.snapshots_key for entry in entries if entry.snapshots_key]
    found: list[Remark] = []
    async for _, remarks in read_ahead(keys, lambda key: _remarks(store, key), at_once=4):
        found += remarks
        if len(found) >= MOST_REMARKS:
            return found[:MOST_REMARKS]
    return found


def verdict_in_words(claim: ServerDigest) -> str:
    """Whether a claim holds, such as `content-digest sha-256: agrees`."""
    name = claim.field if claim.algorithm is None else f"{claim.field} {claim.algorithm}"
    if claim.agrees is None:
        return f"{name}: not compared, {claim.reason or 'no reason is recorded'}"
    if claim.agrees:
        return f"{name}: agrees"
    return f"{name}: is not that of what came (changed on its way, or computed wrongly by the server)"


async def _remarks(store: ObjectStore, key: str) -> list[Remark]:
    return await asyncio.to_thread(_disagreeing, await store.get(key, limit=MAX_OBJECT_BYTES), key)


def _disagreeing(data: bytes, key: str) -> list[Remark]:
    lines = [line for line in unpack(data, key) if _DISAGREES in line]
    return [
        Remark(found.requested_url, f"{found.final_url[:200]}: {verdict_in_words(claim)}")
        for found in (parse(line, SnapshotLine, key).snapshot for line in lines)
        for claim in found.server_digests
        if claim.agrees is False
    ]
