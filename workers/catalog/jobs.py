"""Jobs as they lie in the store: found by id alone, since a job's id holds the time at which it was made."""

from __future__ import annotations

import hashlib
import io
from collections.abc import AsyncIterator, Iterator

from schemas import ids, keys
from schemas.reading import DocumentError, read_document, read_lines
from schemas.records.job import Seed, SeedPart, StoredJob
from workers.catalog.seed_urls import SeedUrl, cut_out
from workers.errors import CorruptError, PermanentError
from workers.ports import ObjectStore

MAX_JOB_BYTES = 16 * 1024 * 1024
MAX_PART_BYTES = 256 * 1024 * 1024


def job_key(job_id: str) -> str:
    """Key of a job's `job.json`. PermanentError where the id is none of ours."""
    try:
        return keys.job(job_id, ids.ulid_time(job_id))
    except ValueError as error:
        raise PermanentError("this is no job id", where=job_id[:80], next_step="see `citevault status`") from error


async def load_job(store: ObjectStore, job_id: str) -> StoredJob:
    """The job of this id. ObjectMissingError where the archive has none."""
    return read_job(await store.get(job_key(job_id), limit=MAX_JOB_BYTES), job_key(job_id))


def read_job(data: bytes, where: str) -> StoredJob:
    """A stored job from its bytes; CorruptError where it cannot be read."""
    job = read_document(data, StoredJob)
    if isinstance(job, DocumentError):
        raise CorruptError(f"a stored job cannot be read: {job}", where=where, next_step="restore it from a copy")
    return job


async def seeds_of(store: ObjectStore, job: StoredJob) -> AsyncIterator[Seed]:
    """The seeds of a job in order, one part in memory at a time. CorruptError where a part is not what was stored."""
    for part in job.seed_parts:
        for seed in _seeds(await _part(store, part), part):
            yield seed


async def seed_urls_of(store: ObjectStore, job: StoredJob) -> AsyncIterator[list[SeedUrl]]:
    """What is to be queued of a job, part by part. CorruptError where a part is not what was stored."""
    for part in job.seed_parts:
        data = await _part(store, part)
        yield cut_out(data, part.seeds) or [
            SeedUrl(seed.requested_url, seed.normalized_url, seed.visit) for seed in _seeds(data, part)
        ]


async def _part(store: ObjectStore, part: SeedPart) -> bytes:
    data = await store.get(part.key, limit=MAX_PART_BYTES)
    if hashlib.sha256(data).hexdigest() != part.sha256:
        raise CorruptError(
            "a part of a job's seeds is not what was stored", where=part.key, next_step="restore it from a copy"
        )
    return data


def _seeds(data: bytes, part: SeedPart) -> Iterator[Seed]:
    for line in read_lines(io.BytesIO(data), Seed):
        if isinstance(line.value, DocumentError):
            raise CorruptError(
                f"a seed cannot be read: {line.value}",
                where=f"{part.key} line {line.number}",
                next_step="restore it from a copy",
            )
        yield line.value
