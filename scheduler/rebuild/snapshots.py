"""`text/…`: snapshots become known, and their segments extracted.

What no receipt names is garbage and is passed over. Of several extractors' files for a segment all are read, and the
one that was made first decides, with the fingerprints of the same extractor: what is published and cited rests on it,
and what `citevault reprocess` adds later stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scheduler.rebuild.work import Restoration
from schemas import keys
from workers.catalog.snapshot_files import MAX_FILE_BYTES, BriefLine, brief_lines, split_lines
from workers.flows.documents import beside

Place = tuple[str, str]
"""Extractor and segment, which name an object of a later stage."""


@dataclass(frozen=True, slots=True)
class _File:
    key: str
    lines: Sequence[BriefLine]

    @property
    def age(self) -> tuple[str, str]:
        """Sorts by when it was made; one without lines says nothing, and comes first."""
        return max((line.extracted_at or "" for line in self.lines), default=""), self.key


async def restore(work: Restoration) -> None:
    """Snapshot files. A damaged one leaves its segment where its receipt or an older file put it."""
    store = work.ports.store
    found = [key async for key in store.list("text/") if key.endswith(".jsonl.gz")]
    wanted = sorted((key for key in found if segment_of(key) in work.entries), key=segment_of)
    prints = await by_place(work, "prints/")

    async def lines_of(key: str) -> list[BriefLine]:
        return brief_lines(await beside(split_lines, await store.get(key, limit=MAX_FILE_BYTES), key), key)

    of_one: list[_File] = []
    async for key, lines in work.each("snapshot files", wanted, lines_of):
        if of_one and segment_of(of_one[0].key) != segment_of(key):
            await _fold(work, of_one, prints)
            of_one = []
        of_one.append(_File(key, lines))
    if of_one:
        await _fold(work, of_one, prints)
    for entry in work.entries.values():
        await work.ports.ledger.advance(entry)


async def _fold(work: Restoration, files: Sequence[_File], prints: dict[Place, str]) -> None:
    """All files of one segment, the oldest last: of one snapshot the last that the catalog hears of counts."""
    for file in sorted(files, key=lambda file: file.age, reverse=True):
        await work.ports.catalog.add_snapshots(file.key, file.lines)
        work.rebuilt.snapshots += len(file.lines)
        work.said.add_lines(file.lines)
        entry = work.entries[segment_of(file.key)]
        if entry.follows and entry.segment_id not in work.linked:
            continue  # it is extracted once its links are taken: the sweep sends it again
        work.entries[entry.segment_id] = replace(
            entry, stage="extracted", snapshots_key=file.key, prints_key=prints.get(place_of(file.key), "")
        )


async def by_place(work: Restoration, prefix: str) -> dict[Place, str]:
    """Keys under a prefix by what they are about. Of several parameters the last by name."""
    return {place_of(key): key for key in sorted([key async for key in work.ports.store.list(prefix)])}


def place_of(key: str) -> Place:
    """The extractor and the segment of an object of a later stage."""
    return keys.extractor_of(key), segment_of(key)


def segment_of(key: str) -> str:
    """The segment that an object of a later stage is about."""
    return key.rpartition("/")[2].removesuffix(".jsonl.gz")
