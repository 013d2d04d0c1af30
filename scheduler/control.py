"""What people decide about jobs is put in force: first written down, then told to the frontier.

The store has the decisions (`decisions/`: who, when, why); Redis only follows them, and a rebuild follows them again.
Whoever decided tells the frontier at once; the scheduler looks for decisions of which that was cut off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from scheduler.parked import retry_segments
from schemas import keys
from schemas.ids import utc_string
from schemas.records.decision import ControlJob, Decision
from schemas.records.outcome import UrlOutcome
from schemas.records.receipt import Receipt
from workers.errors import CitevaultError, CorruptError, ObjectMissingError
from workers.flows.decisions import append_decision, append_to_damaged, read_decisions
from workers.flows.documents import read_object
from workers.frontier.control import Control, controls_of
from workers.ports import JobProgress, Ledger, ObjectStore

_STOPPING: Final = frozenset({"pause", "cancel"})
"""What somebody asks for who wants nothing more to go out: it must not wait until a damaged log is restored."""


class ControlledFrontier(Protocol):
    """A frontier that can be told what was decided about a job. Each call may be repeated."""

    async def progress(self, job_id: str) -> JobProgress | None: ...

    async def control(self, job_id: str, control: Control, *, now_ms: int) -> None: ...

    async def controlled(self, job_id: str) -> int: ...

    async def note_controlled(self, job_id: str, sequence: int) -> None: ...

    async def restore_done(self, job_id: str, outcomes: Sequence[UrlOutcome]) -> int: ...

    async def end_cancelled(self) -> int: ...

    async def look_again(self, job_id: str, *, now_ms: int) -> int: ...


async def put_in_force(
    store: ObjectStore, frontier: ControlledFrontier, job_id: str, control: Control, *, now_ms: int
) -> bool:
    """Tell the frontier. False: it does not know the job yet."""
    if await frontier.progress(job_id) is None:
        return False
    if await frontier.controlled(job_id) >= control.sequence:
        return True
    await frontier.control(job_id, control, now_ms=now_ms)
    if control.calls and control.state != "cancelled":
        await frontier.restore_done(job_id, await last_failures(store, job_id))
    await frontier.note_controlled(job_id, control.sequence)
    return True


async def last_failures(store: ObjectStore, job_id: str) -> list[UrlOutcome]:
    """URLs without an answer, by their last try."""
    found: dict[tuple[str, int], UrlOutcome] = {}
    answered: set[tuple[str, int]] = set()
    for key in sorted([key async for key in store.list(keys.receipts(job_id))]):
        for outcome in (await read_object(store, key, Receipt)).ended:
            name = (outcome.normalized_url, outcome.visit)
            if outcome.outcome.has_response:
                answered.add(name)
            else:
                found[name] = outcome
    return [outcome for name, outcome in found.items() if name not in answered]


async def _left_to_try(store: ObjectStore, decision: ControlJob) -> bool:
    """Whether a URL ended with an outcome that is meant, and nobody has asked for another try of it since."""
    control = controls_of(await read_decisions(store)).get(decision.job_id)
    calls = control.calls if control is not None else ()
    return any(
        failure.outcome in decision.outcomes and not any(failure.outcome in call for call in calls[failure.calls :])
        for failure in await last_failures(store, decision.job_id)
    )


@dataclass(frozen=True, slots=True)
class Decided:
    """What somebody decided is written down and in force. `entry`: None where only segments and batches were taken up
    again."""

    entry: Decision | None
    segments_again: int = 0
    batches_again: int = 0
    """That were set aside, and are looked at now."""


@dataclass(frozen=True, slots=True)
class NoEffect:
    """The decision would change nothing, and is not written down. `why`: to be read behind the job's id."""

    why: str


async def decide(
    decision: ControlJob,
    *,
    by: str,
    why: str,
    now: datetime,
    store: ObjectStore,
    frontier: ControlledFrontier,
    ledger: Ledger,
) -> Decided | NoEffect | None:
    """Write a decision down, then put it in force; None: there is no such job. ValueError where `by` or `why` is too
    short. CorruptError where decisions cannot be read; to pause and to cancel is possible all the same. A retry takes
    the job's parked segments up too, of which what is captured is only worked through again, and has batches that are
    set aside looked at."""
    progress = await frontier.progress(decision.job_id)
    if progress is None:
        return None
    refusal, again, batches, now_ms = refused(decision, progress), 0, 0, int(now.timestamp() * 1000)
    if decision.action == "retry":
        batches = await frontier.look_again(decision.job_id, now_ms=now_ms)
    if decision.action == "retry" and progress.state != "cancelled":
        again = len(await retry_segments(store, ledger, decision.job_id, now=utc_string(now), why=why))
    if refusal is None and decision.action == "retry" and not await _left_to_try(store, decision):
        refusal = "has no URL left to try: what ended so is on its way again already"
    if refusal is not None:
        return Decided(None, again, batches) if again or batches else NoEffect(refusal)
    try:
        log = await read_decisions(store)
        entry = await append_decision(store, decision, by=by, why=why, now=utc_string(now), known=log)
        control = controls_of(await read_decisions(store, log))[decision.job_id]
    except CorruptError:
        if decision.action not in _STOPPING:
            raise
        entry = await append_to_damaged(store, decision, by=by, why=why, now=utc_string(now))
        control = controls_of((entry,))[decision.job_id]
    await put_in_force(store, frontier, decision.job_id, control, now_ms=now_ms)
    await frontier.end_cancelled()
    return Decided(entry, again, batches)


def refused(decision: ControlJob, progress: JobProgress) -> str | None:
    """Why a decision would have no effect; None: it has one."""
    if progress.state == "cancelled":
        return "is cancelled for good; hand in again what is wanted after all"
    match decision.action:
        case "pause" if progress.state == "paused":
            return "is paused already"
        case "resume" if progress.state == "running":
            return "is not paused"
        case "pause" | "cancel" if progress.captured_all:
            return "has an outcome for every URL; there is nothing left to stop"
        case "retry" if not progress.later and not any(
            progress.outcomes.get(outcome.value) for outcome in decision.outcomes
        ):
            return "has no URL with such an outcome"
    return None


@dataclass(slots=True)
class Controls:
    """The decisions about jobs, as the scheduler follows them."""

    store: ObjectStore
    frontier: ControlledFrontier
    _log: tuple[Decision, ...] = ()
    _followed: dict[str, int] = field(default_factory=dict)
    """Of each job the last decision that is in force."""

    async def follow(self, now_ms: int) -> int:
        """One look: put new decisions in force, end what waits of cancelled jobs. How many jobs and URLs that were. A
        damaged object of one job keeps no other, and is raised in the end."""
        self._log = await read_decisions(self.store, self._log)
        done = 0
        damage: list[CitevaultError] = []
        for job_id, control in controls_of(self._log).items():
            if self._followed.get(job_id, 0) >= control.sequence:
                continue
            try:
                if await put_in_force(self.store, self.frontier, job_id, control, now_ms=now_ms):
                    self._followed[job_id] = control.sequence
                    done += 1
            except (CorruptError, ObjectMissingError) as error:
                damage.append(error)
        done += await self.frontier.end_cancelled()
        if damage:
            raise damage[0]
        return done
