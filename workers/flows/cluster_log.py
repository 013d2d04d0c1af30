"""The objects of the cluster log in the store: writing one, reading one, and following them all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from schemas import keys
from schemas.records.cluster import ClusterDecision, EdgeVerdict, Fingerprint
from workers.dedup.log import ClusterHead, ClusterLog, line_type
from workers.errors import CorruptError, ObjectMissingError, RetryableError
from workers.flows.documents import MAX_OBJECT_BYTES, pack_lines, parse, read_lines_object
from workers.packed import unpack
from workers.ports import CandidateIndex, ClusterChange, ClusterState, ObjectStore

Park = Callable[[str, CorruptError], Awaitable[None]]
"""Notes a damaged object by its key, and so lets the work go on without it."""


async def refuse(_key: str, error: CorruptError) -> None:
    """Damage ends the work."""
    raise error


def change_of(log: ClusterLog) -> ClusterChange:
    """What the state takes from an object."""
    return ClusterChange(
        sequence=log.head.sequence,
        segment_id=log.head.segment_id,
        members=log.head.members,
        verdicts=log.verdicts,
        decisions=log.decisions,
    )


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
    lines = unpack(await store.get(key, limit=MAX_OBJECT_BYTES), key)
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
) -> int:
    """Build state and candidate index anew from the store; how many objects were read.

    Objects are followed in the order of the log, which the store's listing does not tell: the first pass reads
    the numbers, the second one the objects. Memory is flat but for one line per segment. `keep` holds the lock.
    `park` is told of what is damaged; where it returns, the log is followed without that object.
    """
    _held(await clusters.clear(token))
    order: list[tuple[int, str, str]] = []
    async for key in store.list(f"clusters/{params}/"):
        try:
            head = (await read_log(store, key)).head
        except CorruptError as error:
            await park(key, error)
            continue
        order.append((head.sequence, head.segment_id, key))
        await keep()
    for _, segment_id, key in sorted(order):
        _held(await clusters.apply(token, change_of(await read_log(store, key))))
        prints_key = keys.prints(params, segment_id)
        try:
            await _index_prints(store, candidates, prints_key)
        except CorruptError as error:
            await park(prints_key, error)
        await keep()
    _held(await clusters.loaded(token))
    return len(order)


async def _index_prints(store: ObjectStore, candidates: CandidateIndex, prints_key: str) -> None:
    try:
        await candidates.insert(await read_lines_object(store, prints_key, Fingerprint))
    except ObjectMissingError:
        return


def _held(answer: bool) -> None:
    if not answer:
        raise RetryableError("another process took over the cluster state", where="clusters", next_step="try again")
