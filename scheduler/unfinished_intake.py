"""Why a job's intake stays open for good: a part of its seeds is gone or damaged, so nobody can tell what else it asked
for. Without the word of this, such a job reads as one that is about to go on."""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath
from typing import Final

from scheduler.rebuild import damaged_objects
from workers.catalog.jobs import MAX_PART_BYTES, load_job
from workers.errors import CorruptError, ObjectMissingError
from workers.flows.ahead import read_ahead
from workers.ports import JobProgress, ObjectStore

SHOWN: Final = 3


async def intake_fault(store: ObjectStore, progress: JobProgress) -> str | None:
    """Why the open intake of a job cannot be completed, and what to do, as a sentence; None: it can be, or is, or the
    job is cancelled. Whether a part is there is asked of the store, and it is read only where a rebuild found it
    damaged."""
    if not progress.intake_open or progress.state == "cancelled":
        return None
    job_id = progress.job_id
    try:
        job = await load_job(store, job_id)
    except (ObjectMissingError, CorruptError) as error:
        return f"intake of {job_id} cannot be completed: {error}"
    damaged = {damage.key for damage in await damaged_objects(store)}
    faults = []
    parts = {part.key: part for part in job.seed_parts}
    async for key, info in read_ahead([*parts], store.info):
        part = parts[key]
        name = PurePosixPath(part.key).name.partition(".")[0]
        if info is None:
            faults.append(f"{name} is missing")
        elif part.key in damaged:
            data = await store.get(part.key, limit=MAX_PART_BYTES)
            if hashlib.sha256(data).hexdigest() != part.sha256:
                faults.append(f"{name} is not what was stored")
    if not faults:
        return None
    more = f", and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
    folder = PurePosixPath(job.seed_parts[0].key).parent
    return (
        f"intake of {job_id} cannot be completed: {', '.join(faults[:SHOWN])}{more}; next: restore it below {folder}/ "
        f"from a copy of the bucket, and the scheduler goes on by itself; or `citevault cancel {job_id}` and archive "
        "its list anew"
    )
