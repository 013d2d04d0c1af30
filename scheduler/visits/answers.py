"""What the archive holds of the visits of a round: outcomes from the receipts of its job, snapshots from the catalog,
and how much each text has in common with the version seen before."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from scheduler.cadence.verdict import Answer, judge
from schemas import keys
from schemas.records.outcome import UrlOutcome
from schemas.records.receipt import Receipt
from schemas.records.schedule import PlannedVisit, Schedule, Version, Visited, VisitRound
from schemas.records.snapshot import Snapshot, SnapshotLine
from workers.flows.documents import read_object
from workers.flows.text_overlap import overlap_ppm
from workers.ports import Catalog, ObjectStore

EARLIER_LOOKED_AT = 5
"""Snapshots of a page before its schedule's first visit, among which one may be good to compare with."""


@dataclass(frozen=True, slots=True)
class RoundAnswers:
    """Outcomes and snapshots of a round's job, by normalized URL as asked."""

    outcomes: Mapping[str, UrlOutcome]
    snapshots: Mapping[str, SnapshotLine]

    def has_ended(self, url: str) -> bool:
        """Whether nothing more will come of a page, also while others of its job are on their way."""
        outcome = self.outcomes.get(url)
        if outcome is None or outcome.retry_at is not None:
            return False
        return url in self.snapshots or not outcome.outcome.has_response


async def read_answers(planned: VisitRound, *, store: ObjectStore, catalog: Catalog) -> RoundAnswers:
    """Everything there is. Of two outcomes of a page, as after a lost Redis, the first that has a response counts."""
    found = sorted([key async for key in store.list(keys.receipts(planned.job_id))])
    outcomes: dict[str, UrlOutcome] = {}
    hops: dict[str, UrlOutcome] = {}
    for key in found:
        receipt = await read_object(store, key, Receipt)
        hops |= {each.normalized_url: each for each in receipt.outcomes}
        for ended in receipt.ended:
            known = outcomes.get(ended.normalized_url)
            if known is None or not known.outcome.has_response:
                outcomes[ended.normalized_url] = ended
    # A page whose requisites came later has its hops in the earlier part.
    whole = {url: each if each.hops else hops.get(url, each) for url, each in outcomes.items()}
    records = {_last_record(each): url for url, each in whole.items()}
    lines = [await catalog.snapshot(name) for name in await catalog.snapshots_of_job(planned.job_id)]
    snapshots = {
        records[line.snapshot.records.response]: line
        for line in lines
        if line is not None and line.snapshot.records.response in records
    }
    return RoundAnswers(outcomes | whole, snapshots)


async def visited(
    visit: PlannedVisit,
    planned: VisitRound,
    schedule: Schedule,
    answers: RoundAnswers,
    *,
    store: ObjectStore,
    catalog: Catalog,
) -> tuple[Visited, Version | None, Version | None]:
    """One visit with its verdict; the version that it saw; and the one that it was compared with."""
    outcome = answers.outcomes.get(visit.normalized_url)
    line = answers.snapshots.get(visit.normalized_url)
    snapshot = None if line is None else line.snapshot
    before = await _before(schedule, line, catalog)
    compared = schedule.seen or (None if before is None else version_of(before.snapshot))
    overlap = await overlap_ppm(store, line, before) if line is not None and before is not None else None
    answer = _answer(visit, outcome, snapshot, overlap)
    verdict = judge(answer, compared)
    ended = Visited(
        period=visit.period,
        job_id=planned.job_id,
        at=snapshot.retrieved_at if snapshot is not None else planned.planned_at,
        verdict=verdict,
        outcome=answer.outcome,
        http_status=answer.http_status,
        final_url=None if answer.final_url == visit.requested_url else answer.final_url,
        snapshot_id=None if snapshot is None else snapshot.id,
        overlap_ppm=overlap,
        missed=visit.missed,
    )
    return ended, version_of(snapshot) if snapshot is not None and verdict.is_look else None, compared


def version_of(snapshot: Snapshot) -> Version:
    """What a later visit is compared with."""
    return Version(
        snapshot_id=snapshot.id,
        retrieved_at=snapshot.retrieved_at,
        content_sha256=snapshot.content_sha256,
        text_sha256=snapshot.text_sha256,
    )


async def _before(schedule: Schedule, line: SnapshotLine | None, catalog: Catalog) -> SnapshotLine | None:
    """The version seen before: that of the schedule, else the newest good snapshot that is older than this visit's."""
    if schedule.seen is not None:
        return await catalog.snapshot(schedule.seen.snapshot_id)
    if schedule.visits_made or line is None:
        return None
    at = line.snapshot.retrieved_at
    older = [name for name in await catalog.snapshots_of(schedule.normalized_url) if name != line.snapshot.id]
    for found in await asyncio.gather(*map(catalog.snapshot, older[:EARLIER_LOOKED_AT])):
        if found is not None and found.snapshot.citeable and found.snapshot.retrieved_at < at:
            return found
    return None


def _answer(visit: PlannedVisit, outcome: UrlOutcome | None, snapshot: Snapshot | None, overlap: int | None) -> Answer:
    final = None if outcome is None else outcome.final
    return Answer(
        requested_url=visit.requested_url,
        outcome=None if outcome is None else outcome.outcome,
        final_url=None if final is None else final.url,
        http_status=snapshot.http_status if snapshot is not None else None if final is None else final.http_status,
        reader_status=None if snapshot is None else snapshot.reader_status,
        content_sha256=None if snapshot is None else snapshot.content_sha256,
        text_sha256=None if snapshot is None else snapshot.text_sha256,
        overlap_ppm=overlap,
    )


def _last_record(outcome: UrlOutcome) -> str | None:
    """The record id of the last response or revisit."""
    for hop in reversed(outcome.hops):
        record = hop.record("response", "revisit")
        if record is not None:
            return record.record_id
    return None
