"""The scheduler's part in re-snapshots: one step after the other, each of which can be cut off and done again.

What is kept in memory is read from the store at the first step of a life: the open rounds, and so which schedules have
a visit on its way.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from scheduler.cadence.budget import Demand, room, stretch_ppm
from scheduler.cadence.times import day, milliseconds
from scheduler.visits.folding import fold, is_over
from scheduler.visits.planning import Looked, chosen, look, rounds_of
from scheduler.visits.queueing import queue_all
from scheduler.visits.round_job import start_round
from scheduler.visits.rounds import close_round, create_round, read_rounds
from schemas.ids import utc_string
from schemas.records.schedule import VisitRound
from workers import metrics
from workers.errors import CitevaultError, CorruptError, RetryableError
from workers.ports import Catalog, DueAt, DueQueue, Frontier, Ledger, ObjectStore

LOG = logging.getLogger(__name__)
SECOND: Final = 1000


@dataclass(frozen=True, slots=True)
class VisitLimits:
    """How much at a time, and how long things may wait."""

    budget: int = 0
    """Visits a day; 0: as many as are due."""
    gather_seconds: float = 300.0
    """What is due waits so long for company: each round is a job, and a job costs more than a visit."""
    round_visits: int = 2000
    open_visits: int = 20_000
    """Planned and not over: beyond that, nothing is planned."""
    check_seconds: float = 3600.0
    """Between two readings of all schedules."""
    patience_seconds: float = 600.0
    """Before a round is looked at again that could not be read, or is not over."""


@dataclass(frozen=True, slots=True)
class VisitPorts:
    store: ObjectStore
    frontier: Frontier
    ledger: Ledger
    catalog: Catalog
    due: DueQueue


@dataclass(slots=True)
class Visiting:
    """One scheduler's visits. `step` is called again and again; two of a kind do no harm, but get in each other's
    way."""

    ports: VisitPorts
    limits: VisitLimits = field(default_factory=VisitLimits)
    _open: dict[int, VisitRound] | None = None
    _following: int = 1
    _planned: tuple[str, int] = ("", 0)
    """A day, and how many visits were planned in it."""
    _stretch_ppm: int = 1_000_000
    _check_at: datetime | None = None
    _not_before: dict[int, datetime] = field(default_factory=dict)
    """Rounds that could not be taken in, and when it is tried again."""
    _partly: dict[int, datetime] = field(default_factory=dict)
    """When those that are not over are looked at for visits that are: one host that asks us to wait for hours keeps the
    others of its round from nothing."""
    _taken: dict[int, frozenset[str]] = field(default_factory=dict)
    """Schedules of open rounds whose visit is over."""

    async def step(self, now: datetime) -> int:
        """Take in what is over, plan what is due; how many visits were planned or taken in."""
        if self._open is None:
            await self._load()
        if self._check_at is None or now >= self._check_at:
            await self._check(now)
        done = await self._fold(now)
        done += await self._plan(now)
        await self._measure(now)
        return done

    async def _load(self) -> None:
        """The open rounds; what a scheduler that died left half done is done."""
        found = await read_rounds(self.ports.store)
        for error in found.damaged:
            _told_damage("rounds of visits", error)
        for planned in found.open.values():
            await start_round(planned, store=self.ports.store, frontier=self.ports.frontier)
        if found.newest is not None:
            self._planned = day(found.newest.planned_at), found.newest.planned_today
        self._open, self._following = found.open, found.following

    async def _check(self, now: datetime) -> None:
        """Read all schedules: the queue is a hint, and this is what makes it a good one."""
        queued = await queue_all(self.ports.store, self.ports.due, park=_told, but=self._on_the_way())
        await self.ports.due.drop(sorted(self._on_the_way()))
        self._stretch_ppm = stretch_ppm(queued.demand, self.limits.budget)
        self._check_at = now + timedelta(seconds=self.limits.check_seconds)
        if queued.schedules:
            LOG.info(
                "schedules read schedules=%d paused=%d a_day=%d stretch=%.2f",
                queued.schedules, queued.paused, _a_day(queued.demand), self._stretch_ppm / 1e6,
            )  # fmt: skip

    async def _fold(self, now: datetime) -> int:
        done = 0
        for sequence, planned in list(self._rounds().items()):
            if now < self._not_before.get(sequence, now):
                continue
            over = await is_over(planned, frontier=self.ports.frontier, ledger=self.ports.ledger)
            again = now + timedelta(seconds=self.limits.patience_seconds)
            if not over and sequence not in self._partly:
                self._partly[sequence] = again
            if not over and now < self._partly[sequence]:
                continue
            try:
                folded = await fold(
                    planned,
                    whole=over,
                    store=self.ports.store,
                    catalog=self.ports.catalog,
                    stretch_ppm=self._stretch_ppm,
                )
            except CorruptError as error:  # the round stays open, and keeps nobody waiting
                self._not_before[sequence] = again
                _told_damage(f"round {sequence}", error)
                continue
            await self.ports.due.put(folded.due)
            if over:
                await close_round(self.ports.store, sequence)
                del self._rounds()[sequence]
                self._partly.pop(sequence, None)
                self._taken.pop(sequence, None)
            else:
                self._partly[sequence] = again
                self._taken[sequence] = frozenset(folded.taken)
            for verdict, count in folded.verdicts.items():
                metrics.VISITS.labels(verdict.value).inc(count)
            metrics.PERIODS_MISSED.inc(folded.missed)
            told = " ".join(f"{verdict.value}={count}" for verdict, count in sorted(folded.verdicts.items()))
            if told or over:
                LOG.info(
                    "round %s sequence=%d job=%s missed=%d %s",
                    "over" if over else "partly over", sequence, planned.job_id, folded.missed, told,
                )  # fmt: skip
            done += folded.verdicts.total()
        return done

    async def _plan(self, now: datetime) -> int:
        now_ms = round(now.timestamp() * SECOND)
        on_the_way = self._on_the_way()
        free = self.limits.open_visits - len(on_the_way)
        today = self._planned[1] if self._planned[0] == day(utc_string(now)) else 0
        count = room(self.limits.budget, today, most=min(free, self.limits.round_visits))
        if count <= 0:
            return 0
        entries = await self.ports.due.due(now_ms=now_ms, limit=self.limits.round_visits + len(on_the_way))
        waiting = [entry for entry in entries if entry.schedule_id not in on_the_way]
        if not self._gathered(waiting, now_ms):
            return 0
        looked = await look(
            waiting[: self.limits.round_visits],
            store=self.ports.store,
            now_ms=now_ms,
            stretch_ppm=self._stretch_ppm,
        )
        for error in looked.damaged:
            _told_damage("schedules", error)
        await self.ports.due.drop(looked.gone)
        await self.ports.due.put(looked.later)
        return await self._write(looked, now, now_ms, count, today)

    async def _write(self, looked: Looked, now: datetime, now_ms: int, count: int, today: int) -> int:
        visits = chosen(looked.visits, count=count, now_ms=now_ms)
        schedules = {name: schedule for name, (schedule, _) in looked.visits.items()}
        done = 0
        for planned in rounds_of(
            visits, schedules, now=now, following=self._following, planned_today=today, most=self.limits.round_visits
        ):
            if not await create_round(self.ports.store, planned):
                self._open = None  # what the other one planned is read before anything else is
                raise RetryableError(
                    "another scheduler plans visits too", where=f"round {planned.sequence}", next_step="nothing"
                )
            self._rounds()[planned.sequence] = planned
            self._following = planned.sequence + 1
            self._planned = day(planned.planned_at), planned.planned_today
            await start_round(planned, store=self.ports.store, frontier=self.ports.frontier)
            await self.ports.due.drop([visit.schedule_id for visit in planned.visits])
            LOG.info(
                "round planned sequence=%d job=%s visits=%d missed=%d",
                planned.sequence, planned.job_id, len(planned.visits), sum(visit.missed for visit in planned.visits),
            )  # fmt: skip
            done += len(planned.visits)
        return done

    def _gathered(self, waiting: Sequence[DueAt], now_ms: int) -> bool:
        """Whether there are enough for a round, or the first of them has waited long enough."""
        if not waiting or len(waiting) >= self.limits.round_visits:
            return bool(waiting)
        return now_ms - waiting[0].due_ms >= self.limits.gather_seconds * SECOND

    async def _measure(self, now: datetime) -> None:
        counts = await self.ports.due.counts(now_ms=milliseconds(utc_string(now)))
        metrics.SCHEDULES.labels("due").set(counts.due)
        metrics.SCHEDULES.labels("waiting").set(counts.waiting - counts.due)
        metrics.SCHEDULES.labels("visited").set(len(self._on_the_way()))

    def _rounds(self) -> dict[int, VisitRound]:
        if self._open is None:
            raise RuntimeError("the open rounds are not read yet")
        return self._open

    def _on_the_way(self) -> frozenset[str]:
        return frozenset(
            visit.schedule_id
            for sequence, planned in self._rounds().items()
            for visit in planned.visits
            if visit.schedule_id not in self._taken.get(sequence, ())
        )


def _a_day(demand: Demand) -> int:
    return (demand.fixed_ppm + demand.cited_ppm + demand.other_ppm) // 1_000_000


async def _told(key: str, error: CitevaultError) -> None:
    _told_damage(key, error)


def _told_damage(what: str, error: CitevaultError) -> None:
    metrics.ERRORS.labels("scheduler", "corrupt").inc()
    LOG.error("cannot be read what=%s error=%s", what, error)
