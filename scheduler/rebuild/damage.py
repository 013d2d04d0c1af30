"""Objects that a rebuild could not read: each is told by an object of its own, so that it outlives the next loss of
Redis, and looked up by the epoch that found it.

A later rebuild looks at everything anew. What it can read by then is damaged no more, and needs no word of it.
"""

from __future__ import annotations

import asyncio
from typing import Final, Literal

from pydantic import Field

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.reading import DocumentError, read_document
from schemas.records.base import Count, LongText, Record, ShortText, UtcTime
from workers.errors import CitevaultError
from workers.frontier.epoch import read_epoch
from workers.ports import ObjectStore

MAX_BYTES: Final = 1024 * 1024
MOST_SHOWN: Final = 1000
READS_AT_ONCE: Final = 16


class DamagedObject(Record):
    """`parked/objects/<epoch>/<name>.json`: an object that could not be read when Redis was rebuilt."""

    schema_id: Literal["citevault/damaged-object@1"] = Field(alias="schema")
    key: ShortText
    epoch: Count
    error: LongText
    found_at: UtcTime


async def park_damage(store: ObjectStore, key: str, error: CitevaultError, *, epoch: int, now: str) -> DamagedObject:
    """Tell of a damaged object in the store; again is harmless."""
    found = DamagedObject(
        schema="citevault/damaged-object@1", key=key[:4096], epoch=epoch, error=str(error)[:10_000], found_at=now
    )
    await store.put(keys.damaged(epoch, key), canonical_bytes(found), content_type="application/json")
    return found


async def damaged_objects(store: ObjectStore, *, limit: int = MOST_SHOWN) -> list[DamagedObject]:
    """What the rebuild that began this epoch could not read, by key; `limit` of them at most."""
    epoch = await read_epoch(store)
    if epoch is None:
        return []
    names = sorted([name async for name in store.list(keys.damaged_of(epoch.epoch))])[:limit]
    found: list[DamagedObject] = []
    for start in range(0, len(names), READS_AT_ONCE):
        some = names[start : start + READS_AT_ONCE]
        for data in await asyncio.gather(*(store.get(name, limit=MAX_BYTES) for name in some)):
            document = read_document(data, DamagedObject)
            if not isinstance(document, DocumentError):
                found.append(document)
    return sorted(found, key=lambda each: each.key)
