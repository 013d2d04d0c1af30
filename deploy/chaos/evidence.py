"""What is there after a run, read from the store and from Redis: nothing is judged here."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from deploy.chaos.archives import Archived, read_archive
from deploy.chaos.asking import asked
from scheduler.uploads import ORPHANED_AFTER, PREFIXES, abort_orphans
from schemas import keys
from schemas.messages import Queue
from schemas.records.job import Lane
from schemas.records.receipt import Receipt, StoredFile
from workers.adapters.redis.queues import RedisQueues
from workers.bootstrap import Archive
from workers.errors import CitevaultError
from workers.flows.documents import read_object
from workers.frontier import names
from workers.ports import JobProgress, SegmentEntry

QUEUES: tuple[Queue, ...] = ("interactive", "capture", "extract", "cluster")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that the verdict rests on."""

    receipts: Mapping[str, Receipt]
    """By key, in the order in which they count: batch ids tell when a batch was formed."""
    files: Mapping[str, str]
    """What is wrong with a file that a receipt names, by its key; empty where nothing is."""
    archives: Mapping[str, Archived]
    """By key of the WARC file."""
    entries: Sequence[SegmentEntry]
    progress: JobProgress | None
    left: Mapping[str, int] = field(default_factory=dict)
    """What Redis still holds of work, by what it is; only what is not nought."""
    status: Mapping[str, Any] = field(default_factory=dict)
    """What `citevault status JOB --json` answers."""
    uploads: int = 0
    """Uploads in parts that killed workers left unfinished."""
    uploads_kept: Sequence[str] = ()
    """Keys of those that the scheduler's own clearing, with its clock a day on, did not abort."""


async def receipts_of(archive: Archive, job_id: str) -> dict[str, Receipt]:
    """All receipts of a job, in the order in which they count."""
    found = sorted([key async for key in archive.store.list(keys.receipts(job_id))])
    return {key: await read_object(archive.store, key, Receipt) for key in found}


async def collect(archive: Archive, job_id: str) -> Evidence:
    """Read all of it."""
    receipts = await receipts_of(archive, job_id)
    files: dict[str, str] = {}
    archives: dict[str, Archived] = {}
    for receipt in receipts.values():
        for stored in (receipt.warc, receipt.cdxj):
            if stored is not None:
                data, files[stored.key] = await _fetch(archive, stored)
                if stored is receipt.warc and data:
                    archives[stored.key] = read_archive(stored.key, data)
    begun = await _uploads(archive)
    await abort_orphans(archive.store.uploads, now=datetime.now(UTC) + ORPHANED_AFTER + timedelta(hours=1))
    return Evidence(
        receipts=receipts,
        files=files,
        archives=archives,
        entries=await archive.ledger.of_job(job_id),
        progress=await archive.frontier.progress(job_id),
        left=await left_in_redis(archive, job_id),
        status=await asyncio.to_thread(asked, archive.settings, ("status", job_id, "--json")) or {},
        uploads=len(begun),
        uploads_kept=await _uploads(archive),
    )


async def left_in_redis(archive: Archive, job_id: str) -> dict[str, int]:
    """Work that has not ended, as Redis has it."""
    client = archive.redis
    now_ms = int(archive.clock.now().timestamp() * 1000)
    leased = 0
    async for key in client.scan_iter(match=names.batch("*"), count=1000):
        leased += await client.hget(key, "state") != b"done"
    counts = {
        "batches that are not done": leased,
        "leases": await client.zcard(names.LEASES),
        "busy hosts": await client.hlen(names.BUSY),
        "permits": await client.zcount(names.PERMITS, now_ms, "+inf"),
        "open URLs": await client.hlen(names.open_urls(job_id)),
        "hosts with waiting URLs": await client.zcard(names.hosts(job_id)),
    }
    for lane in Lane:
        counts[f"batches that wait for a worker ({lane.value})"] = await client.scard(names.waiting(lane))
    for queue in QUEUES:
        counts[f"messages in {queue}"] = await RedisQueues(client).waiting(queue)
    return {what: count for what, count in counts.items() if count}


async def _uploads(archive: Archive) -> list[str]:
    return [upload.key for prefix in PREFIXES async for upload in archive.store.uploads.begun(prefix)]


async def _fetch(archive: Archive, stored: StoredFile) -> tuple[bytes, str]:
    try:
        data = await archive.store.get(stored.key)
    except CitevaultError as error:
        return b"", error.what
    if len(data) != stored.bytes:
        return data, f"{len(data)} bytes instead of {stored.bytes}"
    return data, "" if hashlib.sha256(data).hexdigest() == stored.sha256 else "other bytes than the receipt says"
