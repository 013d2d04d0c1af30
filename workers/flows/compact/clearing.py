"""The second step: what was joined is deleted, once it has stood beside its new file for some days.

In the order of the log, each entry in the same order: the new file is verified whole; the catalog knows of it; its
sources and their indexes are deleted; a note says so. Stopped anywhere, the next run does that entry again. A new file
that does not hold what it should stops its entry, and those that joined it: its sources are all there is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.ids import utc_string
from schemas.records.compaction import Compaction, CompactionCleared
from workers.catalog.packing import milliseconds
from workers.flows.compact.files import Damaged
from workers.flows.compact.joining import MOST_SECONDS
from workers.flows.compact.log import compactions_after, follow
from workers.flows.compact.ports import CompactPorts, Progress
from workers.flows.compact.room import require_room
from workers.flows.compact.verifying import verify

LOG = logging.getLogger(__name__)
DELETES_AT_ONCE: Final = 8
GARBAGE_SECONDS: Final = 2 * MOST_SECONDS
"""No run still works on a file that is so old and that no entry names."""


@dataclass(slots=True)
class Cleared:
    """What a run did, or with `dry` would do."""

    entries: list[Compaction] = field(default_factory=list)
    """Those whose sources are deleted now."""
    files: int = 0
    bytes: int = 0
    """Of WARC files that were deleted."""
    waiting: list[Compaction] = field(default_factory=list)
    """Those whose days are not over."""
    damaged: list[Damaged] = field(default_factory=list)
    garbage: list[str] = field(default_factory=list)
    """Keys of files that no entry names: a run was stopped before its commit."""


async def clear(ports: CompactPorts, *, grace_seconds: float, dry: bool = False) -> Cleared:
    """Delete what was joined longer ago than that. With `dry` nothing is verified and nothing deleted."""
    if not dry:
        await follow(ports.store, ports.catalog)
    noted = {key async for key in ports.store.list(keys.COMPACTIONS) if keys.compaction_number(key) is None}
    done = Cleared()
    blocked: set[str] = set()
    """New files whose sources are not deleted: they cannot be deleted themselves."""
    named: set[str] = set()
    async for entry in compactions_after(ports.store):
        named |= {entry.warc.key, entry.cdxj.key}
        if keys.compaction_cleared(entry.sequence) in noted:
            continue
        if _age_seconds(entry, ports.clock.now()) < grace_seconds:
            done.waiting.append(entry)
            blocked.add(entry.warc.key)
            continue
        free = not any(source.warc.key in blocked for source in entry.sources)
        if not free or not await _clear_one(entry, ports, done, dry=dry):
            blocked.add(entry.warc.key)
    await _sweep(ports, named, done, dry=dry)
    return done


def _age_seconds(entry: Compaction, now: datetime) -> float:
    return now.timestamp() - milliseconds(entry.compacted_at) / 1000


async def _clear_one(entry: Compaction, ports: CompactPorts, done: Cleared, *, dry: bool) -> bool:
    """False: the new file is not what it should be, and nothing was deleted."""
    if not dry:
        ports.told(Progress(f"entry {entry.sequence}", 0, entry.warc.bytes, "bytes"))
        require_room(entry.warc.bytes, ports)
        damage = await verify(entry, ports)
        if damage is not None:
            done.damaged.append(damage)
            LOG.error("joined file damaged key=%s why=%s; what it joined is kept", damage.key, damage.why)
            return False
        await _delete(ports, _keys_of(entry))
        note = CompactionCleared(
            schema="citevault/compaction-cleared@1",
            sequence=entry.sequence,
            cleared_at=utc_string(ports.clock.now()),
            deleted=len(_keys_of(entry)),
        )
        await ports.store.create(
            keys.compaction_cleared(entry.sequence), canonical_bytes(note), content_type="application/json"
        )
    done.entries.append(entry)
    done.files += len(entry.sources)
    done.bytes += sum(source.warc.bytes for source in entry.sources)
    return True


async def _sweep(ports: CompactPorts, named: set[str], done: Cleared, *, dry: bool) -> None:
    """Files of runs that were stopped before their commit."""
    for prefix in (keys.WARC, keys.CDXJ):
        async for key in ports.store.list(prefix):
            if key not in named and _is_garbage(key, ports.clock.now()):
                done.garbage.append(key)
    if not dry:
        await _delete(ports, done.garbage)


def _is_garbage(key: str, now: datetime) -> bool:
    """Of a file that no entry names: whether a compaction made it, so long ago that it never will be named."""
    name = key.rpartition("/")[2]
    if f"-{keys.JOINED}." not in name:
        return False
    try:
        made = datetime.strptime(name[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return False
    return (now - made).total_seconds() > GARBAGE_SECONDS


def _keys_of(entry: Compaction) -> list[str]:
    """What it joined, files first: while one is there, its index is."""
    indexes = [source.cdxj.key for source in entry.sources if source.cdxj is not None]
    return [*(source.warc.key for source in entry.sources), *indexes]


async def _delete(ports: CompactPorts, wanted: Sequence[str]) -> None:
    for start in range(0, len(wanted), DELETES_AT_ONCE):
        await asyncio.gather(*(ports.store.delete(key) for key in wanted[start : start + DELETES_AT_ONCE]))
        ports.told(Progress("deleted", min(start + DELETES_AT_ONCE, len(wanted)), len(wanted), "objects"))
