"""The compaction log: one entry a new file, in the order in which they were made. Who is next decides the store: an
entry is created under the number after the last one, and who loses reads the winner's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from schemas import keys
from schemas.records.compaction import Compaction
from workers.errors import CorruptError, ObjectMissingError
from workers.flows.documents import read_object
from workers.flows.numbered import is_end
from workers.ports import Catalog, ObjectStore

READ_AHEAD: Final = 8


async def compactions_after(store: ObjectStore, sequence: int = 0) -> AsyncIterator[Compaction]:
    """The entries after this one, in order. CorruptError where one cannot be read, or is gone: what comes after it may
    rest on it, and what it and later ones name is no garbage."""
    number = sequence + 1
    ahead = 1  # most often there is none, or one
    while True:
        some = await asyncio.gather(*(_entry(store, number + step) for step in range(ahead)))
        for entry in some:
            if entry is None:
                break
            yield entry
            number += 1
        else:
            ahead = READ_AHEAD
            continue
        if await is_end(store, keys.COMPACTIONS, number - 1, keys.compaction):
            return


async def follow(store: ObjectStore, catalog: Catalog) -> int:
    """Let the catalog know of all entries; the number of the last one."""
    last = await catalog.compacted()
    async for entry in compactions_after(store, last):
        await catalog.add_compaction(entry)
        last = entry.sequence
    return last


async def _entry(store: ObjectStore, number: int) -> Compaction | None:
    key = keys.compaction(number)
    try:
        entry = await read_object(store, key, Compaction)
    except ObjectMissingError:
        return None
    if entry.sequence != number:
        raise CorruptError(
            f"an entry of the compaction log says that it is number {entry.sequence}",
            where=key,
            next_step="restore the object from a copy of the bucket",
        )
    return entry
