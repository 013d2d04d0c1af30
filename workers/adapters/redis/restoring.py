"""Restoring: URLs are put where their receipts have them, without a lease."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from schemas.records.outcome import Outcome, UrlOutcome
from workers.adapters.redis.controlling import calls_of
from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.replies import maybe_byte_list, number
from workers.frontier import names
from workers.frontier.outcomes import ANSWERS, CODES
from workers.frontier.standing import Later, standing
from workers.frontier.urls import digest, pack

URLS_A_CALL: Final = 2000


@dataclass(frozen=True, slots=True)
class Restoring:
    """The restoration, with its script."""

    guard: Guard
    script: Script

    async def restore(self, job_id: str, outcomes: Sequence[UrlOutcome]) -> int:
        """How many URLs had no outcome before. What people asked for of the job must be in force already."""
        (reply,) = await self.guard.read(lambda pipe: pipe.hmget(names.job(job_id), ["calls"]), "restore")
        calls = calls_of((maybe_byte_list(reply)[0] or b"").decode())
        keys = [names.open_urls(job_id), names.done_urls(job_id), names.tally(job_id)]
        keys += [names.later(job_id), names.LATER]
        new = 0
        for start in range(0, len(outcomes), URLS_A_CALL):
            args: list[Argument] = [job_id, ANSWERS, CODES[Outcome.CANCELLED]]
            for outcome in outcomes[start : start + URLS_A_CALL]:
                args += [digest(outcome.normalized_url, outcome.visit), CODES[outcome.outcome]]
                stands = standing(outcome, calls)
                args += [pack(stands.url, whole=True), stands.not_before_ms] if isinstance(stands, Later) else ["", ""]
            new += number(await self.script(keys, args))
        return new
