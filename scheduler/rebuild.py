"""Redis is disposable: everything in it is restored from the store, under a new epoch.

Order: raise the epoch in the store, so that all that still speaks of the old state is refused; mark
Redis as being rebuilt, so that nobody takes half a state for a whole one; take the old state down;
read jobs, receipts, snapshot files and the names of what later stages wrote; queue what has no
outcome; let everybody in. Stopped anywhere in between it begins again, with yet another epoch.

What is published is not read here: segments come back as clustered at most, and the publisher, which
verifies the log before it adds to it, finds their leaves and moves them on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, TypeVar

from scheduler.intake import resume_intake
from scheduler.sweep import ParkedSegment
from schemas import keys
from schemas.reading import DocumentError, read_document
from schemas.records.base import Record
from schemas.records.job import StoredJob
from schemas.records.outcome import UrlOutcome
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from workers.catalog.packing import milliseconds
from workers.catalog.receipts import originals, requisites, versions
from workers.catalog.snapshot_files import MAX_FILE_BYTES, split_lines
from workers.errors import CorruptError, RetryableError
from workers.frontier.epoch import Epoch, raise_epoch, read_epoch
from workers.ports import (
    Catalog,
    Frontier,
    Ledger,
    ObjectStore,
    RequisiteIndex,
    RevisitIndex,
    SegmentEntry,
    VersionIndex,
)

READS_AT_ONCE: Final = 16
MAX_DOCUMENT_BYTES: Final = 64 * 1024 * 1024
T = TypeVar("T")
R = TypeVar("R", bound=Record)


class RestorableFrontier(Frontier, Protocol):
    """A frontier whose URLs can be marked done without a lease."""

    async def restore_done(self, job_id: str, outcomes: Sequence[UrlOutcome]) -> int: ...


class StateMark(Protocol):
    """The epoch mark of Redis, and its state as a whole."""

    async def mark(self) -> str: ...

    async def swap_mark(self, expected: str, following: str) -> bool: ...

    async def clear(self) -> int: ...


class Lease(Protocol):
    """The right to be the one who rebuilds: two at a time would take down each other's work."""

    @property
    def seconds(self) -> float:
        """How long it lasts without being taken again."""

    async def take(self) -> bool: ...

    async def leave(self) -> None: ...


Step = Callable[[], Awaitable[object]]
"""Restores what another part keeps in Redis, such as the cluster state. Runs while everybody else is refused."""


@dataclass(frozen=True, slots=True)
class RebuildPorts:
    store: ObjectStore
    frontier: RestorableFrontier
    ledger: Ledger
    catalog: Catalog
    revisits: RevisitIndex
    requisites: RequisiteIndex
    versions: VersionIndex
    state: StateMark
    epoch: Epoch
    lease: Lease
    steps: Sequence[Step] = ()


@dataclass(slots=True)
class Rebuilt:
    """What was restored."""

    epoch: int
    objects: int = 0
    jobs: int = 0
    outcomes: int = 0
    queued: int = 0
    snapshots: int = 0
    receipts: set[str] = field(default_factory=set)
    """Keys of those that were read, so that later ones are told apart."""


async def settle(ports: RebuildPorts, *, now: str) -> Rebuilt | None:
    """Make sure that store and Redis are in one epoch: None where they are, else what a rebuild restored. A new
    archive is the rebuild of nothing. RetryableError while another process rebuilds."""
    found = await read_epoch(ports.store)
    mark = await ports.state.mark()
    if found is not None and mark == str(found.epoch):
        ports.epoch.number = found.epoch
        return None
    if found is None:
        reason = "the archive had no epoch"
    elif not mark:
        reason = "Redis had lost its state"
    else:
        reason = f"Redis was in epoch {mark[:40]}, the store in {found.epoch}"
    return await rebuild(ports, now=now, reason=reason)


async def rebuild(ports: RebuildPorts, *, now: str, reason: str) -> Rebuilt:
    """Restore the state under the next epoch. RetryableError where another process is doing it."""
    async with _only_one(ports.lease):
        raised = await raise_epoch(ports.store, now=now, reason=reason)
        ports.epoch.number, ports.epoch.rebuilding = raised.epoch, True
        try:
            if not await ports.state.swap_mark(await ports.state.mark(), ports.epoch.text):
                raise RetryableError("another process changed the epoch", where="Redis", next_step="try again")
            await ports.state.clear()
            rebuilt = Rebuilt(raised.epoch)
            await _restore(ports, rebuilt)
            if not await ports.state.swap_mark(ports.epoch.text, str(raised.epoch)):
                raise RetryableError("Redis lost its state during the rebuild", where="Redis", next_step="try again")
        finally:
            ports.epoch.rebuilding = False
    return rebuilt


@asynccontextmanager
async def _only_one(lease: Lease) -> AsyncIterator[None]:
    """Hold the lease. Who stalls so long that another takes it is stopped by the epoch, which that one raises."""
    if not await lease.take():
        raise RetryableError("another process rebuilds the state", where="Redis", next_step="wait until it has ended")

    async def keep() -> None:
        while True:
            await asyncio.sleep(lease.seconds / 4)
            with suppress(RetryableError):
                await lease.take()

    keeper = asyncio.create_task(keep())
    try:
        yield
    finally:
        keeper.cancel()
        with suppress(asyncio.CancelledError):
            await keeper
        await lease.leave()


async def catch_up(ports: RebuildPorts, seen: set[str]) -> int:
    """Take in receipts that were not there when the state was rebuilt: a worker that had captured under the old epoch
    may have put one since. How many there were; their keys are added to `seen`."""
    late = [key async for key in ports.store.list(keys.COMMITS) if key not in seen]
    async for key, receipt in _documents(ports.store, sorted(late, key=_batch_and_part), Receipt):
        await _fold(ports, key, receipt)
        seen.add(key)
    return len(late)


async def _restore(ports: RebuildPorts, rebuilt: Rebuilt) -> None:
    jobs = [job async for _, job in _documents(ports.store, await _job_keys(ports.store), StoredJob)]
    jobs.sort(key=lambda job: (job.created_at, job.id))
    for job in jobs:
        await ports.frontier.open_job(job)
    rebuilt.jobs = len(jobs)
    entries = await _receipts(ports, rebuilt)
    for job in jobs:
        rebuilt.queued += await resume_intake(job, store=ports.store, frontier=ports.frontier)
        rebuilt.objects += 1 + len(job.seed_parts)
    await _extracted(ports, entries, rebuilt)
    await _clustered(ports, entries)
    await _parked(ports, entries)
    for step in ports.steps:
        await step()


async def _job_keys(store: ObjectStore) -> list[str]:
    return [key async for key in store.list(keys.JOBS) if key.endswith("/job.json")]


async def _receipts(ports: RebuildPorts, rebuilt: Rebuilt) -> dict[str, SegmentEntry]:
    """Outcomes, locations, originals and segments, in the order in which the batches were made: of several captures
    of one URL the first counts."""
    found = sorted([key async for key in ports.store.list(keys.COMMITS)], key=_batch_and_part)
    entries: dict[str, SegmentEntry] = {}
    async for key, receipt in _documents(ports.store, found, Receipt):
        rebuilt.outcomes += await _fold(ports, key, receipt)
        rebuilt.receipts.add(key)
        entries[receipt.segment_id] = _entry(key, receipt)
    rebuilt.objects += len(found)
    return entries


async def _fold(ports: RebuildPorts, key: str, receipt: Receipt) -> int:
    """Everything that follows from one receipt; how many URLs had no outcome before it."""
    new = await ports.frontier.restore_done(receipt.job_id, receipt.ended)
    await ports.catalog.add_receipt(receipt)
    await ports.revisits.publish(receipt.collection, originals(receipt))
    await ports.versions.publish(receipt.collection, versions(receipt))
    if had := requisites(receipt):
        await ports.requisites.publish(receipt.job_id, had)
    await ports.ledger.advance(_entry(key, receipt))
    return new


async def _extracted(ports: RebuildPorts, entries: dict[str, SegmentEntry], rebuilt: Rebuilt) -> None:
    """Snapshot files; what no receipt names is garbage and is passed over. Of several extractors' files for a segment
    all are read, the last by name decides."""
    prints = await _by_segment(ports.store, "prints/")
    found = sorted([key async for key in ports.store.list("text/") if key.endswith(".jsonl.gz")])
    async for key, data in _each(found, lambda key: ports.store.get(key, limit=MAX_FILE_BYTES)):
        entry = entries.get(_segment(key))
        if entry is None:
            continue
        lines = [_parsed(line, SnapshotLine, key) for line in split_lines(data, key)]
        await ports.catalog.add_snapshots(key, lines)
        entries[entry.segment_id] = replace(
            entry, stage="extracted", snapshots_key=key, prints_key=prints.get(entry.segment_id, "")
        )
        rebuilt.snapshots += len(lines)
        rebuilt.objects += 1
    for entry in entries.values():
        await ports.ledger.advance(entry)


async def _clustered(ports: RebuildPorts, entries: dict[str, SegmentEntry]) -> None:
    """Only names are read: what the objects say is restored by a step of its own."""
    for segment_id, key in (await _by_segment(ports.store, "clusters/")).items():
        entry = entries.get(segment_id)
        if entry is not None and entry.stage == "extracted":
            entries[segment_id] = replace(entry, stage="clustered", clusters_key=key)
            await ports.ledger.advance(entries[segment_id])


async def _parked(ports: RebuildPorts, entries: dict[str, SegmentEntry]) -> None:
    """A segment that has got on since it was parked is parked no more."""
    found = [key async for key in ports.store.list("parked/")]
    async for _, parked in _documents(ports.store, found, ParkedSegment):
        entry = entries.get(parked.segment_id)
        if entry is not None and entry.stage == parked.stage:
            await ports.ledger.park(parked.segment_id, now_ms=milliseconds(parked.parked_at))


async def _by_segment(store: ObjectStore, prefix: str) -> dict[str, str]:
    """The last key by name for each segment under a prefix."""
    return {_segment(key): key for key in sorted([key async for key in store.list(prefix)])}


async def _documents(store: ObjectStore, found: Sequence[str], kind: type[R]) -> AsyncIterator[tuple[str, R]]:
    """JSON documents with their keys, in the order of the keys given. CorruptError where one cannot be read."""
    async for key, data in _each(found, lambda key: store.get(key, limit=MAX_DOCUMENT_BYTES)):
        yield key, _parsed(data, kind, key)


async def _each(found: Sequence[str], read: Callable[[str], Awaitable[T]]) -> AsyncIterator[tuple[str, T]]:
    """Read some at a time, and give them in order."""
    for start in range(0, len(found), READS_AT_ONCE):
        some = found[start : start + READS_AT_ONCE]
        for key, value in zip(some, await asyncio.gather(*map(read, some)), strict=True):
            yield key, value


def _parsed(data: bytes, kind: type[R], key: str) -> R:
    document = read_document(data, kind)
    if isinstance(document, DocumentError):
        raise CorruptError(
            f"a stored document cannot be read: {document}", where=key, next_step="restore it from a copy, then rebuild"
        )
    return document


def _entry(key: str, receipt: Receipt) -> SegmentEntry:
    return SegmentEntry(
        segment_id=receipt.segment_id, job_id=receipt.job_id, lane=receipt.lane, stage="committed", receipt_key=key
    )


def _batch_and_part(key: str) -> str:
    """The last part of a receipt's key: batch ids are ULIDs, so they sort by time over all jobs."""
    return key.rpartition("/")[2]


def _segment(key: str) -> str:
    """The segment that an object of a later stage is about."""
    return key.rpartition("/")[2].removesuffix(".jsonl.gz")
