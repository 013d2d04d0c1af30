"""Jobs that people pause, resume, cancel, or want tried again: decisions put in force in Redis.

All of it can be done again; what was decided lies in the store.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from schemas.records.job import Lane
from schemas.records.outcome import Outcome
from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.leased import leased_batches
from workers.adapters.redis.replies import maybe_byte_list, number, text_list
from workers.errors import PermanentError
from workers.frontier import names, scripts
from workers.frontier.control import Control
from workers.frontier.outcomes import CODES, outcome_of
from workers.frontier.standing import Calls

HOSTS_A_CALL: Final = 1000
URLS_A_CALL: Final = 2000
END_SECONDS: Final = 1.0
"""For which one look ends what waits: call after call, so that nobody waits for Redis longer than a call takes."""


@dataclass(frozen=True, slots=True)
class Controlling:
    """The verbs of control, with their scripts."""

    guard: Guard
    scripts: Mapping[scripts.Verb, Script]

    async def put_in_force(self, job_id: str, control: Control, *, now_ms: int) -> None:
        """State and calls of a job. Batches of a stopped one that no worker has are taken back at the next look."""
        lane = await self._lane(job_id)
        keys = [names.job(job_id), names.hosts(job_id), names.lane(lane), names.CANCELLING]
        args: list[Argument] = [now_ms, job_id, control.state, calls_text(control.calls), len(control.calls)]
        await self.scripts["control"](keys, args)
        if control.state != "running":
            await self._expire_unclaimed(job_id, now_ms)

    async def note(self, job_id: str, sequence: int) -> None:
        """Everything up to this decision is in force, and has had its effect."""
        await self.scripts["controlled"]([names.job(job_id)], [sequence])

    async def noted(self, job_id: str) -> int:
        """Up to which decision that is; 0 for none."""
        (reply,) = await self.guard.read(lambda pipe: pipe.hget(names.job(job_id), "controlled"), "control")
        return 0 if reply is None else number(reply)

    async def end_cancelled(self) -> int:
        """End what waits of cancelled jobs, as much as can be done in a second; how many URLs."""
        (reply,) = await self.guard.read(lambda pipe: pipe.smembers(names.CANCELLING), "cancel")
        jobs = sorted(item.decode() for item in reply) if isinstance(reply, set) else text_list(reply)
        until, done = time.monotonic() + END_SECONDS, 0
        for job_id in jobs:
            while ended := await self._end(job_id):
                done += ended
                if time.monotonic() > until:
                    break
        return done

    async def _end(self, job_id: str) -> int:
        lane = await self._lane(job_id)
        (reply,) = await self.guard.read(lambda pipe: pipe.zrange(names.hosts(job_id), 0, HOSTS_A_CALL - 1), "cancel")
        hosts = text_list(reply)
        keys = [names.job(job_id), names.open_urls(job_id), names.done_urls(job_id), names.tally(job_id)]
        keys += [names.hosts(job_id), names.lane(lane), names.later(job_id), names.LATER, names.CANCELLING]
        keys += [names.queue(job_id, host) for host in hosts]
        return max(
            0, number(await self.scripts["cancel"](keys, [job_id, CODES[Outcome.CANCELLED], URLS_A_CALL, *hosts]))
        )

    async def _expire_unclaimed(self, job_id: str, now_ms: int) -> None:
        batches = await leased_batches(self.guard, "job")
        own = [each for each, (job,) in batches.items() if job == job_id.encode()]
        if own:
            await self.scripts["expire"]([names.LEASES, *map(names.batch, own)], [now_ms, *own])

    async def _lane(self, job_id: str) -> Lane:
        (reply,) = await self.guard.read(lambda pipe: pipe.hmget(names.job(job_id), ["lane"]), "control")
        (lane,) = maybe_byte_list(reply)
        if lane is None:
            raise PermanentError("the frontier does not know this job", where=job_id, next_step="resume its intake")
        return Lane(lane.decode())


def calls_text(calls: Calls) -> str:
    """Calls as the job's hash has them: codes of outcomes, one group a call."""
    return ",".join("".join(sorted(CODES[outcome] for outcome in call)) for call in calls)


def calls_of(text: str) -> Calls:
    """The inverse of `calls_text`."""
    return [frozenset(map(outcome_of, group)) for group in text.split(",")] if text else []
