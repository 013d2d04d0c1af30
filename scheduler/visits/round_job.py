"""The job of a round: made from the round alone, so that whoever makes it a second time makes the same."""

from __future__ import annotations

import hashlib

from scheduler.intake import resume_intake
from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.job import Lane, Seed, SeedPart, StoredJob
from schemas.records.schedule import VisitRound
from workers.catalog.jobs import load_job
from workers.flows.documents import pack_lines
from workers.ports import Frontier, ObjectStore


async def start_round(planned: VisitRound, *, store: ObjectStore, frontier: Frontier) -> int:
    """See to it that the job of a round is stored and queued to the end; how many visits were new to the frontier."""
    progress = await frontier.progress(planned.job_id)
    if progress is not None and not progress.intake_open:
        return 0
    return await resume_intake(await _stored(planned, store), store=store, frontier=frontier)


async def _stored(planned: VisitRound, store: ObjectStore) -> StoredJob:
    """The job, stored. Bytes that another version of a library packed otherwise are the same job."""
    key = keys.job(planned.job_id, planned.planned_at)
    if await store.info(key) is not None:
        return await load_job(store, planned.job_id)
    data = pack_lines(seeds_of_round(planned))
    part = SeedPart(
        key=keys.job_seeds(planned.job_id, planned.planned_at, 0),
        sha256=hashlib.sha256(data).hexdigest(),
        seeds=len(planned.visits),
    )
    await store.put(part.key, data, content_type="application/gzip")
    job = StoredJob(
        schema="citevault/stored-job@1",
        id=planned.job_id,
        collection=planned.collection,
        lane=Lane.BULK,
        created_at=planned.planned_at,
        options=planned.options,
        seed_parts=(part,),
        lines=len(planned.visits),
        seeds=len(planned.visits),
        duplicates=0,
        bad_lines=0,
    )
    if await store.create(key, canonical_bytes(job), content_type="application/json"):
        return job
    return await load_job(store, planned.job_id)


def seeds_of_round(planned: VisitRound) -> list[Seed]:
    """Its visits as seeds. The number of a visit is its period plus 1: the first fetch of a page is visit 1."""
    return [
        Seed(
            line=number,
            requested_url=visit.requested_url,
            normalized_url=visit.normalized_url,
            visit=visit.period + 1,
        )
        for number, visit in enumerate(planned.visits, 1)
    ]
