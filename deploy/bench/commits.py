"""How long a full segment takes from its last record to its receipt: where it went up while it grew, against one PUT
of all of it after its close.

The store is a SeaweedFS of its own on the same machine, and the segment fills at 8 MiB a second, twice as fast as one
that is full after 30 s must. What a receipt brings in Redis is the same for both and not measured.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import tempfile
import time
from pathlib import Path
from statistics import median

from deploy.bench.result import Result
from scheduler.stack.running import RunningStores, running_parts
from schemas import keys
from workers.adapters.clock import SystemClock
from workers.adapters.s3.client import S3Location
from workers.adapters.s3.store import S3ObjectStore
from workers.archive.file_parts import PART_BYTES
from workers.archive.record import Block, build, new_record_id
from workers.archive.segment import MAX_BYTES, ClosedSegment, SegmentWriter
from workers.archive.warcinfo import Warcinfo
from workers.flows.capture.upload import SegmentUpload
from workers.ports import ObjectStore

RUNS = 3
RECORD_BYTES = 256 * 1024
BYTES_A_SECOND = 8 * 1024 * 1024
TICK_SECONDS = 0.25
SEGMENT = "20261129T100000Z-01ARZ3NDEKTSV4RRFFQ69G5FAV"
DATE = "2026-11-29T10:00:00Z"
WHOLE = 1 << 40
"""A part size that no segment ever fills."""


def measure(runs: int = RUNS, segment_bytes: int = MAX_BYTES) -> list[Result]:
    """Both ways in turn. AssertionError where the store does not hold what was written."""
    with (
        tempfile.TemporaryDirectory(prefix="cv-bench-", ignore_cleanup_errors=True) as folder,
        running_parts(Path(folder) / "s3", {"s3"}) as stores,
    ):
        return asyncio.run(_measure(stores, Path(folder), runs, segment_bytes))


async def _measure(stores: RunningStores, folder: Path, runs: int, segment_bytes: int) -> list[Result]:
    store = S3ObjectStore(
        S3Location(
            endpoint=stores.s3_endpoint,
            bucket=stores.bucket,
            access_key=stores.credentials.access_key,
            secret_key=stores.credentials.secret_key,
        )
    )
    try:
        taken: dict[int, list[float]] = {PART_BYTES: [], WHOLE: []}
        for _ in range(runs):
            for part_bytes, seconds in taken.items():
                seconds.append(await _commit(store, folder, part_bytes, segment_bytes))
    finally:
        store.close()
    ours, whole = median(taken[PART_BYTES]), median(taken[WHOLE])
    name = f"commit of {segment_bytes // 1024**2} MiB after its last record"
    return [Result(name, ours * 1000, "ms", "one PUT", whole * 1000, whole / ours, True, 2.0, 4.0)]


async def _commit(store: ObjectStore, folder: Path, part_bytes: int, segment_bytes: int) -> float:
    """Fill a segment and commit it; seconds from its last record on."""
    attempt = secrets.token_hex(4)
    writer = SegmentWriter(folder, SEGMENT, attempt, Warcinfo("bench"), created_at=DATE)
    key = keys.warc(SEGMENT, attempt)
    upload = SegmentUpload(store, SystemClock(), key, writer.open_path, part_bytes)
    began = ticked = time.monotonic()
    while writer.size < segment_bytes:
        block = Block.of(os.urandom(RECORD_BYTES))
        record = build("resource", new_record_id(), DATE, block, content_type="application/octet-stream")
        await asyncio.to_thread(writer.append, [record], time.monotonic())
        if time.monotonic() - ticked >= TICK_SECONDS:
            ticked = time.monotonic()
            if writer.needs_sync(ticked):
                await asyncio.to_thread(writer.sync)
            upload.go_on(writer.synced_size)
        await asyncio.sleep(max(0.0, began + writer.size / BYTES_A_SECOND - time.monotonic()))
    full_at = time.monotonic()
    closed = await asyncio.to_thread(writer.close)
    await upload.finish(closed)
    await store.put(keys.cdxj(SEGMENT, attempt), b"x\n")
    await store.create(keys.receipt("job-1", f"b-{attempt}", 0), b"{}")
    seconds = time.monotonic() - full_at
    await _check(store, key, closed)
    return seconds


async def _check(store: ObjectStore, key: str, closed: ClosedSegment) -> None:
    stored = await store.get(key)
    if stored != closed.path.read_bytes():
        raise AssertionError(f"{key} is not what was written")
    await store.delete(key)
    closed.path.unlink()
