"""Going on with what a worker left of a batch, instead of fetching it again.

A worker that is killed leaves its segments and their journals on its machine. When the batch is taken
again there, the visits that are whole in them are committed as its next parts, in the same order of
writes as any other; what fell off is fetched again with the rest. Files of a batch that ended, or of whose
URLs others committed any, are of no use and go: a worker that only stood still keeps its
file from the next one, who fetches the same pages once more, and may leave them too.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from itertools import chain

from schemas import keys
from schemas.records.receipt import Receipt
from workers import metrics
from workers.archive.journal import read_journal_of, remove_segment
from workers.archive.salvage import Salvaged, Spoiled, salvage
from workers.errors import CorruptError, ObjectMissingError, RetryableError
from workers.flows.capture.recorder import Recorder
from workers.flows.capture.settings import CapturePorts, SettlePorts
from workers.flows.documents import read_object
from workers.ports import Lease, LeftBatch

LOG = logging.getLogger(__name__)
RESTORE = "restore the object from a copy of the bucket"
LOOK_AGAIN_SECONDS = 120.0
"""A batch is sent again within a lease and a sweep: nothing is looked at before."""
KEEP_SECONDS = 24 * 3600.0
"""Longer than any batch lives. Without a receipt that says so, its frontier was rebuilt: its URLs have new batches."""


async def receipts_of(ports: SettlePorts, job_id: str, batch_id: str, *, parts: int = 0) -> list[Receipt]:
    """All receipts of a batch, in the order of their parts. ObjectMissingError where one is gone: later ones are there,
    or so many `parts` are known to have been. CorruptError where one cannot be read."""
    found = sorted([key async for key in ports.store.list(keys.batch_receipts(job_id, batch_id))])
    for part in range(max(parts, len(found))):
        key = keys.receipt(job_id, batch_id, part)
        if part >= len(found) or found[part] != key:
            raise ObjectMissingError("a receipt of a batch is gone", where=key, next_step=RESTORE)
    return [await read_object(ports.store, key, Receipt) for key in found]


def told(receipts: Sequence[Receipt]) -> set[str]:
    """The URLs (normalized) that need no fetching in this batch any more: done, or going on in another."""
    pages = (page for receipt in receipts for page in (*receipt.outcomes, *receipt.completed))
    unfinished = (visit for receipt in receipts for visit in receipt.unfinished)
    return {page.normalized_url for page in pages} | {visit.normalized_url for visit in unfinished}


async def resume(ports: CapturePorts, recorder: Recorder, lease: Lease, receipts: Sequence[Receipt]) -> frozenset[str]:
    """Commit what was left of a batch; the URLs (normalized) that need no fetching any more."""
    committed = {(receipt.segment_id, receipt.attempt) for receipt in receipts}
    done = told(receipts)
    resumed: set[str] = set()
    for segment in ports.files.take(lease.batch.batch_id):
        found = await asyncio.to_thread(salvage, segment)
        if isinstance(found, Salvaged):
            segment = found.closed.path  # it has another name by now
            found = _of_use(found, lease, committed, done | resumed)
        if isinstance(found, Spoiled):
            LOG.warning(
                "left segment dropped batch=%s segment=%s reason=%s", lease.batch.batch_id, segment.name, found.why
            )
            remove_segment(segment)
            continue
        if found.lost:
            metrics.ERRORS.labels("spool", "corrupt").inc()
            LOG.error(
                "disk lost records batch=%s segment=%s lost=%d", lease.batch.batch_id, segment.name, len(found.lost)
            )
        await recorder.adopt(found)
        resumed |= {visit.normalized_url for visit in found.visits if visit.normalized_url is not None}
    return frozenset(resumed)


def _of_use(found: Salvaged, lease: Lease, committed: set[tuple[str, str]], done: set[str]) -> Salvaged | Spoiled:
    """Whether a segment can be a part of this batch."""
    head = found.head
    if (head.job_id, head.batch_id) != (lease.batch.job_id, lease.batch.batch_id):
        return Spoiled("its journal names another batch")
    if (head.segment_id, head.attempt) in committed:
        return Spoiled("it was committed")
    pages = {visit.normalized_url for visit in found.visits if visit.normalized_url is not None}
    if pages <= done:
        return Spoiled("others committed its URLs")
    if pages & done:  # a part holds whole segments, and no URL that another part has
        return Spoiled("others committed some of its URLs, and the rest is fetched again")
    return found


async def drop_ended(ports: CapturePorts, *, at_least_seconds: float = LOOK_AGAIN_SECONDS) -> None:
    """Remove what waits of batches that nobody will take again: receipts say so, or it has waited for a day."""
    try:
        found = ports.files.left(at_least_seconds=at_least_seconds)
    except OSError as error:  # such as of a disk that has become read-only
        LOG.warning("left batches not looked for error=%s", error)
        return
    for left in found:
        try:
            why = await _end_of(ports, left)
        except (RetryableError, CorruptError, ObjectMissingError) as error:  # it waits on, and the others do not
            LOG.warning("left batch not looked up batch=%s error=%s", left.batch_id, error)
            continue
        if why is not None:
            LOG.info("left batch dropped batch=%s segments=%d reason=%s", left.batch_id, len(left.segments), why)
            ports.files.drop(left.batch_id)


async def _end_of(ports: CapturePorts, left: LeftBatch) -> str | None:
    """Why nobody will go on with a batch; None where somebody may."""
    journals = [await asyncio.to_thread(read_journal_of, segment) for segment in left.segments]
    heads = [journal.head for journal in journals if journal.head is not None]
    if not heads:
        return "no journal says whose it is"
    if left.left_seconds > KEEP_SECONDS:
        return "nobody took it for a day"
    receipts = await receipts_of(ports, heads[0].job_id, left.batch_id)
    if any(receipt.last for receipt in receipts):
        return "the batch has ended"
    done = told(receipts)
    visits = chain.from_iterable(journal.visits for journal in journals)
    return (
        "others committed its URLs"
        if all(visit.normalized_url is None or visit.normalized_url in done for visit in visits)
        else None
    )
