"""Small files of captures become larger ones, and nothing that names a record changes.

Order of writes: new WARC, its index, each confirmed, then the entry of the compaction log, which is created under the
next number: the commit. Then the catalog. Stopped before the commit, nothing has happened; stopped after it, the next
run tells the catalog. Of two that join the same file the log lets one win, and the other drops what it made.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import Final

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.ids import utc_string
from schemas.records.compaction import Compaction
from workers.errors import CitevaultError, RetryableError
from workers.flows.compact.building import Built, build
from workers.flows.compact.files import Damaged, Standing, standing_files, taken
from workers.flows.compact.log import follow
from workers.flows.compact.plan import Group, JoinLimits, plan
from workers.flows.compact.ports import CompactPorts, Progress
from workers.flows.compact.room import require_room

LOG = logging.getLogger(__name__)
ROUNDS: Final = 10
"""How often what could not be joined as planned is planned anew."""
MOST_SECONDS: Final = 12 * 3600.0
"""A file that took longer is given up: after a day, what no entry names is garbage (`clearing`)."""


@dataclass(slots=True)
class Compacted:
    """What a run did."""

    made: list[Compaction] = field(default_factory=list)
    damaged: list[Damaged] = field(default_factory=list)
    lost: int = 0
    """New files that were dropped since another run had joined one of theirs."""
    files: int = 0
    """Files of captures that stand now."""


async def planned(ports: CompactPorts, limits: JoinLimits) -> tuple[Standing, list[Group], list[Damaged]]:
    """What stands, and what a run would join now. Writes nothing."""
    standing, damaged = await standing_files(ports.store, ports.told)
    return standing, plan(standing.files, limits), damaged


async def compact(ports: CompactPorts, limits: JoinLimits) -> Compacted:
    """Join all that is worth it. PermanentError where there is no room for a new file."""
    await follow(ports.store, ports.catalog)
    standing, groups, damaged = await planned(ports, limits)
    done = Compacted(damaged=damaged)
    spoilt: set[str] = set()
    for _ in range(ROUNDS):
        again = False
        for number, group in enumerate(groups, 1):
            ports.told(Progress(f"file {number} of {len(groups)}", 0, group.bytes, "bytes"))
            ended = await _join(group, ports, standing)
            if isinstance(ended, Compaction):
                done.made.append(ended)
                continue
            again = True
            if isinstance(ended, Damaged):
                done.damaged.append(ended)
                spoilt |= {file.warc.key for file in group.files if ended.key in file.keys}
            else:
                done.lost += 1
        if not again:
            break
        groups = plan([file for file in standing.files if file.warc.key not in spoilt], limits)
    done.files = len(standing.files)
    return done


async def _join(group: Group, ports: CompactPorts, standing: Standing) -> Compaction | Damaged | None:
    """None: another run has joined one of these files."""
    began = ports.clock.monotonic()
    await standing.follow(ports.store)
    if taken(group.files, standing):
        return None
    require_room(group.bytes, ports)
    built = await build(group, ports)
    if isinstance(built, Damaged):
        await standing.follow(ports.store)
        return None if taken(group.files, standing) else built  # it was deleted, since another run had joined it
    try:
        await _store(built, ports)
    finally:
        await asyncio.to_thread(built.remove)
    if ports.clock.monotonic() - began > MOST_SECONDS:
        await _drop(built, ports)
        raise RetryableError("storing a joined file took too long", where=built.warc.key, next_step="run it again")
    made = await _commit(group, built, ports, standing)
    if made is None:
        await _drop(built, ports)
    else:
        await follow(ports.store, ports.catalog)
        LOG.info("files joined sequence=%d files=%d bytes=%d", made.sequence, len(made.sources), made.warc.bytes)
    return made


async def _store(built: Built, ports: CompactPorts) -> None:
    ports.told(Progress("storing", 0, built.warc.bytes, "bytes"))
    put = ports.store.put
    await put(built.warc.key, built.warc_path, content_type="application/warc", sha256=built.warc.sha256)
    await put(built.cdxj.key, built.cdxj_path, content_type="text/x-cdxj", sha256=built.cdxj.sha256)


async def _commit(group: Group, built: Built, ports: CompactPorts, standing: Standing) -> Compaction | None:
    """Create the next entry of the log; None where a file of the group has been joined by one that came before."""
    while True:
        await standing.follow(ports.store)
        if taken(group.files, standing):
            return None
        entry = Compaction(
            schema="citevault/compaction@1",
            sequence=standing.sequence + 1,
            compacted_at=utc_string(ports.clock.now()),
            collection=group.collection,
            warc=built.warc,
            cdxj=built.cdxj,
            warcinfo=built.warcinfo,
            sources=built.sources,
        )
        key = keys.compaction(entry.sequence)
        if await ports.store.create(key, canonical_bytes(entry), content_type="application/json"):
            standing.take(entry)
            return entry


async def _drop(built: Built, ports: CompactPorts) -> None:
    """Delete a file that no entry will ever name; what cannot be deleted now is garbage that `clearing` finds."""
    for key in (built.cdxj.key, built.warc.key):
        try:
            await ports.store.delete(key)
        except CitevaultError as error:
            LOG.warning("garbage left key=%s error=%s", key, error)
