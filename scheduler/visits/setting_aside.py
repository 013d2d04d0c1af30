"""Damaged schedules of which nobody has a copy are set aside: the object as it is, byte for byte, under a name of its
own, and what can still be read of it in its place. Else no page whose schedule would lie there could be scheduled."""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from scheduler.visits.shards import MAX_SHARD_BYTES, DamagedShard, Shard, read_shards, shard_names, shard_of
from schemas import keys
from schemas.reading import DocumentError, read_document
from schemas.records.schedule import Schedule
from workers.errors import CorruptError, RetryableError
from workers.packed import GZIP_WINDOW, MAX_PLAIN_BYTES
from workers.ports import ObjectStore

PIECE_BYTES: Final = 256


@dataclass(frozen=True, slots=True)
class SetAside:
    """A damaged object."""

    key: str
    aside: str
    """Where it lies now."""
    kept: int
    """Schedules of it that could still be read, and go on."""


async def damaged_shards(store: ObjectStore) -> list[DamagedShard]:
    """Those of which not every schedule can be read. Reads them all."""
    found = []
    async for shard in read_shards(store, await shard_names(store)):
        if isinstance(shard, DamagedShard):
            found.append(shard)
            continue
        try:
            for _ in shard.all():
                pass
        except CorruptError as error:
            found.append(DamagedShard(shard.name, error))
    return found


async def set_aside(store: ObjectStore, damaged: DamagedShard) -> SetAside:
    """Set one aside. RetryableError where somebody changed it meanwhile; the error of the store where it gives no bytes
    of it at all."""
    key = keys.schedules(damaged.name)
    info = await store.info(key)
    data = await store.get(key, limit=MAX_SHARD_BYTES)
    aside = keys.schedules_aside(damaged.name, hashlib.sha256(data).hexdigest())
    await store.create(aside, data, content_type="application/octet-stream")
    kept = Shard(damaged.name)
    for schedule in _readable(data):
        if shard_of(schedule.id) == damaged.name:
            kept.put(schedule)
    if info is None or not await store.replace(key, kept.packed(), etag=info.etag):
        raise RetryableError("others change these schedules at the same time", where=key, next_step="try again")
    return SetAside(key, aside, len(kept.lines))


def unread_schedules(damaged: Sequence[DamagedShard]) -> str:
    """What is damaged, as a sentence."""
    names = ", ".join(keys.schedules(each.name) for each in damaged[:3])
    more = f", and {len(damaged) - 3} more" if len(damaged) > 3 else ""
    return f"{len(damaged)} objects with schedules cannot be read, so their pages are not visited: {names}{more}"


def _readable(data: bytes) -> Iterator[Schedule]:
    """What stands before the first fault of the packing, line by line, without the lines that are none; no more than an
    object of ours may hold."""
    inflater, plain = zlib.decompressobj(GZIP_WINDOW), bytearray()
    try:
        for start in range(0, len(data), PIECE_BYTES):  # small pieces: those before the fault are had
            plain += inflater.decompress(data[start : start + PIECE_BYTES], MAX_PLAIN_BYTES)
            if len(plain) > MAX_PLAIN_BYTES:
                break
    except zlib.error:
        pass
    for line in io.BytesIO(plain):
        schedule = read_document(line.removesuffix(b"\n"), Schedule) if line != b"\n" else None
        if schedule is not None and not isinstance(schedule, DocumentError):
            yield schedule
