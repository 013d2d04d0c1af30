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
from workers.flows.extract.answer import StoredAnswer, stored_answer
from workers.flows.extract.members import SegmentRecords
from workers.ports import Catalog, ObjectStore

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
