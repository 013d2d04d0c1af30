"""What is known of jobs: progress from the frontier, what was asked from the store, what is missing from receipts."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from scheduler.links import WHY
from scheduler.outcomes import MissingUrl, spellings
from scheduler.stuck import aside_batches, stuck_segments, unread_answers
from scheduler.web.answers import (
    JobDecision,
    JobDetail,
    JobLinks,
    JobList,
    JobSummary,
    LeftOut,
    Missing,
    MissingList,
    OtherSpelling,
    SpellingList,
    UnreadSitemap,
)
from scheduler.web.room import Room
from scheduler.web.snapshots import job_snapshot_ids
from schemas.ids import ulid_time
from schemas.records.job import StoredJob
from schemas.records.outcome import Outcome
from workers.catalog.jobs import load_job
from workers.errors import ObjectMissingError
from workers.frontier.control import decisions_about
from workers.ports import JobProgress, Stage

STAGES: tuple[Stage, ...] = get_args(Stage)
MOST_OUTCOMES = 100_000
"""Outcomes of one job that the web process reads to find missing ones; `citevault status` reads all."""
MOST_LINKED_PAGES = 20_000
"""Pages whose links the web process reads; `citevault status` reads all."""
MOST_SPELLINGS = 200
MOST_STUCK = 100
FOREVER = 3600.0


async def recent_jobs(room: Room, *, limit: int, before: str | None = None) -> JobList:
    """Jobs that the frontier knows, newest first, older than `before`."""
    ids = await room.look("jobs", room.archive.frontier.jobs)
    older = [job_id for job_id in reversed(ids) if before is None or _place(job_id) < _place(before)]
    found = [await _progress(room, job_id) for job_id in older[:limit]]
    return JobList(
        items=tuple(_summary(progress) for progress in found if progress is not None),
        next_before=older[limit - 1] if len(older) > limit else None,
    )


async def job_detail(room: Room, job_id: str) -> JobDetail:
    """One job. ObjectMissingError where the frontier does not know it, or the store has none of this id."""
    stored = await stored_job(room, job_id)
    progress = await _progress(room, job_id)
    if progress is None:
        raise ObjectMissingError(
            "the job is stored, but the frontier does not know it yet",
            where=job_id,
            next_step="wait until its intake has gone on, or run `citevault rebuild`",
        )
    entries = await room.look(f"segments {job_id}", lambda: room.archive.ledger.of_job(job_id))
    stages = Counter(entry.stage for entry in entries if not entry.parked)
    unread = await room.look(f"unread {job_id}", lambda: unread_answers(room.archive.store, job_id, entries))
    aside = await room.look(f"aside {job_id}", lambda: room.archive.frontier.aside(job_id))
    total, _ = await job_snapshot_ids(room, job_id, start=0, limit=1)
    return JobDetail(
        progress=_summary(progress),
        collection=stored.collection,
        lane=stored.lane,
        visit=stored.visit,
        options=stored.options,
        lines=stored.lines,
        seeds=stored.seeds,
        duplicates=stored.duplicates,
        bad_lines=stored.bad_lines,
        segments={stage: stages[stage] for stage in STAGES},
        parked=sum(entry.parked for entry in entries),
        stuck=stuck_segments(entries)[:MOST_STUCK],
        set_aside=aside_batches(aside[:MOST_STUCK]),
        unread=unread[:MOST_STUCK],
        snapshots=total,
        decisions=tuple(
            JobDecision(action=what.action, outcomes=what.outcomes, by=entry.by, at=entry.at, why=entry.why)
            for entry, what in decisions_about(await room.look("decisions", room.decisions), job_id)
        ),
    )


async def stored_job(room: Room, job_id: str) -> StoredJob:
    """The job as it was asked for; it never changes."""
    return await room.look(f"job {job_id}", lambda: load_job(room.archive.store, job_id), fresh_seconds=FOREVER)


async def job_missing(room: Room, job_id: str, *, start: int, limit: int) -> MissingList:
    """URLs without a response, in order of batches."""
    reader = room.missing_reader(job_id)
    complete = await room.look(f"receipts {job_id}", lambda: reader.advance(most=MOST_OUTCOMES))
    for damage in reader.unreadable.values():  # what a list leaves out in silence would read as answered
        raise damage
    progress = await _progress(room, job_id)
    missing = reader.missing(cancelled=progress is not None and progress.state == "cancelled")
    return MissingList(
        items=tuple(map(_missing, missing[start : start + limit])),
        missing=len(missing),
        outcomes_read=reader.outcomes,
        complete=complete,
        requisites=dict(sorted(reader.requisites.items())),
    )


async def job_links(room: Room, job_id: str) -> JobLinks:
    """What a crawl has found by links and sitemaps; of a job that follows none, nothing."""
    job = await stored_job(room, job_id)
    reader = room.link_reader(job_id)
    complete = True
    if job.options.follow_depth:
        complete = await room.look(f"links {job_id}", lambda: reader.advance(most_pages=MOST_LINKED_PAGES))
    return JobLinks(
        pages=reader.pages,
        found=reader.found,
        cut_pages=reader.cut_pages,
        unread_sitemaps=tuple(UnreadSitemap(url=url, why=why) for url, why in reader.unread.items()),
        left_out=tuple(
            LeftOut(
                reason=reason,
                outcome=reason.outcome,
                links=count,
                why=WHY[reason],
                examples=tuple(reader.examples.get(reason, ())),
            )
            for reason, count in sorted(reader.left_out.items())
        ),
        complete=complete,
    )


async def job_spellings(room: Room, job_id: str) -> SpellingList:
    """Spellings that another one stood for, in order of seeds."""

    async def read() -> SpellingList:
        found: list[OtherSpelling] = []
        async for spelling in spellings(room.archive.store, await stored_job(room, job_id)):
            if len(found) == MOST_SPELLINGS:
                return SpellingList(items=tuple(found), complete=False)
            found.append(OtherSpelling(asked=spelling.asked, fetched=spelling.fetched, line=spelling.line))
        return SpellingList(items=tuple(found), complete=True)

    return await room.look(f"spellings {job_id}", read, fresh_seconds=FOREVER)


async def _progress(room: Room, job_id: str) -> JobProgress | None:
    return await room.look(f"progress {job_id}", lambda: room.archive.frontier.progress(job_id))


def _summary(progress: JobProgress) -> JobSummary:
    outcomes = {Outcome(name): count for name, count in progress.outcomes.items()}
    answered = sum(count for outcome, count in outcomes.items() if outcome.has_response)
    return JobSummary(
        id=progress.job_id,
        created_at=ulid_time(progress.job_id),
        state=progress.shown_state,
        intake_open=progress.intake_open,
        known=progress.known,
        done=progress.done,
        with_response=answered,
        without_response=sum(outcomes.values()) - answered,
        hosts_waiting=progress.hosts_waiting,
        later=progress.later,
        next_try_at=progress.next_try_at,
        outcomes=outcomes,
    )


def _missing(url: MissingUrl) -> Missing:
    return Missing(
        requested_url=url.requested_url,
        last_url=url.last_url,
        visit=url.visit,
        outcome=url.outcome,
        failure=url.failure,
        next_step=url.next_step,
        tries=url.tries,
        retry_at=url.retry_at,
    )


def _place(job_id: str) -> str:
    """Jobs are in order of the ULID that ends their id."""
    return job_id[-26:].upper()
