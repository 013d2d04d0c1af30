"""`text/…`: snapshots become known, and their segments extracted.

What no receipt names is garbage and is passed over. Of several extractors' files for a segment all are read, the last
by name decides.
"""

from __future__ import annotations

from dataclasses import replace

from scheduler.rebuild.work import Restoration
from workers.catalog.snapshot_files import MAX_FILE_BYTES, BriefLine, brief_lines


async def restore(work: Restoration) -> None:
    """Snapshot files. A damaged one leaves its segment where its receipt put it."""
    store = work.ports.store
    prints = await by_segment(work, "prints/")
    found = sorted([key async for key in store.list("text/") if key.endswith(".jsonl.gz")])

    async def lines_of(key: str) -> list[BriefLine]:
        return brief_lines(await store.get(key, limit=MAX_FILE_BYTES), key)

    wanted = [key for key in found if segment_of(key) in work.entries]
    async for key, lines in work.each("snapshot files", wanted, lines_of):
        entry = work.entries[segment_of(key)]
        await work.ports.catalog.add_snapshots(key, lines)
        entry = replace(entry, stage="extracted", snapshots_key=key, prints_key=prints.get(entry.segment_id, ""))
        work.entries[entry.segment_id] = entry
        work.rebuilt.snapshots += len(lines)
    for entry in work.entries.values():
        await work.ports.ledger.advance(entry)


async def by_segment(work: Restoration, prefix: str) -> dict[str, str]:
    """The last key by name for each segment under a prefix."""
    return {segment_of(key): key for key in sorted([key async for key in work.ports.store.list(prefix)])}


def segment_of(key: str) -> str:
    """The segment that an object of a later stage is about."""
    return key.rpartition("/")[2].removesuffix(".jsonl.gz")
