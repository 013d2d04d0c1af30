"""The objects of the cluster log in the store: writing one, reading one, and following them all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import ClassVar, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from schemas import keys
from schemas.records.base import Count, Id
from schemas.records.cluster import ClusterDecision, EdgeVerdict, Fingerprint
from workers.dedup.log import ClusterHead, ClusterLog, line_type
from workers.dedup.sighting import witness_order
from workers.errors import CorruptError, ObjectMissingError, RetryableError
from workers.flows.ahead import read_ahead
from workers.flows.documents import pack_lines, parse, read_lines_object, read_packed
from workers.ports import CandidateIndex, ClusterChange, ClusterState, ObjectStore

T = TypeVar("T")
OBJECTS_AHEAD: Final = 4
"""With their fingerprints, of which a segment may have megabytes."""
Park = Callable[[str, CorruptError], Awaitable[None]]
"""Notes a damaged object by its key, and so lets the work go on without it."""


Told = Callable[[ClusterChange], None]
"""Hears of each change as it is followed."""


def told_nobody(_change: ClusterChange) -> None:
    """For those who do not ask."""


async def refuse(_key: str, error: CorruptError) -> None:
    """Damage ends the work."""
    raise error


def change_of(log: ClusterLog) -> ClusterChange:
    """What the state takes from an object."""
    return ClusterChange(
        sequence=log.head.sequence,
        name=log.name,
        members=log.head.members,
        verdicts=log.verdicts,
        decisions=log.decisions,
    )


def witness_of(members: Iterable[bytes]) -> bytes:
    """Of the snapshots of a text, each with its source behind a blank, the id of the first."""
    return min((member.partition(b" ")[0].decode() for member in members), key=witness_order).encode()


async def commit_log(store: ObjectStore, key: str, log: ClusterLog) -> ClusterLog:
    """Write the object, or find the one that was there first: its verdicts stand."""
    if await store.create(key, pack_lines(list(log.records())), content_type="application/gzip"):
        return log
    return await read_log(store, key)


async def find_log(store: ObjectStore, key: str) -> ClusterLog | None:
    """The object, or None where the segment is not clustered yet."""
    try:
        return await read_log(store, key)
    except ObjectMissingError:
        return None


async def read_log(store: ObjectStore, key: str) -> ClusterLog:
    """An object of the log. CorruptError names the line that cannot be read."""
    lines = await read_packed(store, key)
    heads: list[ClusterHead] = []
    verdicts: list[EdgeVerdict] = []
    decisions: list[ClusterDecision] = []
    for number, line in enumerate(lines, 1):
        record = parse(line, line_type(line), f"{key}, line {number}")
        match record:
            case ClusterHead():
                heads.append(record)
            case EdgeVerdict():
                verdicts.append(record)
            case ClusterDecision():
                decisions.append(record)
    if len(heads) != 1:
        raise CorruptError(
            f"a segment's clustering has {len(heads)} heads",
            where=key,
            next_step="restore the object from a copy of the bucket",
        )
    return ClusterLog(heads[0], tuple(verdicts), tuple(decisions))


async def load(
    store: ObjectStore,
    clusters: ClusterState,
    candidates: CandidateIndex,
    token: str,
    *,
    params: str,
    keep: Callable[[], Awaitable[None]],
    park: Park,
    told: Told = told_nobody,
) -> int:
    """Build state and candidate index anew from the store; how many objects were read.

    Objects are followed in the order of the log, which the store's listing does not tell: the first pass reads
    the numbers, the second one the objects. Memory is flat but for one line per segment. `keep` holds the lock.
    `park` is told of what is damaged; where it returns, the log is followed without that object. `told` hears of
    what is followed.
    """
    _held(await clusters.clear(token))
    order = await log_order(store, params, keep=keep, park=park)
    prints_of = {key: keys.prints(params, keys.extractor_of(key), segment_id) for key, segment_id in order}

    async def both(key: str) -> tuple[ClusterLog | CorruptError, list[Fingerprint] | CorruptError]:
        return await asyncio.gather(_tried(read_log(store, key)), _tried(_prints(store, prints_of[key])))

    filling = candidates.filling()
    async for key, (log, prints) in read_ahead(prints_of, both, at_once=OBJECTS_AHEAD):
        await keep()
        if isinstance(log, CorruptError):
            await park(key, log)
            continue
        if isinstance(prints, CorruptError):
            await park(prints_of[key], prints)
            prints = []
        change = change_of(log)
        applied, _ = await asyncio.gather(clusters.apply(token, change), filling.put(prints))
        _held(applied)
        told(change)
    await filling.end()
    _held(await clusters.loaded(token))
    return len(order)


async def log_order(
    store: ObjectStore, params: str, *, keep: Callable[[], Awaitable[None]], park: Park = refuse
) -> list[tuple[str, str]]:
    """Keys of all objects of the log with their segments, in the order of the log. `keep` is called after each."""
    order: list[tuple[int, str, str]] = []
    found = [key async for key in store.list(f"clusters/{params}/")]
    async for key, head in read_ahead(found, lambda key: _tried(_head(store, key))):
        await keep()
        if isinstance(head, CorruptError):
            await park(key, head)
        else:
            order.append((head.sequence, head.segment_id, key))
    return [(key, segment_id) for _, segment_id, key in sorted(order)]


async def _tried(reading: Coroutine[None, None, T]) -> T | CorruptError:
    """What was read, or that it is damaged."""
    try:
        return await reading
    except CorruptError as error:
        return error


class _Head(BaseModel):
    """What the order of the log takes of a `ClusterHead`; reading all of it takes longer than following it."""

    model_config: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="ignore", hide_input_in_errors=True)

    schema_id: Literal["citevault/cluster-segment@1"] = Field(alias="schema")
    segment_id: Id
    sequence: Count


async def _head(store: ObjectStore, key: str) -> _Head:
    lines = await read_packed(store, key)
    return parse(lines[0] if lines else b"", _Head, f"{key}, line 1")


async def _prints(store: ObjectStore, prints_key: str) -> list[Fingerprint]:
    try:
        return await read_lines_object(store, prints_key, Fingerprint)
    except ObjectMissingError:
        return []


def _held(answer: bool) -> None:
    if not answer:
        raise RetryableError("another process took over the cluster state", where="clusters", next_step="try again")
