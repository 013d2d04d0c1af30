"""Writing a large collection into a store: a process a core makes the objects, this one puts them in order."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from typing import Final

from deploy.bench.rebuild.objects import Plan, seeds, segment_objects
from scheduler.intake.stored import SEEDS_A_PART
from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.job import JobOptions, Lane, SeedPart, StoredJob
from workers.packed import pack
from workers.ports import ObjectStore

TELL_EACH: Final = 100
AHEAD: Final = 8


async def write_collection(store: ObjectStore, of: Plan) -> None:
    """All objects of a collection, the job last: where that is there, everything is. Cut off, it goes on where it was:
    receipts count segments, and come last of their segment."""
    written = len([key async for key in store.list(keys.receipts(of.job_id))])
    with ProcessPoolExecutor(os.cpu_count() or 1, mp_context=get_context("spawn")) as makers:
        numbers = iter(range(written, of.segments))
        running: list[Future[list[tuple[str, bytes]]]] = []
        done = written
        while True:
            running += [makers.submit(segment_objects, of, number) for number in islice(numbers, AHEAD - len(running))]
            if not running:
                break
            objects = await asyncio.wrap_future(running.pop(0))
            await _put(store, objects)
            done += 1
            if done % TELL_EACH == 0:
                sys.stderr.write(f"{done} of {of.segments} segments written\n")
    await _put_job(store, of)


async def is_written(store: ObjectStore, of: Plan) -> bool:
    """Whether the collection is there to the end."""
    return await store.info(keys.job(of.job_id, of.created_at)) is not None


async def _put(store: ObjectStore, objects: Sequence[tuple[str, bytes]]) -> None:
    (receipt_key, receipt), *others = objects
    await asyncio.gather(*(store.put(key, body) for key, body in others))
    await store.put(receipt_key, receipt)


async def _put_job(store: ObjectStore, of: Plan) -> None:
    parts: list[SeedPart] = []
    lines = seeds(of)
    while some := list(islice(lines, SEEDS_A_PART)):
        key = keys.job_seeds(of.job_id, of.created_at, len(parts))
        body = pack(canonical_bytes(seed) for seed in some)
        await store.put(key, body)
        parts.append(SeedPart(key=key, sha256=hashlib.sha256(body).hexdigest(), seeds=len(some)))
    job = StoredJob(
        schema="citevault/stored-job@1",
        id=of.job_id,
        collection="default",
        lane=Lane.BULK,
        created_at=of.created_at,
        options=JobOptions(),
        seed_parts=tuple(parts),
        lines=of.urls,
        seeds=of.urls,
        duplicates=0,
        bad_lines=0,
    )
    await store.put(keys.job(of.job_id, of.created_at), canonical_bytes(job))
