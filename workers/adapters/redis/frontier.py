"""`Frontier` on Redis: each verb is one Lua script of `workers.frontier`.

A script must declare every key it touches, and some keys follow from what Redis holds (the job and
the hosts of a batch). Those are read first; they never change while a batch lives, so nothing can
go wrong in between: a batch that has gone answers so from within the script.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Final, Literal, TypeVar, cast

from ulid import ULID

from schemas import ids
from schemas.records.job import Lane, StoredJob
from schemas.records.outcome import Outcome, UrlOutcome
from schemas.records.receipt import Token
from workers.adapters.redis.committing import Committing, Ending
from workers.adapters.redis.controlling import Controlling
from workers.adapters.redis.forming import Forming, urls_of
from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.isolating import Isolating
from workers.adapters.redis.leased import asked_text
from workers.adapters.redis.replies import (
    first_score,
    items,
    maybe_byte_list,
    number,
    one_bytes,
    text_list,
    text_map,
)
from workers.adapters.redis.restoring import Restoring
from workers.adapters.redis.setting_aside import SettingAside
from workers.adapters.redis.waking import Waking
from workers.errors import EpochError
from workers.frontier import names, scripts
from workers.frontier.admission import packed_by_host
from workers.frontier.control import Control
from workers.frontier.limits import FrontierLimits
from workers.frontier.outcomes import outcome_of
from workers.frontier.urls import digest, pack
from workers.ports import Asked, Batch, BatchAside, Held, JobProgress, JobState, Lease, NotClaimed, QueuedUrl

__all__ = ["FrontierLimits", "RedisFrontier"]

T = TypeVar("T")
LANES: Final = (Lane.INTERACTIVE, Lane.BULK)
"""In the order in which they are served."""
ADMIT_CHUNK: Final = 2000  # URLs a script call: some 200 kB of arguments, a few milliseconds of Redis' time


def new_batch_id() -> str:
    """A batch id that nobody has used."""
    return ids.batch_id(str(ULID()))


@dataclass(frozen=True)
class RedisFrontier:
    """The port `Frontier`."""

    guard: Guard
    limits: FrontierLimits = field(default_factory=FrontierLimits)
    batch_ids: Callable[[], str] = new_batch_id

    async def open_job(self, job: StoredJob) -> None:
        """Make a job known; again is harmless."""
        created_ms = round(datetime.fromisoformat(job.created_at).timestamp() * 1000)
        await self._scripts["open_job"]([names.JOBS, names.job(job.id)], [job.id, created_ms, job.lane.value])

    async def close_intake(self, job_id: str) -> None:
        """All seeds are queued."""
        await self._scripts["close_intake"]([names.job(job_id)], [])

    async def admit(self, job_id: str, urls: Sequence[QueuedUrl]) -> int:
        """Queue what the job does not know; how many were new. Stopped in the middle, it may simply be repeated."""
        return sum([await self._admit(job_id, chunk) for chunk in _chunks(urls, ADMIT_CHUNK)])

    async def _admit(self, job_id: str, urls: Sequence[QueuedUrl]) -> int:
        hosts = packed_by_host(urls)
        keys = [names.job(job_id), names.open_urls(job_id), names.done_urls(job_id), names.hosts(job_id)]
        keys += [*(names.lane(lane) for lane in LANES), names.CANCELLING]
        keys += [names.queue(job_id, host) for host in hosts]
        args: list[Argument] = [job_id]
        for host, packed in hosts.items():
            args += [host, packed]
        return number(await self._scripts["admit"](keys, args))

    async def release(self, *, now_ms: int, batches: int, urls: int, lane: Lane | None = None) -> list[Batch]:
        """Form up to `batches` batches of about `urls` URLs."""
        return [each async for each in self.release_each(now_ms=now_ms, batches=batches, urls=urls, lane=lane)]

    async def release_each(
        self, *, now_ms: int, batches: int, urls: int, lane: Lane | None = None
    ) -> AsyncIterator[Batch]:
        """The same, each as soon as it is formed."""
        formed = 0
        for name in LANES if lane is None else (lane,):
            async for batch in self._forming.form(name, now_ms=now_ms, batches=batches - formed, urls=urls):
                formed += 1
                yield batch

    async def backlog(self, lane: Lane) -> int:
        """Released batches that no worker has claimed."""
        (waiting,) = await self.guard.read(lambda pipe: pipe.scard(names.waiting(lane)), "backlog")
        return number(waiting)

    async def waiting(self, lane: Lane) -> list[str]:
        """A hundred released batches that no worker has claimed; their ids are in the order of time."""
        (found,) = await self.guard.read(lambda pipe: pipe.srandmember(names.waiting(lane), 100), "waiting")
        return sorted(text_list(found))

    async def reclaim(self, *, now_ms: int, limit: int = 100) -> list[Batch]:
        """Expired batches, to be sent again. One that has no URL left is ended instead."""
        (expired,) = await self.guard.read(
            lambda pipe: pipe.zrangebyscore(names.LEASES, "-inf", now_ms, start=0, num=limit), "reclaim"
        )
        batches: list[Batch] = []
        for batch_id in text_list(expired):
            batch = await self._reclaim(batch_id, now_ms)
            if batch is not None and (batch.urls or batch.stopped):
                batches.append(batch)
            elif batch is not None:
                await self._end(batch, now_ms)
        return batches

    async def claim(self, batch_id: str, *, worker: str, now_ms: int, to_give_back: bool = False) -> Lease | NotClaimed:
        """Take a batch, with the next token."""
        about = await self._about(batch_id)
        job_id, lane = about or ("none", Lane.BULK)
        word, *found = items(
            await self._scripts["claim"](
                [
                    names.TOKEN,
                    names.batch(batch_id),
                    names.batch_urls(batch_id),
                    names.open_urls(job_id),
                    names.LEASES,
                    names.waiting(lane),
                    names.batch_hosts(batch_id),
                    names.job(job_id),
                ],
                [now_ms, batch_id, worker, self._lease_ms, int(to_give_back)],
            )
        )
        if word != b"lease":
            return NotClaimed(cast('Literal["done", "leased", "unknown", "stopped"]', one_bytes(word).decode()))
        counter, calls, claims, parts, *hosts = found
        token = Token(epoch=self.guard.epoch.number or 0, counter=number(counter))
        return Lease(
            Batch(batch_id, job_id, lane, urls_of(hosts)),
            token,
            self.limits.lease_seconds,
            number(calls),
            number(claims),
            number(parts),
        )

    async def heartbeat(self, lease: Lease, *, now_ms: int, asked: Sequence[Asked] = ()) -> Held:
        """Extend the lease while it runs, and note what is waited for."""
        return await self._hold(lease, now_ms, self._lease_ms, asked_text(asked))

    async def give_back(self, lease: Lease, *, now_ms: int) -> bool:
        """Let the lease run until now, so that `reclaim` finds it."""
        return await self._hold(lease, now_ms, 0) is not Held.LOST

    async def _hold(self, lease: Lease, now_ms: int, lease_ms: int, asked: str = "") -> Held:
        self._same_epoch(lease)
        batch_id = lease.batch.batch_id
        held = await self._scripts["heartbeat"](
            [names.batch(batch_id), names.LEASES, names.job(lease.batch.job_id)],
            [now_ms, batch_id, lease.token.counter, lease_ms, asked],
        )
        return Held(number(held))

    async def excuse(self, lease: Lease) -> None:
        """One fruitless claim fewer, while the lease is held."""
        self._same_epoch(lease)
        await self._scripts["excuse"]([names.batch(lease.batch.batch_id)], [lease.token.counter])

    async def set_aside(self, lease: Lease, *, fault: str, now_ms: int) -> bool:
        """Until an object that it needs is restored."""
        self._same_epoch(lease)
        return await self._setting_aside.set_aside(lease, fault, now_ms)

    async def aside(self, job_id: str | None = None) -> list[BatchAside]:
        """Batches of a job (None: of all) that are set aside, in the order of their ids."""
        return await self._setting_aside.found(job_id)

    async def look_again(self, job_id: str, *, now_ms: int) -> int:
        """Let the scheduler look now at those of a job; how many those are."""
        return await self._setting_aside.look_again(job_id, now_ms)

    async def isolate(self, lease: Lease, *, now_ms: int) -> list[Batch]:
        """A batch for the first URL of each host, some hosts at a time."""
        self._same_epoch(lease)
        return await self._isolating.isolate(lease, now_ms)

    async def commit(
        self,
        lease: Lease,
        outcomes: Mapping[str, Outcome],
        *,
        now_ms: int,
        ready_at_ms: Mapping[str, int],
        last: bool,
        unanswered: Sequence[UrlOutcome] = (),
        part: int | None = None,
    ) -> bool:
        """Mark URLs done, or set them aside; give hosts back. The time alone does not make a lease stale here: while
        nobody else took the batch, what its receipt says is worth keeping."""
        self._same_epoch(lease)
        return await self._committing.commit(
            lease,
            outcomes,
            unanswered,
            Ending(now_ms, ready_at_ms, last, part),
            still_mine=lambda: self._same_epoch(lease),
        )

    async def defer(self, lease: Lease, url: QueuedUrl, *, now_ms: int) -> bool:
        """Move a URL of the batch into the queue of the host that it waits for now."""
        self._same_epoch(lease)
        batch = lease.batch
        keys = [
            names.batch(batch.batch_id),
            names.batch_urls(batch.batch_id),
            names.open_urls(batch.job_id),
            names.hosts(batch.job_id),
            names.lane(batch.lane),
            names.queue(batch.job_id, url.host),
        ]
        name = digest(url.normalized_url, url.visit)
        args: list[Argument] = [now_ms, batch.job_id, lease.token.counter, name, pack(url), url.host]
        return number(await self._scripts["defer"](keys, args)) == 1

    async def wake(self, *, now_ms: int) -> int:
        """Queue the URLs whose next try is due, some of each job; how many."""
        return await self._waking.wake(now_ms)

    async def restore_done(self, job_id: str, outcomes: Sequence[UrlOutcome]) -> int:
        """Put URLs where their receipts have them, before the job's seeds are admitted; how many had no outcome yet."""
        return await self._restoring.restore(job_id, outcomes)

    async def progress(self, job_id: str) -> JobProgress | None:
        """How a job stands, at one moment."""
        about, open_count, done_count, tally, hosts, later, first, unread = await self.guard.read(
            lambda pipe: (
                pipe.hmget(names.job(job_id), ["intake", "state"]),
                pipe.hlen(names.open_urls(job_id)),
                pipe.hlen(names.done_urls(job_id)),
                pipe.hgetall(names.tally(job_id)),
                pipe.zcard(names.hosts(job_id)),
                pipe.zcard(names.later(job_id)),
                pipe.zrange(names.later(job_id), 0, 0, withscores=True),
                pipe.scard(names.unread(job_id)),
            ),
            "progress",
        )
        intake, state = maybe_byte_list(about)
        if intake is None or state is None:
            return None
        done = number(done_count)
        return JobProgress(
            job_id=job_id,
            known=done + number(open_count),
            done=done,
            outcomes={outcome_of(code).value: int(count) for code, count in sorted(text_map(tally).items())},
            hosts_waiting=number(hosts),
            state=cast(JobState, state.decode()),
            intake_open=intake == b"open",
            later=number(later),
            next_try_ms=first_score(first),
            unread_segments=number(unread),
        )

    async def jobs(self) -> list[str]:
        """All job ids, oldest first."""
        (reply,) = await self.guard.read(lambda pipe: pipe.zrange(names.JOBS, 0, -1), "jobs")
        return text_list(reply)

    async def control(self, job_id: str, control: Control, *, now_ms: int) -> None:
        """State and calls of a job."""
        await self._controlling.put_in_force(job_id, control, now_ms=now_ms)

    async def note_controlled(self, job_id: str, sequence: int) -> None:
        """A decision has had its effect."""
        await self._controlling.note(job_id, sequence)

    async def controlled(self, job_id: str) -> int:
        """The last decision that has had its effect; 0 for none."""
        return await self._controlling.noted(job_id)

    async def end_cancelled(self) -> int:
        """End what waits of cancelled jobs."""
        return await self._controlling.end_cancelled()

    # --- within -------------------------------------------------------------------------------

    async def _reclaim(self, batch_id: str, now_ms: int) -> Batch | None:
        """One expired batch, taken back; None where somebody was faster."""
        about = await self._about(batch_id)
        if about is None:
            return None
        job_id, lane = about
        reply = items(
            await self._scripts["reclaim"](
                [
                    names.batch(batch_id),
                    names.batch_urls(batch_id),
                    names.open_urls(job_id),
                    names.LEASES,
                    names.waiting(lane),
                    names.batch_hosts(batch_id),
                    names.job(job_id),
                ],
                [now_ms, batch_id, now_ms + self.limits.unclaimed_ms],
            )
        )
        if not reply:
            return None
        _, claims, state, *hosts = reply
        stopped = state != b"running"  # or it was set aside
        return Batch(batch_id, job_id, lane, urls_of(hosts), fruitless=number(claims), stopped=stopped)

    async def _end(self, batch: Batch, now_ms: int) -> None:
        """End a batch whose worker died after the last outcome and before the end."""
        lease = await self.claim(batch.batch_id, worker="reclaim", now_ms=now_ms)
        if isinstance(lease, Lease):
            await self.commit(lease, {}, now_ms=now_ms, ready_at_ms={}, last=True)

    async def _about(self, batch_id: str) -> tuple[str, Lane] | None:
        """Job and lane of a batch; None where there is no such batch."""
        (reply,) = await self.guard.read(lambda pipe: pipe.hmget(names.batch(batch_id), ["job", "lane"]), "batch")
        job_id, lane = maybe_byte_list(reply)
        return None if job_id is None or lane is None else (job_id.decode(), Lane(lane.decode()))

    def _same_epoch(self, lease: Lease) -> None:
        if lease.token.epoch != self.guard.epoch.number:
            raise EpochError(
                f"the lease is of epoch {lease.token.epoch}, now it is {self.guard.epoch.number}",
                where=f"batch {lease.batch.batch_id}",
                next_step="drop the batch: what its receipts hold is kept, the rest is released again",
            )

    @cached_property
    def _scripts(self) -> dict[scripts.Verb, Script]:
        verbs: tuple[scripts.Verb, ...] = (
            "open_job", "admit", "close_intake", "release", "claim", "heartbeat", "commit", "reclaim", "restore",
            "defer", "wake", "control", "controlled", "expire", "cancel", "isolate", "excuse",
            "set_aside",
        )  # fmt: skip
        leased = ("heartbeat", "commit", "defer", "isolate", "excuse", "set_aside")
        return {verb: self.guard.script(scripts.source(verb), verb, of_one_epoch=verb in leased) for verb in verbs}

    @cached_property
    def _forming(self) -> Forming:
        return Forming(self.guard, self._scripts["release"], self.limits, self.batch_ids)

    @cached_property
    def _waking(self) -> Waking:
        return Waking(self.guard, self._scripts["wake"])

    @cached_property
    def _committing(self) -> Committing:
        return Committing(self.guard, self._scripts["commit"], self.limits)

    @cached_property
    def _restoring(self) -> Restoring:
        return Restoring(self.guard, self._scripts["restore"])

    @cached_property
    def _isolating(self) -> Isolating:
        return Isolating(self._scripts["isolate"], self.limits, self.batch_ids)

    @cached_property
    def _setting_aside(self) -> SettingAside:
        return SettingAside(self.guard, self._scripts, self.limits)

    @cached_property
    def _controlling(self) -> Controlling:
        return Controlling(self.guard, self._scripts)

    @property
    def _lease_ms(self) -> int:
        return round(self.limits.lease_seconds * 1000)


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
