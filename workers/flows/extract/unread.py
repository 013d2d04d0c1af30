"""Answers that cannot be read out of the archive, told beside what can: one bad record costs only itself."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.outcome import UrlOutcome
from schemas.records.receipt import Receipt
from schemas.records.unread import UnreadAnswer, UnreadAnswers
from workers import metrics
from workers.errors import CorruptError
from workers.ports import ObjectStore

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Unread:
    """A URL with an answer, and why that could not be read."""

    outcome: UrlOutcome
    error: CorruptError


async def tell_unread(
    unread: Sequence[Unread], receipt: Receipt, extractor: str, found_at: str, store: ObjectStore
) -> None:
    """Write them down, before the lines that have no snapshot of them."""
    if not unread:
        return
    told = UnreadAnswers(
        schema="citevault/unread-answers@1",
        job_id=receipt.job_id,
        segment_id=receipt.segment_id,
        extractor=extractor,
        found_at=found_at,
        answers=tuple(
            UnreadAnswer(requested_url=each.outcome.requested_url, error=str(each.error)[:10_000]) for each in unread
        ),
    )
    key = keys.unread(receipt.job_id, extractor, receipt.segment_id)
    await store.put(key, canonical_bytes(told), content_type="application/json")
    for each in unread:
        metrics.ERRORS.labels("extract", "corrupt").inc()
        LOG.error("answer not read segment=%s error=%s", receipt.segment_id, each.error)
