"""The lease protocol on a real Valkey: who gets a batch, when it comes back, and what is never forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from schemas.records.job import Lane, StoredJob
from schemas.records.outcome import Outcome, UrlOutcome
from workers.adapters.redis.frontier import FrontierLimits, RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.errors import EpochError, PermanentError, RetryableError
from workers.frontier import names
from workers.frontier.control import Control
from workers.frontier.urls import digest
from workers.ports import Batch, Lease, NotClaimed, QueuedUrl

NOW = 1_790_000_000_000
LEASE_MS = 60_000
UNCLAIMED_MS = 60_000

MakeJob = Callable[..., StoredJob]
MakeUrl = Callable[..., QueuedUrl]


def pages(queued: MakeUrl, *hosts: str, each: int = 1) -> list[QueuedUrl]:
    return [queued(f"https://{host}/{page}") for host in hosts for page in range(each)]


async def started(guard: Guard, job: StoredJob, urls: list[QueuedUrl], **limits: int) -> RedisFrontier:
    frontier = RedisFrontier(guard, FrontierLimits(**limits))
    await frontier.open_job(job)
    await frontier.admit(job.id, urls)
    await frontier.close_intake(job.id)
    return frontier


async def one_batch(frontier: RedisFrontier, *, now_ms: int = NOW, urls: int = 50) -> Batch:
    (batch,) = await frontier.release(now_ms=now_ms, batches=1, urls=urls)
    return batch


async def claimed(frontier: RedisFrontier, batch: Batch, *, worker: str = "w1", now_ms: int = NOW) -> Lease:
    lease = await frontier.claim(batch.batch_id, worker=worker, now_ms=now_ms)
    assert isinstance(lease, Lease)
    return lease


def captured(batch: Batch) -> dict[str, Outcome]:
    return {url.normalized_url: Outcome.CAPTURED for url in batch.urls}


def test_a_job_is_complete_when_every_url_has_its_outcome(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test", "b.test", each=2))
        batch = await one_batch(frontier)
        lease = await claimed(frontier, batch)
        assert lease.batch.urls == batch.urls
        assert lease.seconds == 60
        before = await frontier.progress("job-1")
        assert before is not None
        assert (before.known, before.done, before.captured_all) == (4, 0, False)
        outcomes = captured(batch) | {"https://b.test/1": Outcome.TIMEOUT}
        assert await frontier.commit(lease, outcomes, now_ms=NOW, ready_at_ms={}, last=True)
        after = await frontier.progress("job-1")
        assert after is not None
        assert (after.known, after.done, after.captured_all) == (4, 4, True)
        assert after.outcomes == {"captured": 3, "timeout": 1}
        assert after.hosts_waiting == 0
        assert await frontier.release(now_ms=NOW + 10**6, batches=5, urls=50) == []

    on_redis(scenario)


def test_what_comes_in_after_a_job_was_cancelled_is_never_looked_at_for_release(on_redis, job, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test"))
        await frontier.control("job-1", Control("cancelled", sequence=1), now_ms=NOW)
        assert await frontier.end_cancelled() == 1
        assert await frontier.end_cancelled() == 0
        assert await frontier.admit("job-1", pages(queued, "a.test", "b.test", each=2)) == 3
        assert (
            await guard.client.zcard(names.lane(Lane.BULK))
            == await guard.client.zcard(names.lane(Lane.INTERACTIVE))
            == 0
        )
        assert await frontier.end_cancelled() == 3
        after = await frontier.progress("job-1")
        assert after is not None
        assert (after.known, after.done, after.outcomes) == (4, 4, {"cancelled": 4})

    on_redis(scenario)


def test_nothing_is_queued_twice_in_a_job(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test", each=3))
        assert await frontier.admit("job-1", pages(queued, "a.test", each=4)) == 1
        lease = await claimed(frontier, await one_batch(frontier))
        await frontier.commit(lease, captured(lease.batch), now_ms=NOW, ready_at_ms={}, last=True)
        assert await frontier.admit("job-1", pages(queued, "a.test", each=4)) == 0, "nor after it was done"
        assert await frontier.admit("job-1", [queued("https://a.test/0", visit=2)]) == 1, "another visit is another"

    on_redis(scenario)


def test_a_job_whose_intake_is_open_is_not_complete(on_redis, job: MakeJob):
    async def scenario(guard: Guard) -> None:
        frontier = RedisFrontier(guard)
        await frontier.open_job(job())
        progress = await frontier.progress("job-1")
        assert progress is not None
        assert progress.intake_open
        assert not progress.captured_all
        await frontier.close_intake("job-1")
        await frontier.open_job(job())
        closed = await frontier.progress("job-1")
        assert closed is not None
        assert closed.captured_all, "opening it again does not open its intake again"

    on_redis(scenario)


def test_an_unknown_job_is_told_apart_from_an_empty_one(on_redis, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = RedisFrontier(guard)
        assert await frontier.progress("job-9") is None
        with pytest.raises(PermanentError, match="does not know this job"):
            await frontier.admit("job-9", pages(queued, "a.test"))

    on_redis(scenario)


def test_jobs_are_listed_oldest_first(on_redis, job: MakeJob):
    async def scenario(guard: Guard) -> None:
        frontier = RedisFrontier(guard)
        await frontier.open_job(job("job-b", created_at="2026-11-29T11:00:00Z"))
        await frontier.open_job(job("job-c", created_at="2026-11-29T09:00:00.5Z"))
        assert await frontier.jobs() == ["job-c", "job-b"]

    on_redis(scenario)


def test_the_spelling_that_was_asked_for_reaches_the_worker(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        url = queued("https://a.test/ü", requested="HTTPS://a.test/ü#part\n2", tries=2)
        frontier = await started(guard, job(), [url])
        assert (await one_batch(frontier)).urls == (url,)

    on_redis(scenario)


def test_of_two_workers_one_gets_the_batch(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test"))
        batch = await one_batch(frontier)
        first = await claimed(frontier, batch, worker="w1")
        assert await frontier.claim(batch.batch_id, worker="w2", now_ms=NOW + 1) == NotClaimed("leased")
        await frontier.commit(first, captured(batch), now_ms=NOW, ready_at_ms={}, last=True)
        assert await frontier.claim(batch.batch_id, worker="w2", now_ms=NOW + 2) == NotClaimed("done")
        assert await frontier.claim("b-nobody", worker="w2", now_ms=NOW) == NotClaimed("unknown")

    on_redis(scenario)


def test_an_expired_lease_goes_out_again_under_its_own_id(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test", "b.test"))
        batch = await one_batch(frontier)
        first = await claimed(frontier, batch)
        await frontier.commit(
            first, {"https://a.test/0": Outcome.CAPTURED}, now_ms=NOW, ready_at_ms={"a.test": NOW}, last=False
        )
        assert await frontier.reclaim(now_ms=NOW + LEASE_MS - 1) == []
        (again,) = await frontier.reclaim(now_ms=NOW + LEASE_MS)
        assert again.batch_id == batch.batch_id
        assert [url.normalized_url for url in again.urls] == ["https://b.test/0"], "what has its outcome stays done"
        assert await frontier.reclaim(now_ms=NOW + LEASE_MS) == [], "once, until its message is lost too"
        second = await claimed(frontier, again, worker="w2", now_ms=NOW + LEASE_MS)
        assert second.token.counter > first.token.counter

    on_redis(scenario)


def test_a_stale_token_changes_nothing(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test"))
        batch = await one_batch(frontier)
        stale = await claimed(frontier, batch)
        later = NOW + LEASE_MS
        await frontier.reclaim(now_ms=later)
        assert not await frontier.commit(stale, captured(batch), now_ms=later, ready_at_ms={}, last=True)
        successor = await claimed(frontier, batch, worker="w2", now_ms=later)
        assert not await frontier.heartbeat(stale, now_ms=later)
        assert not await frontier.commit(stale, captured(batch), now_ms=later, ready_at_ms={}, last=True)
        progress = await frontier.progress("job-1")
        assert progress is not None
        assert progress.done == 0
        assert await frontier.commit(successor, captured(batch), now_ms=later, ready_at_ms={}, last=True)

    on_redis(scenario)


def test_an_expired_batch_can_be_claimed_before_it_is_reclaimed(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test"))
        batch = await one_batch(frontier)
        stale = await claimed(frontier, batch)
        await claimed(frontier, batch, worker="w2", now_ms=NOW + LEASE_MS)
        assert not await frontier.heartbeat(stale, now_ms=NOW + LEASE_MS)

    on_redis(scenario)


def test_heartbeats_keep_a_lease_and_come_too_late_once_it_has_ended(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test"))
        lease = await claimed(frontier, await one_batch(frontier))
        assert await frontier.heartbeat(lease, now_ms=NOW + 50_000)
        assert await frontier.reclaim(now_ms=NOW + 100_000) == []
        assert not await frontier.heartbeat(lease, now_ms=NOW + 110_000)

    on_redis(scenario)


def test_a_batch_whose_message_was_lost_is_sent_again(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test"))
        batch = await one_batch(frontier)
        assert await frontier.backlog(Lane.BULK) == 1
        assert await frontier.reclaim(now_ms=NOW + UNCLAIMED_MS - 1) == []
        assert await frontier.reclaim(now_ms=NOW + UNCLAIMED_MS) == [batch]
        assert await frontier.backlog(Lane.BULK) == 1
        await claimed(frontier, batch, now_ms=NOW + UNCLAIMED_MS)
        assert await frontier.backlog(Lane.BULK) == 0

    on_redis(scenario)


def test_a_worker_that_dies_between_its_last_outcome_and_the_end_leaves_nothing_behind(
    on_redis, job: MakeJob, queued: MakeUrl
):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test"))
        batch = await one_batch(frontier)
        lease = await claimed(frontier, batch)
        await frontier.commit(lease, captured(batch), now_ms=NOW, ready_at_ms={}, last=False)
        assert await frontier.reclaim(now_ms=NOW + LEASE_MS) == []
        assert await guard.client.hgetall(names.BUSY) == {}
        assert await guard.client.zcard(names.LEASES) == 0
        assert await frontier.claim(batch.batch_id, worker="w2", now_ms=NOW) == NotClaimed("done")

    on_redis(scenario)


def test_a_host_is_in_one_batch_at_a_time_over_all_jobs(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job("job-1"), pages(queued, "a.test", "b.test", each=2), urls_per_host=1)
        await started(guard, job("job-2"), pages(queued, "a.test"))
        first = await frontier.release(now_ms=NOW, batches=4, urls=50)
        assert [url.host for batch in first for url in batch.urls] == ["a.test", "b.test"]
        assert await frontier.release(now_ms=NOW + 500, batches=4, urls=50) == []
        lease = await claimed(frontier, first[0])
        await frontier.commit(lease, captured(first[0]), now_ms=NOW, ready_at_ms={}, last=True)
        third = await frontier.release(now_ms=NOW + 2000, batches=4, urls=50)
        hosts = [url.host for batch in third for url in batch.urls]
        assert sorted(hosts) == ["a.test", "b.test"]
        assert {batch.job_id for batch in third} == {"job-1", "job-2"}

    on_redis(scenario)


def test_a_host_waits_until_it_may_be_asked_again(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test", each=2), urls_per_host=1)
        lease = await claimed(frontier, await one_batch(frontier))
        await frontier.commit(
            lease,
            captured(lease.batch),
            now_ms=NOW,
            ready_at_ms={"a.test": NOW + 5000, "cdn.test": NOW + 9000},
            last=True,
        )
        await started(guard, job("job-2"), pages(queued, "a.test", "cdn.test"))
        assert await frontier.release(now_ms=NOW + 4999, batches=9, urls=50) == []
        ready = await frontier.release(now_ms=NOW + 5000, batches=9, urls=50)
        assert [url.host for batch in ready for url in batch.urls] == ["a.test"]
        lease = await claimed(frontier, ready[0], now_ms=NOW + 5000)
        await frontier.commit(lease, captured(ready[0]), now_ms=NOW + 5000, ready_at_ms={}, last=True)
        rest = await frontier.release(now_ms=NOW + 9000, batches=9, urls=50)
        assert {url.host for batch in rest for url in batch.urls} == {"a.test", "cdn.test"}

    on_redis(scenario)


def test_a_host_gives_its_last_urls_along_and_another_only_its_quota(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        few, many = pages(queued, "few.test", each=12), pages(queued, "many.test", each=13)
        frontier = await started(guard, job(), [*few, *many])
        (batch,) = await frontier.release(now_ms=NOW, batches=1, urls=16)
        taken = [url.host for url in batch.urls]
        assert (taken.count("few.test"), taken.count("many.test")) == (12, 8)
        lease = await claimed(frontier, batch)
        assert await frontier.commit(lease, captured(batch), now_ms=NOW, ready_at_ms={}, last=True)
        (last,) = await frontier.release(now_ms=NOW, batches=1, urls=16)
        assert [url.normalized_url for url in last.urls] == [url.normalized_url for url in many[8:]]

    on_redis(scenario)


def test_a_host_that_is_through_is_free_while_a_slow_one_holds_the_batch(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "fast.test", "slow.test", each=4), urls_per_host=2)
        lease = await claimed(frontier, await one_batch(frontier))
        fast = {f"https://fast.test/{page}": Outcome.CAPTURED for page in range(2)}
        ready = {"fast.test": NOW, "slow.test": NOW}
        assert await frontier.commit(lease, fast, now_ms=NOW, ready_at_ms=ready, last=False)
        following = await one_batch(frontier, now_ms=NOW + 1)
        assert [url.normalized_url for url in following.urls] == ["https://fast.test/2", "https://fast.test/3"]
        slow = {f"https://slow.test/{page}": Outcome.CAPTURED for page in range(2)}
        assert await frontier.commit(lease, slow, now_ms=NOW, ready_at_ms=ready, last=True)
        assert await guard.client.hkeys(names.BUSY) == [b"fast.test"], "it is in the following batch now"

    on_redis(scenario)


def test_what_a_batch_hands_back_is_queued_again_in_its_old_order(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test", each=5), urls_per_host=4)
        lease = await claimed(frontier, await one_batch(frontier))
        await frontier.commit(
            lease,
            {"https://a.test/0": Outcome.CAPTURED},
            now_ms=NOW,
            ready_at_ms={"a.test": NOW},
            last=True,
        )
        again = await one_batch(frontier)
        assert [url.normalized_url[-1] for url in again.urls] == ["1", "2", "3", "4"]

    on_redis(scenario)


def test_a_visit_goes_on_with_the_host_that_it_waits_for(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test", each=2))
        lease = await claimed(frontier, await one_batch(frontier))
        later = replace(
            lease.batch.urls[0], host="b.test", via=("https://a.test/0",), resumes_at="https://b.test/there"
        )
        assert await frontier.defer(lease, later, now_ms=NOW)
        assert not await frontier.defer(lease, later, now_ms=NOW), "once"
        other = await one_batch(frontier)
        assert other.urls == (later,), "the host that it came from stays in its batch"
        await frontier.commit(lease, captured(lease.batch), now_ms=NOW, ready_at_ms={}, last=True)
        progress = await frontier.progress("job-1")
        assert progress is not None
        assert progress.captured_all, "whoever has an outcome for it, has it"

    on_redis(scenario)


def test_a_visit_that_has_its_outcome_is_not_deferred(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test", each=2))
        batch = await one_batch(frontier)
        lease = await claimed(frontier, batch)
        first, second = (replace(url, host="b.test", resumes_at="https://b.test/x") for url in batch.urls)
        done = {first.normalized_url: Outcome.CAPTURED}
        await frontier.commit(lease, done, now_ms=NOW, ready_at_ms={}, last=False)
        assert not await frontier.defer(lease, first, now_ms=NOW)
        successor = await claimed(frontier, batch, worker="w2", now_ms=NOW + LEASE_MS)
        assert not await frontier.defer(lease, second, now_ms=NOW + LEASE_MS), "the lease was lost"
        assert await frontier.defer(successor, second, now_ms=NOW + LEASE_MS)

    on_redis(scenario)


def test_interactive_jobs_come_first_and_jobs_take_turns(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job("job-1"), pages(queued, "a.test", each=9), urls_per_host=2)
        await started(guard, job("job-2"), pages(queued, "b.test", each=9))
        await started(guard, job("job-3", lane=Lane.INTERACTIVE), pages(queued, "c.test"))
        order = []
        for second in range(3):
            now = NOW + second * 1000
            batch = await one_batch(frontier, now_ms=now)
            order.append(batch.job_id)
            lease = await claimed(frontier, batch, now_ms=now)
            await frontier.commit(lease, captured(batch), now_ms=now, ready_at_ms={}, last=True)
        assert order == ["job-3", "job-1", "job-2"]
        assert (await one_batch(frontier, now_ms=NOW + 9000)).job_id == "job-1"
        assert await frontier.release(now_ms=NOW + 9000, batches=3, urls=9, lane=Lane.INTERACTIVE) == []

    on_redis(scenario)


def test_a_thousand_jobs_that_wait_do_not_hide_the_one_that_can_go_on(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = RedisFrontier(guard)
        for number in range(250):
            await started(guard, job(f"job-{number:03d}"), pages(queued, "busy.test"))
        (first,) = await frontier.release(now_ms=NOW, batches=1, urls=9)
        await started(guard, job("job-z"), pages(queued, "free.test"))
        found: list[Batch] = []
        for tick in range(1, 4):
            found += await frontier.release(now_ms=NOW + tick, batches=100, urls=9)
        assert [batch.job_id for batch in found] == ["job-z"]
        assert first.job_id == "job-000"

    on_redis(scenario)


def test_outcomes_from_receipts_are_restored_without_a_lease(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = RedisFrontier(guard)
        await frontier.open_job(job())
        done = UrlOutcome(
            requested_url="https://a.test/0", normalized_url="https://a.test/0", visit=1, outcome=Outcome.REVISIT
        )
        assert await frontier.restore_done("job-1", [done, done]) == 1
        assert await frontier.admit("job-1", pages(queued, "a.test", each=2)) == 1
        progress = await frontier.progress("job-1")
        assert progress is not None
        assert (progress.known, progress.done, progress.outcomes) == (2, 1, {"revisit": 1})

    on_redis(scenario)


def test_an_emptied_redis_is_an_epoch_error_and_never_no_work(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test"))
        lease = await claimed(frontier, await one_batch(frontier))
        await guard.client.flushall()
        calls = {
            "open_job": lambda: frontier.open_job(job()),
            "admit": lambda: frontier.admit("job-1", pages(queued, "a.test")),
            "close_intake": lambda: frontier.close_intake("job-1"),
            "release": lambda: frontier.release(now_ms=NOW, batches=1, urls=1),
            "backlog": lambda: frontier.backlog(Lane.BULK),
            "reclaim": lambda: frontier.reclaim(now_ms=NOW),
            "wake": lambda: frontier.wake(now_ms=NOW),
            "claim": lambda: frontier.claim(lease.batch.batch_id, worker="w", now_ms=NOW),
            "heartbeat": lambda: frontier.heartbeat(lease, now_ms=NOW),
            "commit": lambda: frontier.commit(lease, {}, now_ms=NOW, ready_at_ms={}, last=True),
            "restore": lambda: frontier.restore_done("job-1", [UrlOutcome(
                requested_url="x", normalized_url="x", visit=1, outcome=Outcome.CAPTURED)]),
            "progress": lambda: frontier.progress("job-1"),
            "jobs": frontier.jobs,
        }  # fmt: skip
        for name, call in calls.items():
            with pytest.raises(EpochError):
                await call()
            assert await guard.client.keys("*") == [], f"{name} left something in a Redis that it does not know"

    on_redis(scenario)


def test_a_lease_of_an_older_epoch_is_refused(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await started(guard, job(), pages(queued, "a.test"))
        lease = await claimed(frontier, await one_batch(frontier))
        await guard.client.set(names.EPOCH, "2")
        with pytest.raises(EpochError):
            await frontier.heartbeat(lease, now_ms=NOW)
        guard.epoch.number = 2
        with pytest.raises(EpochError, match="lease is of epoch 1"):
            await frontier.commit(lease, {}, now_ms=NOW, ready_at_ms={}, last=True)

    on_redis(scenario)


def test_while_the_state_is_rebuilt_others_are_refused(on_redis, job: MakeJob):
    async def scenario(guard: Guard) -> None:
        await guard.client.set(names.EPOCH, "1+rebuilding")
        with pytest.raises(EpochError):
            await RedisFrontier(guard).jobs()
        guard.epoch.rebuilding = True
        assert await RedisFrontier(guard).jobs() == []

    on_redis(scenario)


@pytest.mark.real
def test_a_redis_that_is_away_is_worth_another_try():
    import asyncio

    from workers.adapters.redis.client import connect
    from workers.frontier.epoch import Epoch

    async def scenario() -> None:
        client = connect("redis://127.0.0.1:1/0")
        try:
            with pytest.raises(RetryableError, match="no connection"):
                await RedisFrontier(Guard(client, Epoch(number=1))).jobs()
        finally:
            await client.aclose()

    asyncio.run(scenario())


def test_a_batch_of_more_hosts_than_one_call_holds_is_released_and_committed_whole(
    on_redis, job: MakeJob, queued: MakeUrl
):
    """The scripts ask for some hundred hosts and URLs in one call."""

    async def scenario(guard: Guard) -> None:
        hosts = [f"h{number:04d}.test" for number in range(1201)]
        frontier = await started(guard, job(), pages(queued, *hosts, each=2), urls_per_host=1)
        (batch,) = await frontier.release(now_ms=NOW, batches=1, urls=2000)
        assert [url.host for url in batch.urls] == hosts
        lease = await claimed(frontier, batch)
        assert lease.batch.urls == batch.urls
        some = {url.normalized_url: Outcome.CAPTURED for url in batch.urls[:700]}
        ready = dict.fromkeys(hosts, NOW)
        assert await frontier.commit(lease, some, now_ms=NOW, ready_at_ms=ready, last=False)
        assert await guard.client.hlen(names.BUSY) == 501, "those that are through are free"
        rest = {url.normalized_url: Outcome.TRUNCATED for url in batch.urls[600:1100]}
        assert await frontier.commit(lease, rest, now_ms=NOW, ready_at_ms=ready, last=True)
        progress = await frontier.progress("job-1")
        assert progress is not None
        assert progress.outcomes == {"captured": 700, "truncated": 400}
        assert progress.hosts_waiting == 1201
        assert await guard.client.hlen(names.BUSY) == 0
        assert await guard.client.lrange(names.queue("job-1", hosts[-1]), 0, -1) == [
            digest(f"https://{hosts[-1]}/{page}", 1) for page in (0, 1)
        ], "what was not tried is first again"

    on_redis(scenario)
