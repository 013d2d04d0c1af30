"""The scheduler ends a batch itself: a last receipt says so, and what has no outcome is queued again or parked.

A batch goes out under its own id, so that whoever had it before, and may still be at work, is fenced by its receipts.
That holds here too: the last receipt is created like any other, and of the scheduler and a straggler one wins. Only
then are its URLs free for other batches.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ulid import ULID

from scheduler.suspicion import GIVEN_UP, PAUSED, STOPPED, Step, reason
from schemas.ids import segment_id, utc_string
from schemas.records.outcome import Outcome, UnfinishedVisit, UrlOutcome, WrittenPage
from schemas.records.receipt import Receipt
from workers import metrics
from workers.catalog.jobs import load_job
from workers.errors import CitevaultError, CorruptError, EpochError, ObjectMissingError
from workers.flows.capture.requisite_resume import LeftPage, batches_of, left_in
from workers.flows.capture.resume import receipts_of
from workers.flows.capture.setting_aside import set_aside
from workers.flows.capture.settings import SettlePorts
from workers.flows.capture.settle import receipt_bytes, receipt_key, settle
from workers.ports import Batch, Lease, QueuedUrl

LOG = logging.getLogger(__name__)
WORKER: Final = "scheduler"


@dataclass(frozen=True, slots=True)
class Closer:
    """Ends batches that were taken back."""

    ports: SettlePorts

    async def close(self, batch: Batch, step: Step) -> Sequence[Batch]:
        """End a batch; the ones that came out of it, to be sent. A straggler that was faster is left to it; a batch
        that needs an object which is damaged or gone is set aside, and one whose objects can be read again gives back
        what is left of it."""
        lease = await self.ports.frontier.claim(batch.batch_id, worker=WORKER, now_ms=self._now_ms(), to_give_back=True)
        if not isinstance(lease, Lease):
            return ()
        try:
            return await self._close(lease, step, batch.fruitless)
        except EpochError:
            raise
        except (CorruptError, ObjectMissingError) as error:
            await set_aside(self.ports, lease, error)
            return ()
        except CitevaultError:
            # Where not even this can be done, it is the stores that fail, and no URL is to be suspected.
            for _ in range(batch.fruitless + 1):
                await self.ports.frontier.excuse(lease)
            raise

    async def _close(self, lease: Lease, step: Step, fruitless: int) -> Sequence[Batch]:
        batch = lease.batch
        receipts = await receipts_of(self.ports, batch.job_id, batch.batch_id, parts=lease.parts)
        for receipt in receipts:
            await settle(self.ports, receipt, lease, {})
        if receipts and receipts[-1].last:
            return ()
        told = {outcome.normalized_url for receipt in receipts for outcome in receipt.outcomes}
        told |= {visit.normalized_url for receipt in receipts for visit in receipt.unfinished}
        pages = (await left_in(self.ports, batch, receipts)).pages
        told |= {page.outcome.normalized_url for page in pages}
        left = [url for url in batch.urls if url.normalized_url not in told]
        outcomes = [_parked(url, lease, fruitless) for url in left] if step == "park" else []
        last = await self._last_receipt(lease, len(receipts), outcomes, await self._standing(lease, step, pages))
        created = await self.ports.store.create(receipt_key(last), receipt_bytes(last), content_type="application/json")
        if not created:
            LOG.info("batch not closed, it got on batch=%s", batch.batch_id)
            return ()
        for outcome in outcomes:
            metrics.URLS.labels(outcome.outcome.value).inc()
            LOG.error("url parked job=%s batch=%s deliveries=%d", batch.job_id, batch.batch_id, fruitless)
        apart = await self._apart(lease, last) if step == "take apart" else ()
        await settle(self.ports, last, lease, {})
        LOG.warning("batch closed batch=%s step=%s urls=%d", batch.batch_id, step, len(left))
        return apart

    async def _apart(self, lease: Lease, last: Receipt) -> Sequence[Batch]:
        """What is over leaves the batch first, so that it is nobody's suspect."""
        over = {page.normalized_url: page.outcome for page in last.completed}
        await self.ports.frontier.commit(lease, over, now_ms=self._now_ms(), ready_at_ms={}, last=False)
        return await self.ports.frontier.isolate(lease, now_ms=self._now_ms())

    async def _standing(self, lease: Lease, step: Step, pages: Sequence[LeftPage]) -> _Standing:
        """What becomes of pages that are written and wait for what they need. Where the job may go on, so do they, in
        another batch, and only for that; else they are over, and not fetched again for it."""
        progress = await self.ports.frontier.progress(lease.batch.job_id) if pages and step == "give back" else None
        if progress is not None and progress.state != "cancelled":
            return _Standing(unfinished=tuple(_waiting(page, lease.batch) for page in pages))
        remark = STOPPED if step == "give back" else GIVEN_UP
        return _Standing(
            completed=tuple(
                page.outcome.model_copy(update={"hops": (), "remarks": (*page.outcome.remarks, remark)})
                for page in pages
            )
        )

    async def _last_receipt(
        self, lease: Lease, part: int, outcomes: Sequence[UrlOutcome], standing: _Standing
    ) -> Receipt:
        job = await load_job(self.ports.store, lease.batch.job_id)
        now, ulid = utc_string(self.ports.clock.now()), str(ULID())
        return Receipt(
            schema="citevault/receipt@1",
            job_id=job.id,
            collection=job.collection,
            lane=job.lane,
            batch_id=lease.batch.batch_id,
            part=part,
            segment_id=segment_id(now, ulid),
            attempt="none",
            token=lease.token,
            worker=WORKER,
            opened_at=now,
            committed_at=now,
            warc=None,
            cdxj=None,
            warcinfo=None,
            outcomes=tuple(outcomes),
            unfinished=standing.unfinished,
            completed=standing.completed,
            last=True,
        )

    def _now_ms(self) -> int:
        return int(self.ports.clock.now().timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class _Standing:
    """Of pages that wait for what they need."""

    unfinished: tuple[UnfinishedVisit, ...] = ()
    completed: tuple[UrlOutcome, ...] = ()


def _waiting(page: LeftPage, batch: Batch) -> UnfinishedVisit:
    outcome = page.outcome
    return UnfinishedVisit(
        requested_url=outcome.requested_url,
        normalized_url=outcome.normalized_url,
        visit=outcome.visit,
        tries=outcome.tries,
        depth=outcome.depth,
        hops=(),
        resumes_at=outcome.normalized_url,
        reason=PAUSED,
        written=WrittenPage(outcome=outcome.outcome, batches=batches_of(page, batch)),
    )


def _parked(url: QueuedUrl, lease: Lease, fruitless: int) -> UrlOutcome:
    return UrlOutcome(
        requested_url=url.requested_url,
        normalized_url=url.normalized_url,
        visit=url.visit,
        outcome=Outcome.PARKED,
        tries=url.tries + 1,
        calls=lease.calls,
        failure=reason(fruitless),
        job_id=lease.batch.job_id,
        depth=url.depth,
        via=url.via,
    )
