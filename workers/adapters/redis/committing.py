"""Committing: what a receipt says of URLs goes into the frontier, and hosts and batches are given back.

Whether a failure is followed by another try depends on what people asked for, which may change between the look and
the script: then the script changes nothing, and it is looked again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.records.outcome import Outcome, UrlOutcome
from workers.adapters.redis.controlling import calls_of
from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.replies import maybe_byte_list, number, text_list
from workers.frontier import names
from workers.frontier.limits import FrontierLimits
from workers.frontier.outcomes import CODES
from workers.frontier.standing import Later, standing
from workers.frontier.urls import digest, pack
from workers.ports import Batch, Lease

CALLED: Final = 2
"""What the script answers where somebody has asked for another try in the meantime."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a commit ends: with which part, whether the batch ends, and when its hosts may be asked again."""

    now_ms: int
    ready_at_ms: Mapping[str, int]
    last: bool
    part: int | None


@dataclass(frozen=True, slots=True)
class Committing:
    """The commit, with its script."""

    guard: Guard
    script: Script
    limits: FrontierLimits

    async def commit(
        self,
        lease: Lease,
        outcomes: Mapping[str, Outcome],
        unanswered: Sequence[UrlOutcome],
        ending: Ending,
        *,
        still_mine: Callable[[], None],
    ) -> bool:
        """Mark URLs done, or set them aside; give hosts back. `still_mine` raises where the epoch has changed, which
        the look may have found."""
        while (answer := await self._try(lease, outcomes, unanswered, ending, still_mine)) == CALLED:
            pass
        return answer == 1

    async def _try(
        self,
        lease: Lease,
        outcomes: Mapping[str, Outcome],
        unanswered: Sequence[UrlOutcome],
        ending: Ending,
        still_mine: Callable[[], None],
    ) -> int:
        batch = lease.batch
        reply, called = await self.guard.read(
            lambda pipe: (
                pipe.zrange(names.batch_hosts(batch.batch_id), 0, -1),
                pipe.hmget(names.job(batch.job_id), ["calls"]),
            ),
            "commit",
        )
        still_mine()
        hosts, calls = text_list(reply), (maybe_byte_list(called)[0] or b"").decode()
        done, later = _changes(batch, outcomes, unanswered, calls)
        others = [host for host in ending.ready_at_ms if host not in hosts]
        args: list[Argument] = [ending.now_ms, batch.batch_id, batch.job_id, lease.token.counter, int(ending.last)]
        args += [self.limits.done_seconds, -1 if ending.part is None else ending.part, calls]
        args += [len(done) // 2, len(later) // 3, len(hosts), len(others), *done, *later]
        for host in hosts:
            args += [host, ending.ready_at_ms.get(host, "")]
        for host in others:
            args += [host, ending.ready_at_ms[host]]
        keys = _keys(batch) + [names.queue(batch.job_id, host) for host in hosts]
        return number(await self.script(keys, args))


def _changes(
    batch: Batch, outcomes: Mapping[str, Outcome], unanswered: Sequence[UrlOutcome], calls: str
) -> tuple[list[Argument], list[Argument]]:
    """What is done (digest, code) and what is tried again (digest, packed, not before)."""
    known = {url.normalized_url: url for url in batch.urls}
    visit = batch.urls[0].visit if batch.urls else 1
    done: list[Argument] = []
    for normalized_url, outcome in outcomes.items():
        url = known.get(normalized_url)
        done += [digest(normalized_url, url.visit if url else visit), CODES[outcome]]
    later: list[Argument] = []
    for each in unanswered:
        stands = standing(each, calls_of(calls))
        if isinstance(stands, Later):
            later += [digest(each.normalized_url, each.visit), pack(stands.url, whole=True), stands.not_before_ms]
        else:
            done += [digest(each.normalized_url, each.visit), CODES[stands]]
    return done, later


def _keys(batch: Batch) -> list[str]:
    """In the order that the script names, up to the queues."""
    job_id, batch_id = batch.job_id, batch.batch_id
    return [
        names.batch(batch_id),
        names.batch_urls(batch_id),
        names.batch_hosts(batch_id),
        names.open_urls(job_id),
        names.done_urls(job_id),
        names.tally(job_id),
        names.hosts(job_id),
        names.lane(batch.lane),
        names.BUSY,
        names.PACE,
        names.LEASES,
        names.waiting(batch.lane),
        names.later(job_id),
        names.LATER,
        names.job(job_id),
    ]
