"""Pages whose requisites an earlier worker of the batch had not finished: what is missing is searched for again.

Nothing was written down about it, since it follows from what was: the page's own record and those of its sheets
and frames name everything, and the receipts say what has an outcome.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from schemas.records.outcome import UrlOutcome
from schemas.records.receipt import Receipt
from schemas.records.requisite import RequisiteKind, RequisiteOutcome
from workers.errors import CorruptError
from workers.flows.capture.requisite_documents import Document
from workers.flows.capture.resume import receipts_of
from workers.flows.capture.settings import SettlePorts
from workers.flows.extract.answer import StoredAnswer, stored_answer
from workers.flows.extract.members import SegmentRecords
from workers.ports import Batch, Catalog, ObjectStore

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LeftPage:
    """A page that waits for its requisites, and those of its sheets and frames that were captured."""

    outcome: UrlOutcome
    receipt: Receipt
    inner: tuple[tuple[RequisiteOutcome, Receipt], ...]


def left_pages(receipts: Sequence[Receipt]) -> Iterator[LeftPage]:
    """Pages that some part of a batch has as pending and none as completed."""
    ended = {outcome.normalized_url for receipt in receipts for outcome in receipt.ended}
    for receipt in receipts:
        for outcome in receipt.outcomes:
            if outcome.normalized_url in ended:
                continue
            final = outcome.final
            own = {record.record_id for record in final.records} if final is not None else set()
            inner = tuple(
                (requisite, later)
                for later in receipts
                for requisite in later.requisites
                if requisite.page_record in own and requisite.kind in (RequisiteKind.STYLE, RequisiteKind.FRAME)
            )
            yield LeftPage(outcome, receipt, inner)


@dataclass(frozen=True, slots=True)
class Left:
    """What a batch has to go on with."""

    pages: tuple[LeftPage, ...]
    receipts: tuple[Receipt, ...]
    """Of this batch, and of earlier ones in which pages of it were written."""


async def left_in(ports: SettlePorts, batch: Batch, receipts: Sequence[Receipt]) -> Left:
    """Pages of a batch that wait for their requisites. `receipts`: its own; those of batches that were ended since the
    job was paused are read."""
    written = {url.normalized_url: url.written.batches for url in batch.urls if url.written is not None}
    batches = dict.fromkeys(each for of_page in written.values() for each in of_page)
    earlier = [receipt for each in batches for receipt in await receipts_of(ports, batch.job_id, each)]
    own = {page.normalized_url for receipt in receipts for page in receipt.outcomes}
    pages = left_pages([*earlier, *receipts])
    return Left(
        tuple(page for page in pages if page.outcome.normalized_url in own or page.outcome.normalized_url in written),
        (*earlier, *receipts),
    )


def batches_of(page: LeftPage, batch: Batch) -> tuple[str, ...]:
    """Where a page and its requisites are written, this batch included."""
    before = next((url.written for url in batch.urls if url.normalized_url == page.outcome.normalized_url), None)
    known = (page.receipt.batch_id,) if before is None else before.batches
    return tuple(dict.fromkeys((*known, batch.batch_id)))


async def stored_documents(
    page: LeftPage, store: ObjectStore, catalog: Catalog
) -> list[tuple[Document, RequisiteOutcome | None]]:
    """The page (with None) and its captured sheets and frames, out of the archive. What cannot be trusted any more is
    left out: extraction says so too, and louder."""
    wanted: list[tuple[UrlOutcome, Receipt, RequisiteOutcome | None]] = [(page.outcome, page.receipt, None)]
    wanted += [
        (page.outcome.model_copy(update={"hops": requisite.hops}), receipt, requisite)
        for requisite, receipt in page.inner
    ]
    found: list[tuple[Document, RequisiteOutcome | None]] = []
    for outcome, receipt, requisite in wanted:
        try:
            answer = await stored_answer(outcome, SegmentRecords(store, catalog, receipt), catalog)
        except CorruptError as error:
            LOG.error("requisites not searched for again job=%s error=%s", receipt.job_id, error)
            continue
        if answer is not None:
            found.append((_document(answer), requisite))
            answer.close()
    return found


def _document(answer: StoredAnswer) -> Document:
    return Document(
        answer.hop.url,
        answer.header_values("Content-Type"),
        answer.header_values("Content-Encoding"),
        answer.content.payload(),
    )
