"""What a receipt says of a visit: pure translation of exchanges, decisions and places into hops and outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from schemas.ids import utc_string
from schemas.records.job import StoredJob
from schemas.records.outcome import Hop, Outcome, RecordLocation, UnfinishedVisit, UrlOutcome
from schemas.records.requisite import RequisiteOutcome
from workers.capture.redirects import Redirect, next_hop
from workers.capture.retries import RetrySchedule, pause_before_next_try
from workers.exchange import Exchange
from workers.flows.capture.recall import Recall, revalidation_of
from workers.flows.capture.requisite_visit import RequisiteVisit
from workers.flows.capture.visit import Unfinished, Visit

MAX_SENTENCE = 1000
MAX_TYPE = 4096  # characters of a Content-Type; the record keeps all of it


def hop_of(
    exchange: Exchange,
    outcome: Outcome,
    places: Sequence[RecordLocation],
    *,
    refers_to: str | None = None,
    reusable: bool = False,
    failure: str | None = None,
    recall: Recall | None = None,
) -> Hop:
    """One exchange as the receipt tells it.

    `outcome`, `refers_to`: as its records have it. `reusable`: its response record carries a payload digest.
    `recall`: what was known of its URL; None for robots.txt, which is never asked for on conditions.
    """
    response = exchange.response
    following = next_hop(exchange.url, exchange)
    whole = outcome is Outcome.CAPTURED and exchange.truncated is None
    original = reusable and whole and response is not None and response.content.size > 0
    sentence = failure or exchange.failure
    return Hop(
        url=exchange.url,
        outcome=outcome,
        http_status=response.status if response else None,
        retrieved_at=exchange.started_at,
        content_sha256=response.content.sha256 if response else None,
        content_bytes=response.content.size if response else 0,
        content_type=((response.header("Content-Type") or "")[:MAX_TYPE] or None) if response else None,
        location=following.url if isinstance(following, Redirect) else None,
        records=tuple(places),
        reusable=original,
        refers_to=refers_to,
        revalidation=(
            revalidation_of(exchange, outcome, recall, refers_to=refers_to, reusable=original) if recall else None
        ),
        failure=sentence[:MAX_SENTENCE] if sentence else None,
    )


def outcome_of(visit: Visit, hops: tuple[Hop, ...], job: StoredJob) -> UrlOutcome:
    """The outcome of one URL."""
    return UrlOutcome(
        requested_url=visit.queued.requested_url,
        normalized_url=visit.queued.normalized_url,
        visit=visit.queued.visit,
        outcome=_standing(visit, hops),
        tries=visit.queued.tries + 1,
        hops=hops,
        failure=visit.failure[:MAX_SENTENCE] if visit.failure else None,
        remarks=tuple(remark[:MAX_SENTENCE] for remark in visit.remarks),
        job_id=job.id,
        depth=visit.queued.depth,
        via=visit.queued.via,
    )


def with_next_try(told: UrlOutcome, schedule: RetrySchedule, now: datetime, calls: int) -> UrlOutcome:
    """A failure with when it is tried again, where that is worth while. `calls`: how often somebody had asked for
    another try of the job's failures when this one began."""
    if told.outcome.has_response:
        return told
    pause = pause_before_next_try(told.outcome, told.tries, schedule)
    retry_at = None if pause is None else utc_string(now + timedelta(seconds=pause))
    return told.model_copy(update={"retry_at": retry_at, "calls": calls})


def unfinished_of(visit: Unfinished, hops: tuple[Hop, ...], resumes_at: str) -> UnfinishedVisit:
    """What a receipt says of a visit that goes on later."""
    queued = visit.queued
    return UnfinishedVisit(
        requested_url=queued.requested_url,
        normalized_url=queued.normalized_url,
        visit=queued.visit,
        tries=queued.tries,
        depth=queued.depth,
        hops=hops,
        via=queued.via,
        resumes_at=resumes_at,
        reason=visit.reason[:MAX_SENTENCE],
    )


def requisite_of(visit: RequisiteVisit, hops: tuple[Hop, ...]) -> RequisiteOutcome:
    """The outcome of one requisite."""
    return RequisiteOutcome(
        url=visit.wanted.found.url,
        kind=visit.wanted.found.kind,
        outcome=_standing(visit, hops),
        page_record=visit.page_record,
        found_in=visit.wanted.found_in,
        found_at=visit.wanted.found.place,
        hops=hops,
        failure=visit.failure[:MAX_SENTENCE] if visit.failure else None,
        remarks=tuple(remark[:MAX_SENTENCE] for remark in visit.remarks),
    )


def _standing(visit: Visit | RequisiteVisit, hops: tuple[Hop, ...]) -> Outcome:
    """That of the last hop as its records have it, unless the visit as a whole ended otherwise."""
    if not hops or visit.outcome is not visit.exchanges[-1].outcome:
        return visit.outcome
    return hops[-1].outcome
