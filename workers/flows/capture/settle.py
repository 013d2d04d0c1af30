"""The commit point, and everything that follows from a receipt. All of it can be done twice without harm."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence

from schemas import keys
from schemas.messages import ExtractSegment
from schemas.records.receipt import Receipt
from workers import metrics
from workers.catalog.receipts import originals, requisites, resumption_of, versions
from workers.errors import FencedError, RetryableError
from workers.flows.capture.settings import SettlePorts
from workers.ports import Lease, SegmentEntry

_NO_OUTCOMES = b'"outcomes":[]'
"""Stands in a receipt's JSON once: within a text, its quotes would be escaped."""
LOG = logging.getLogger(__name__)


def receipt_key(receipt: Receipt) -> str:
    """Where a receipt lies. There is no attempt in it, so that of two workers one wins."""
    return keys.receipt(receipt.job_id, receipt.batch_id, receipt.part)


def receipt_bytes(receipt: Receipt, outcomes: Sequence[bytes] | None = None) -> bytes:
    """A receipt as it is stored. Equal receipts give equal bytes, which is all that `create` asks for: nothing hashes
    or signs a receipt, and its canonical form would take several times as long. `outcomes`: the JSON of each, where it
    is at hand."""
    if not outcomes:
        return receipt.model_dump_json().encode()
    before, after = receipt.model_copy(update={"outcomes": ()}).model_dump_json().encode().split(_NO_OUTCOMES, 1)
    return b'%b"outcomes":[%b]%b' % (before, b",".join(outcomes), after)


async def commit_receipt(
    ports: SettlePorts,
    receipt: Receipt,
    lease: Lease,
    host_ready_ms: Mapping[str, int],
    outcomes: Sequence[bytes] | None = None,
) -> None:
    """Create the receipt, then settle it. FencedError where another worker committed this part first; EpochError,
    before anything is created, where the frontier has forgotten the lease: its URLs are released in another batch, and
    this receipt would stand beside the one of that."""
    await _of_this_epoch(ports, lease)
    body = receipt_bytes(receipt, outcomes)
    stored = await ports.store.create(receipt_key(receipt), body, content_type="application/json")
    if not stored:
        raise FencedError(
            "another worker committed this part of the batch",
            where=receipt_key(receipt),
            next_step="nothing: its capture stands, and this file is dropped",
        )
    for outcome, count in Counter([each.outcome for each in receipt.outcomes]).items():
        metrics.URLS.labels(outcome.value).inc(count)
    for outcome, count in Counter([each.outcome for each in receipt.requisites]).items():
        metrics.REQUISITES.labels(outcome.value).inc(count)
    metrics.UNFINISHED.inc(len(receipt.unfinished))
    if receipt.warc is not None:
        metrics.BYTES.labels("warc").inc(receipt.warc.bytes)
        metrics.SEGMENTS.labels("committed").inc()
    await settle(ports, receipt, lease, host_ready_ms)


async def _of_this_epoch(ports: SettlePorts, lease: Lease) -> None:
    """Ask as late as can be. A frontier that is away has not forgotten yet: whoever rebuilds it finds the receipt."""
    try:
        await ports.frontier.heartbeat(lease, now_ms=int(ports.clock.now().timestamp() * 1000))
    except RetryableError as error:
        LOG.warning("committed without a look at the epoch batch=%s error=%s", lease.batch.batch_id, error)


async def settle(ports: SettlePorts, receipt: Receipt, lease: Lease, host_ready_ms: Mapping[str, int]) -> None:
    """Dedup keys, versions, catalog and ledger side by side, then frontier, then message: each derived from the receipt
    alone. None of the first tells anybody that a URL is done, so that it does not matter in which order they come."""
    entry = SegmentEntry(
        segment_id=receipt.segment_id,
        job_id=receipt.job_id,
        lane=receipt.lane,
        stage="committed",
        receipt_key=receipt_key(receipt),
        follows=receipt.follow_depth > 0,
        since_ms=int(ports.clock.now().timestamp() * 1000),
    )
    await _all_of(
        ports.catalog.add_receipt(receipt),  # the longest: Redis is at it while the others are packed
        ports.revisits.publish(receipt.collection, originals(receipt)),
        ports.versions.publish(receipt.collection, versions(receipt)),
        ports.requisites.publish(receipt.job_id, requisites(receipt)),
        *([ports.ledger.advance(entry)] if receipt.warc is not None else []),
    )
    for unfinished in receipt.unfinished:  # before the commit, which hands back what is left in the batch
        await ports.frontier.defer(lease, resumption_of(unfinished), now_ms=int(ports.clock.now().timestamp() * 1000))
    held = await ports.frontier.commit(
        lease,
        {outcome.normalized_url: outcome.outcome for outcome in receipt.ended if outcome.outcome.has_response},
        now_ms=int(ports.clock.now().timestamp() * 1000),
        ready_at_ms=host_ready_ms,
        last=receipt.last,
        unanswered=[outcome for outcome in receipt.ended if not outcome.outcome.has_response],
        part=receipt.part,
    )
    if not held:
        LOG.warning("lease lost after its receipt batch=%s part=%d", receipt.batch_id, receipt.part)
    if receipt.warc is None:  # there is nothing to extract
        return
    try:
        await ports.announcer.announce(
            ExtractSegment(
                schema="citevault/extract-segment@1",
                lane=receipt.lane,
                segment_id=receipt.segment_id,
                receipt_key=receipt_key(receipt),
            )
        )
    except RetryableError as error:  # the ledger sweep sends it again
        LOG.warning("extract not announced segment=%s error=%s", receipt.segment_id, error)


async def _all_of(*writes: Awaitable[None]) -> None:
    """Let all of them end, then raise what the first one that failed raised."""
    for ended in await asyncio.gather(*writes, return_exceptions=True):
        if ended is not None:
            raise ended
