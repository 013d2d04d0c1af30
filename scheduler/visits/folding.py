"""From a round that is over to its schedules: what each visit found, and when the page is due again."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from scheduler.cadence.following import after_visit, is_folded
from scheduler.visits.answers import RoundAnswers, read_answers, visited
from scheduler.visits.queueing import due_at
from scheduler.visits.shards import Shard, change_shard, read_shard, shard_of
from schemas.records.schedule import PlannedVisit, Schedule, Version, Visited, VisitRound, VisitVerdict
from workers.errors import CorruptError
from workers.ports import Catalog, DueAt, Frontier, Ledger, ObjectStore


@dataclass(slots=True)
class Folded:
    """What a round came to. `due`: its schedules' next visits; those that are paused or gone have none."""

    verdicts: Counter[VisitVerdict] = field(default_factory=Counter)
    missed: int = 0
    taken: list[str] = field(default_factory=list)
    """Schedules whose visit is over."""
    due: list[DueAt] = field(default_factory=list)


async def is_over(planned: VisitRound, *, frontier: Frontier, ledger: Ledger) -> bool:
    """Whether nothing more will come of a round's job: every visit has an outcome or was called off, and what was
    captured is extracted or given up."""
    progress = await frontier.progress(planned.job_id)
    if progress is None or not (progress.captured_all or progress.state == "cancelled"):
        return False
    return all(entry.parked or entry.stage != "committed" for entry in await ledger.of_job(planned.job_id))


async def fold(planned: VisitRound, *, whole: bool, store: ObjectStore, catalog: Catalog, stretch_ppm: int) -> Folded:
    """Take a round in, shard by shard; not `whole`: only the visits that have come to their end. Again is harmless: a
    schedule that knows of its visit is left as it is. Where a shard is damaged the others are taken in, and then its
    error is raised: the round stays open."""
    answers = await read_answers(planned, store=store, catalog=catalog)
    folded = Folded()
    by_shard: dict[str, list[PlannedVisit]] = defaultdict(list)
    for visit in planned.visits:
        if whole or answers.has_ended(visit.normalized_url):
            by_shard[shard_of(visit.schedule_id)].append(visit)
            folded.taken.append(visit.schedule_id)
    damaged: CorruptError | None = None
    for name, visits in sorted(by_shard.items()):
        try:
            await _fold_shard(
                name, visits, planned, answers, folded, store=store, catalog=catalog, stretch_ppm=stretch_ppm
            )
        except CorruptError as error:
            damaged = error
    if damaged is not None:
        raise damaged
    return folded


async def _fold_shard(
    name: str,
    visits: list[PlannedVisit],
    planned: VisitRound,
    answers: RoundAnswers,
    folded: Folded,
    *,
    store: ObjectStore,
    catalog: Catalog,
    stretch_ppm: int,
) -> None:
    """Judge what is new, with the schedules as they are; then change them as they are by then."""
    shard = await read_shard(store, name)
    found: dict[str, tuple[PlannedVisit, Visited, Version | None, Version | None]] = {}
    for visit in visits:
        schedule = shard.get(visit.schedule_id)
        if schedule is not None and not is_folded(schedule, visit):
            judged = await visited(visit, planned, schedule, answers, store=store, catalog=catalog)
            found[visit.schedule_id] = visit, *judged
    standing: dict[str, Schedule] = {}

    def edit(fresh: Shard) -> bool:
        standing.clear()
        for schedule_id in found:
            schedule = fresh.get(schedule_id)
            visit, ended, version, compared = found[schedule_id]
            if schedule is not None and not is_folded(schedule, visit):
                if schedule.seen is None and compared is not None:
                    schedule = schedule.model_copy(update={"seen": compared})
                standing[schedule_id] = after_visit(schedule, ended, version, stretch_ppm=stretch_ppm)
                fresh.put(standing[schedule_id])
        return bool(standing)

    if found:
        await change_shard(store, name, edit)
    for schedule_id, _ in standing.items():
        _, ended, _, _ = found[schedule_id]
        folded.verdicts[ended.verdict] += 1
        folded.missed += ended.missed
    for visit in visits:
        known = standing.get(visit.schedule_id) or shard.get(visit.schedule_id)
        if known is not None and known.paused_at is None:
            folded.due.append(due_at(known))
