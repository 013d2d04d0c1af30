"""Judge again what older rules have judged, and at last what was left out (`citevault clusters rejudge`).

Rules get a new version when they change, and what was judged stays as it was written. Where the rules in force differ,
each pair is looked at again and the verdict written beside the old one, in an object of the log that belongs to no
segment: `clusters/<params>/<rules>/…`. It is followed like any other, so ids, aliases and a rebuild go on. Stopped, it
goes on when it is run again.

So are pairs that nobody looked at, since their segment brought too many: after that the partition follows from the
texts alone again, in whatever order they came.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from ulid import ULID

from schemas import keys
from schemas.ids import segment_id, utc_string
from schemas.records.cluster import Fingerprint
from workers.dedup.confirm import RULES
from workers.dedup.log import ClusterLog
from workers.flows.ahead import read_ahead
from workers.flows.cluster import ClusterPorts, apply_log, followed, log_of, write_down
from workers.flows.cluster_lock import cluster_lock
from workers.flows.cluster_log import log_order, read_log
from workers.flows.cluster_looking import Looks, Pair
from workers.flows.documents import read_lines_object

PAIRS_AT_ONCE = 2000
"""Of one object: the lock is held for some seconds, and a stop costs no more."""


@dataclass(frozen=True, slots=True)
class Rejudged:
    """What was done."""

    pairs: int
    """Pairs that older rules had judged, or that nobody had looked at."""
    changed: int
    """Those of them that are confirmed now and were not, or the other way round."""
    unreadable: int
    """Those that could not be looked at: a text was taken down or is extracted anew. Their verdicts stay."""
    decisions: int


async def outdated_pairs(ports: ClusterPorts) -> dict[Pair, bool]:
    """Pairs whose newest verdict is by other rules than those in force, with that verdict, and those that were left
    out, as not confirmed; sorted."""
    found: dict[Pair, bool] = {}
    left_out: list[str] = []
    async for key, log in _objects(ports):
        if log.head.pairs_left_out:
            left_out.append(key)
        for verdict in log.verdicts:
            if verdict.rules == RULES:
                found.pop((verdict.a, verdict.b), None)
            else:
                found[verdict.a, verdict.b] = verdict.confirmed
    missing = await _never_judged(left_out, ports)
    return dict(sorted((dict.fromkeys(missing, False) | found).items()))


async def _never_judged(left_out: Sequence[str], ports: ClusterPorts) -> set[Pair]:
    """Candidate pairs of these segments on which there is no verdict."""
    pairs: set[Pair] = set()
    for key in left_out:
        prints_key = keys.prints(ports.params, keys.extractor_of(key), key.rpartition("/")[2].removesuffix(".jsonl.gz"))
        found = await ports.candidates.insert(await read_lines_object(ports.store, prints_key, Fingerprint))
        pairs |= {(min(text, other), max(text, other)) for text, others in found.items() for other in others}
    if pairs:
        async for _, log in _objects(ports):
            pairs.difference_update((verdict.a, verdict.b) for verdict in log.verdicts)
    return pairs


async def _objects(ports: ClusterPorts) -> AsyncIterator[tuple[str, ClusterLog]]:
    """The objects of the log, in its order."""
    order = await log_order(ports.store, ports.params, keep=_nothing)
    async for key, log in read_ahead([key for key, _ in order], lambda key: read_log(ports.store, key), at_once=4):
        yield key, log


async def rejudge(ports: ClusterPorts, told: Callable[[int, int], None]) -> Rejudged:
    """Look at all outdated pairs. `told` hears how many are done, and of how many."""
    outdated = await outdated_pairs(ports)
    changed = looked = decisions = 0
    waiting = iter(outdated)
    done = 0
    while batch := list(islice(waiting, PAIRS_AT_ONCE)):
        verdicts, decided = await _judge_again(batch, ports)
        looked += len(verdicts)
        changed += sum(confirmed != outdated[pair] for pair, confirmed in verdicts.items())
        decisions += decided
        done += len(batch)
        told(done, len(outdated))
    return Rejudged(len(outdated), changed, len(outdated) - looked, decisions)


async def _judge_again(batch: list[Pair], ports: ClusterPorts) -> tuple[dict[Pair, bool], int]:
    looks = Looks(ports.store, ports.catalog)
    texts = sorted({text for pair in batch for text in pair})
    known = await ports.clusters.witnesses(texts)
    await looks.at([pair for pair in batch if known.keys() >= set(pair)], known, _nothing)
    async with cluster_lock(ports.clusters, ports.clock) as lock:
        opened = utc_string(ports.clock.now())
        segment = segment_id(opened, str(ULID.from_datetime(ports.clock.now())))
        key = keys.clusters(ports.params, RULES, segment)
        position = await followed(ports, lock, key)
        known = await ports.clusters.witnesses(texts)
        verdicts = await looks.at([pair for pair in batch if known.keys() >= set(pair)], known, lock.keep)
        if not verdicts:
            return {}, 0
        log = await write_down(ports, lock, key, await log_of(ports, position, RULES, segment, verdicts, {}))
        await apply_log(ports, lock, log)
    return {(verdict.a, verdict.b): verdict.confirmed for verdict in log.verdicts}, len(log.decisions)


async def _nothing() -> None:
    return None
