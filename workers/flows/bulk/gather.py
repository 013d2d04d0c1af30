"""Step 1: snapshot lines and fingerprints of all segments into the files of `rows.py`. Goes on where it was killed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from schemas.records.cluster import Fingerprint
from schemas.records.snapshot import SnapshotLine
from workers.dedup.fingerprint import signature
from workers.errors import ObjectMissingError
from workers.flows.ahead import read_ahead
from workers.flows.bulk.plan import Planned
from workers.flows.bulk.ports import BulkPorts
from workers.flows.bulk.rows import KINDS, Line, RowWriter
from workers.flows.compact import Progress
from workers.flows.documents import parse_lines, read_lines_object, read_packed
from workers.ports import ObjectStore

SEGMENTS_AHEAD = 3


async def gather(planned: Sequence[Planned], ports: BulkPorts) -> None:
    """One segment after the other, in the order of the plan."""
    writer = RowWriter(ports.folder)
    store = ports.cluster.store
    by_key = {each.snapshots_key: each for each in planned[writer.segments :]}
    try:
        async for _, lines in read_ahead(by_key, lambda key: _lines(store, by_key[key]), at_once=SEGMENTS_AHEAD):
            await asyncio.to_thread(writer.add, lines)
            ports.told(Progress("gathering fingerprints", writer.segments, len(planned), "segments"))
    finally:
        writer.close()


async def _lines(store: ObjectStore, planned: Planned) -> list[Line]:
    """Only what may be cited is clustered."""
    raw = await read_packed(store, planned.snapshots_key)
    signed = {print_.text_sha256: print_ for print_ in await _prints(store, planned.prints_key)}
    found: list[Line] = []
    for line, json in zip(parse_lines(raw, SnapshotLine, planned.snapshots_key), raw, strict=True):
        text = line.snapshot.text_sha256
        if line.snapshot.citeable and text is not None:
            print_ = signed.get(text)
            values = None if print_ is None else signature(print_)
            kind = 0 if print_ is None or values is None else KINDS.index(print_.params) + 1
            found.append(Line(text, line.snapshot.id, json, kind, values))
    return found


async def _prints(store: ObjectStore, key: str) -> list[Fingerprint]:
    try:
        return await read_lines_object(store, key, Fingerprint) if key else []
    except ObjectMissingError:
        return []
