"""The four steps in turn."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace

from workers.dedup.parameters import BANDS
from workers.flows.ahead import read_ahead
from workers.flows.bulk.gather import gather
from workers.flows.bulk.look import look_at_pairs
from workers.flows.bulk.pairs import BROUGHT, FILE, find_pairs
from workers.flows.bulk.patience import Furthest, patiently
from workers.flows.bulk.plan import forget, plan
from workers.flows.bulk.ports import BulkPorts
from workers.flows.bulk.rows import Rows
from workers.flows.bulk.settle import Settled, given_of, settle
from workers.flows.bulk.texts import texts_of
from workers.flows.cluster import load_clusters
from workers.flows.compact import Progress

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Bulked:
    """What a run did."""

    segments: int
    """Segments that are clustered now and were not before."""
    texts: int
    """Texts in these, each counted once a segment."""
    pairs: int
    """Pairs of texts that were looked at."""
    confirmed: int
    pairs_left_out: int


async def cluster_in_bulk(ports: BulkPorts) -> Bulked:
    """Cluster every segment that is extracted and waits. Killed, it goes on when it is called with the same folder;
    interrupted by a Redis or a store that is away for a moment, it does so by itself. RetryableError where they stay
    away."""
    furthest = Furthest(ports.told)
    watched = replace(ports, told=furthest)
    return await patiently(lambda: _clustered(watched), furthest, ports.interrupted, ports.pauses)


async def _clustered(ports: BulkPorts) -> Bulked:
    await load_clusters(ports.cluster)
    planned = await plan(ports.cluster, ports.folder)
    if not planned:
        return Bulked(0, 0, 0, 0, 0)
    waiting = [(place, each) for place, each in enumerate(planned) if each.entry is not None]
    await gather(planned, ports)
    rows = Rows(ports.folder)
    try:
        texts = await asyncio.to_thread(texts_of, rows, len(planned) - len(waiting), ports.folder)
        unasked = await asyncio.to_thread(
            find_pairs,
            rows,
            texts,
            ports.folder,
            len(planned),
            lambda at: ports.told(Progress("finding pairs", at, BANDS, "bands")),
        )
        pairs = (ports.folder / FILE).stat().st_size // BROUGHT.itemsize
        left_out = await look_at_pairs(
            rows,
            texts,
            ports.cluster.store,
            ports.folder,
            lambda at: ports.told(Progress("looking at pairs", at, pairs, "pairs")),
        )
    finally:
        rows.close()
    done: list[Settled] = []
    by_key = {each.snapshots_key: (place, each) for place, each in waiting}
    async for key, given in read_ahead(
        by_key,
        lambda key: given_of(by_key[key][1], by_key[key][0], ports.cluster, ports.folder),
        at_once=2,  # one is read while another is decided on
    ):
        place, each = by_key[key]
        done.append(await settle(each, given, left_out.get(place, 0), ports.cluster))
        ports.told(Progress("deciding", len(done), len(waiting), "segments"))
    forget(ports.folder)
    return Bulked(
        segments=len(done),
        texts=sum(each.texts for each in done),
        pairs=sum(each.verdicts for each in done),
        confirmed=sum(each.confirmed for each in done),
        pairs_left_out=unasked + sum(left_out.values()),
    )
