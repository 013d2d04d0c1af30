"""From what is due to rounds: look at each schedule itself, choose within the budget, and write the rounds down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from ulid import ULID

from scheduler.cadence.budget import Waiting, first
from scheduler.cadence.distance import distance_seconds
from scheduler.cadence.periods import DueVisit, due_visit
from scheduler.cadence.times import milliseconds, written
from scheduler.visits.shards import DamagedShard, read_shards, shard_of
from schemas import ids
from schemas.canonical import canonical_bytes
from schemas.records.schedule import PlannedVisit, Schedule, VisitRound
from workers.errors import CitevaultError, CorruptError
from workers.ports import DueAt, ObjectStore

ROUND_URL_CHARS: Final = 4 * 1024 * 1024
"""Characters of URLs in one round: a document has at most 64 MiB, and a URL at most 65,536 characters."""
PATIENCE_MS: Final = 3_600_000


@dataclass(slots=True)
class Looked:
    """What the schedules themselves say of entries of the queue."""

    visits: dict[str, tuple[Schedule, DueVisit]] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    """Removed or paused: no entry for them any more."""
    later: list[DueAt] = field(default_factory=list)
    """Not due yet: the entry is put right."""
    damaged: list[CitevaultError] = field(default_factory=list)


async def look(entries: Sequence[DueAt], *, store: ObjectStore, now_ms: int, stretch_ppm: int) -> Looked:
    """Read the schedules of these entries. Those of a damaged shard wait for an hour, and keep nobody waiting."""
    by_shard: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        by_shard[shard_of(entry.schedule_id)].append(entry.schedule_id)
    looked = Looked()
    async for shard in read_shards(store, sorted(by_shard)):
        names = by_shard[shard.name]
        try:
            found = [] if isinstance(shard, DamagedShard) else [(name, shard.get(name)) for name in names]
            error = shard.error if isinstance(shard, DamagedShard) else None
        except CorruptError as corrupt:
            found, error = [], corrupt
        if error is not None:
            looked.damaged.append(error)
            looked.later += [DueAt(name, now_ms + PATIENCE_MS) for name in names]
        for name, schedule in found:
            _sort(name, schedule, looked, now_ms, stretch_ppm)
    return looked


def _sort(name: str, schedule: Schedule | None, looked: Looked, now_ms: int, stretch_ppm: int) -> None:
    if schedule is None or schedule.paused_at is not None:
        looked.gone.append(name)
        return
    distance = distance_seconds(schedule, stretch_ppm=stretch_ppm)
    found = due_visit(schedule, adaptive_seconds=distance, now_ms=now_ms)
    if isinstance(found, DueVisit):
        looked.visits[name] = schedule, found
    else:
        looked.later.append(DueAt(name, found.due_ms))


def chosen(visits: Mapping[str, tuple[Schedule, DueVisit]], *, count: int, now_ms: int) -> list[PlannedVisit]:
    """Those that go now, the most urgent first."""
    waiting = [Waiting(schedule, now_ms - milliseconds(schedule.due_at)) for schedule, _ in visits.values()]
    return [_planned(*visits[each.schedule.id]) for each in first(waiting, count)]


def rounds_of(
    visits: Sequence[PlannedVisit],
    schedules: Mapping[str, Schedule],
    *,
    now: datetime,
    following: int,
    planned_today: int,
    most: int,
) -> Iterator[VisitRound]:
    """One or more rounds for each collection and set of options. Their numbers begin with `following`."""
    groups: dict[tuple[str, bytes], list[PlannedVisit]] = defaultdict(list)
    for visit in visits:
        schedule = schedules[visit.schedule_id]
        groups[schedule.collection, canonical_bytes(schedule.options)].append(visit)
    for group in groups.values():
        for part in _parts(group, most):
            planned_today += len(part)
            yield _round(part, schedules[part[0].schedule_id], now, following, planned_today)
            following += 1


def _round(
    visits: Sequence[PlannedVisit], like: Schedule, now: datetime, sequence: int, planned_today: int
) -> VisitRound:
    """A job's id tells when it was made, to the millisecond."""
    job_id = ids.job_id(str(ULID.from_datetime(now.replace(microsecond=now.microsecond // 1000 * 1000))))
    return VisitRound(
        schema="citevault/visit-round@1",
        sequence=sequence,
        job_id=job_id,
        planned_at=ids.ulid_time(job_id),
        collection=like.collection,
        options=like.options,
        visits=tuple(visits),
        planned_today=planned_today,
    )


def _planned(schedule: Schedule, due: DueVisit) -> PlannedVisit:
    return PlannedVisit(
        schedule_id=schedule.id,
        created_at=schedule.created_at,
        period=due.period,
        due_at=written(due.due_ms),
        missed=due.missed,
        requested_url=schedule.requested_url,
        normalized_url=schedule.normalized_url,
    )


def _parts(visits: Sequence[PlannedVisit], most: int) -> Iterator[list[PlannedVisit]]:
    part: list[PlannedVisit] = []
    chars = 0
    for visit in visits:
        size = len(visit.requested_url) + len(visit.normalized_url)
        if part and (len(part) >= most or chars + size > ROUND_URL_CHARS):
            yield part
            part, chars = [], 0
        part.append(visit)
        chars += size
    if part:
        yield part
