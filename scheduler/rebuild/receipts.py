"""`commits/…`: outcomes, places of records, originals, versions and segments, in the order in which the batches were
made: of several captures of one URL the first counts."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from scheduler.rebuild.ports import RebuildPorts
from scheduler.rebuild.work import Rebuilt, Restoration
from schemas import keys
from schemas.records.outcome import UnfinishedVisit
from schemas.records.receipt import Receipt
from workers.catalog.jobs import job_key
from workers.catalog.receipts import originals, requisites, resumption_of, versions
from workers.errors import ObjectMissingError, PermanentError
from workers.ports import SegmentEntry

SHOWN_RECEIPTS: Final = 3


async def restore(work: Restoration) -> None:
    """Fold all receipts. The URLs of one that is damaged have no outcome, so they are fetched once more; a visit that
    was left at a redirect goes on from there."""
    jobless: defaultdict[str, list[str]] = defaultdict(list)
    known = {job.id for job in work.jobs}
    left: defaultdict[str, dict[tuple[str, int], UnfinishedVisit]] = defaultdict(dict)
    found = sorted([key async for key in work.ports.store.list(keys.COMMITS)], key=_batch_and_part)
    async for key, receipt in work.documents("receipts", found, Receipt):
        new = await _fold(work.ports, key, receipt)
        work.rebuilt.outcomes += new  # after the wait: what is read before it may have been added to meanwhile
        work.said.add_receipt(receipt)
        work.rebuilt.receipts.add(key)
        if receipt.job_id not in known:
            jobless[receipt.job_id].append(key)
        if receipt.warc is not None:
            work.entries[receipt.segment_id] = _entry(key, receipt)
        for visit in receipt.unfinished if receipt.job_id in known else ():
            left[receipt.job_id][visit.normalized_url, visit.visit] = visit
    for job_id, visits in left.items():  # those that have an outcome by now are known, and not queued
        work.admitted(job_id, await work.ports.frontier.admit(job_id, list(map(resumption_of, visits.values()))))
    await _tell_of_jobless(work, jobless)


async def _tell_of_jobless(work: Restoration, jobless: Mapping[str, Sequence[str]]) -> None:
    """A job that receipts speak of and whose object is gone is damage, once a job; what was captured stays. One whose
    object is there and cannot be read is told already."""
    told = {damage.key for damage in work.rebuilt.damaged}
    for job_id, receipts in jobless.items():
        key = _job_key(job_id)
        if key in told:
            continue
        first = ", ".join(receipts[:SHOWN_RECEIPTS]) + (", …" if len(receipts) > SHOWN_RECEIPTS else "")
        gone = ObjectMissingError(
            f"the job of {len(receipts)} receipts is gone: {first}",
            where=key,
            next_step="restore it from a copy, then rebuild; what was captured is kept, and no more is fetched",
        )
        await work.park(key, gone)


def _job_key(job_id: str) -> str:
    try:
        return job_key(job_id)
    except PermanentError:  # no id of ours, so nothing says on which day it was made
        return keys.receipts(job_id)


async def catch_up(ports: RebuildPorts, rebuilt: Rebuilt, *, now: str) -> int:
    """Take in receipts that were not there when the state was rebuilt: a worker that had captured under the old epoch
    may have put one since. How many there were."""
    seen = rebuilt.receipts.union(damage.key for damage in rebuilt.damaged)
    late = sorted([key async for key in ports.store.list(keys.COMMITS) if key not in seen], key=_batch_and_part)
    async for key, receipt in Restoration(ports, rebuilt, now).documents("receipts", late, Receipt):
        await _fold(ports, key, receipt)
        rebuilt.receipts.add(key)
    return len(late)


async def _fold(ports: RebuildPorts, key: str, receipt: Receipt) -> int:
    """Everything that follows from one receipt; how many URLs had no outcome before it."""
    entry = _entry(key, receipt)
    if entry.follows:  # before its URLs are done: a job does not end while a segment's links are to be taken
        await ports.ledger.advance(entry)
    new, *_ = await asyncio.gather(
        ports.frontier.restore_done(receipt.job_id, receipt.ended),
        ports.catalog.add_receipt(receipt),
        ports.revisits.publish(receipt.collection, originals(receipt)),
        ports.versions.publish(receipt.collection, versions(receipt)),
        ports.requisites.publish(receipt.job_id, requisites(receipt)),
        ports.ledger.advance(entry) if receipt.warc is not None else _nothing(),
    )
    return new


async def _nothing() -> None:
    """Of a receipt without a file there is nothing to extract."""


def _entry(key: str, receipt: Receipt) -> SegmentEntry:
    return SegmentEntry(
        segment_id=receipt.segment_id,
        job_id=receipt.job_id,
        lane=receipt.lane,
        stage="committed",
        receipt_key=key,
        follows=receipt.follow_depth > 0,
    )


def _batch_and_part(key: str) -> str:
    """The last part of a receipt's key: batch ids are ULIDs, so they sort by time over all jobs."""
    return key.rpartition("/")[2]
