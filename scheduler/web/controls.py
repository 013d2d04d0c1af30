"""What people decide about jobs, over HTTP: as the command line does it, written down first and then put in force."""

from __future__ import annotations

from http import HTTPStatus

from starlette.exceptions import HTTPException

from scheduler.control import NoEffect, decide
from scheduler.web.answers import DecisionDone, DecisionWish
from scheduler.web.room import Room
from schemas.records.decision import ControlJob
from schemas.records.outcome import Outcome
from workers.errors import ObjectMissingError
from workers.frontier.control import FAILURES, TAKEN_UP


async def take(room: Room, job_id: str, wish: DecisionWish) -> DecisionDone:
    """Decide. ObjectMissingError: there is no such job; HTTPException 409: it would have no effect, 400: it is not
    sensible."""
    decision = ControlJob(job_id=job_id, action=wish.action, outcomes=_outcomes(wish))
    archive = room.archive
    done = await decide(
        decision,
        by=wish.by,
        why=wish.why,
        now=archive.clock.now(),
        store=archive.store,
        frontier=archive.frontier,
        ledger=archive.ledger,
    )
    if done is None:
        raise ObjectMissingError("there is no such job", where=job_id, next_step="see /api/v1/jobs")
    if isinstance(done, NoEffect):
        raise HTTPException(HTTPStatus.CONFLICT, f"{job_id} {done.why}")
    return DecisionDone(
        sequence=None if done.entry is None else done.entry.sequence, segments_again=done.segments_again
    )


def _outcomes(wish: DecisionWish) -> tuple[Outcome, ...]:
    if wish.action != "retry":
        if wish.outcomes:
            raise HTTPException(HTTPStatus.BAD_REQUEST, "outcomes: only a retry has any")
        return ()
    never = sorted(outcome.value for outcome in set(wish.outcomes) - TAKEN_UP)
    if never:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"outcomes: never tried again: {', '.join(never)}")
    return tuple(sorted(wish.outcomes)) or tuple(sorted(FAILURES))
