"""URLs that got no answer wait for their next try in the frontier, and come back from receipts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from schemas.ids import utc_string
from schemas.records.job import StoredJob
from schemas.records.outcome import Outcome, UrlOutcome
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.frontier import names
from workers.ports import JobProgress, Lease, QueuedUrl

NOW = 1_790_000_000_000
MINUTE = 60_000
URL = "https://a.test/ü"
ASKED = "HTTPS://a.test/ü#part"
MakeJob = Callable[..., StoredJob]
MakeUrl = Callable[..., QueuedUrl]


def failure(*, due: int | None, tries: int = 1, url: str = URL, outcome: Outcome = Outcome.TIMEOUT) -> UrlOutcome:
    retry_at = None if due is None else utc_string(datetime.fromtimestamp(due / 1000, UTC))
    return UrlOutcome(
        requested_url=ASKED if url == URL else url, normalized_url=url, visit=1, outcome=outcome, tries=tries, depth=2,
        retry_at=retry_at,
    )  # fmt: skip


async def opened(guard: Guard, job: StoredJob, queued: MakeUrl) -> RedisFrontier:
    frontier = RedisFrontier(guard)
    await frontier.open_job(job)
    await frontier.admit(job.id, [queued(URL, requested=ASKED, depth=2)])
    await frontier.close_intake(job.id)
    return frontier


async def leased(frontier: RedisFrontier, now_ms: int) -> Lease:
    (batch,) = await frontier.release(now_ms=now_ms, batches=1, urls=50)
    lease = await frontier.claim(batch.batch_id, worker="w", now_ms=now_ms)
    assert isinstance(lease, Lease)
    return lease


async def stand(frontier: RedisFrontier) -> JobProgress:
    progress = await frontier.progress("job-1")
    assert progress is not None
    return progress


async def failed(frontier: RedisFrontier, lease: Lease, told: UrlOutcome, now_ms: int) -> None:
    assert await frontier.commit(lease, {}, now_ms=now_ms, ready_at_ms={}, last=True, unanswered=[told])


def test_it_waits_until_it_is_due_and_then_goes_out_one_try_richer(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await opened(guard, job(), queued)
        await failed(frontier, await leased(frontier, NOW), failure(due=NOW + MINUTE), NOW)
        waits = await stand(frontier)
        assert (waits.known, waits.done, waits.later, waits.next_try_ms) == (1, 0, 1, NOW + MINUTE)
        assert (waits.outcomes, waits.captured_all, waits.at_rest) == ({}, False, True)
        assert await frontier.wake(now_ms=NOW + MINUTE - 1) == 0
        assert await frontier.release(now_ms=NOW + MINUTE - 1, batches=1, urls=50) == []
        assert await frontier.wake(now_ms=NOW + MINUTE) == 1
        assert await frontier.wake(now_ms=NOW + MINUTE) == 0, "once"
        assert not (await stand(frontier)).at_rest
        lease = await leased(frontier, NOW + MINUTE)
        assert lease.batch.urls == (queued(URL, requested=ASKED, depth=2, tries=1),)
        await frontier.commit(lease, {URL: Outcome.CAPTURED}, now_ms=NOW, ready_at_ms={}, last=True)
        ended = await stand(frontier)
        assert (ended.outcomes, ended.captured_all, ended.later) == ({"captured": 1}, True, 0)

    on_redis(scenario)


def test_the_job_counts_the_last_outcome_alone(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await opened(guard, job(), queued)
        for tries in (1, 2):
            now = NOW + tries * MINUTE
            await frontier.wake(now_ms=now)
            await failed(frontier, await leased(frontier, now), failure(due=now + MINUTE, tries=tries), now)
        await frontier.wake(now_ms=NOW + 3 * MINUTE)
        last = failure(due=None, tries=3, outcome=Outcome.DNS_FAILED)
        await failed(frontier, await leased(frontier, NOW + 3 * MINUTE), last, NOW + 3 * MINUTE)
        ended = await stand(frontier)
        assert (ended.outcomes, ended.captured_all) == ({"dns_failed": 1}, True)

    on_redis(scenario)


def test_a_receipt_that_is_settled_twice_does_not_call_back_what_has_gone_on(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await opened(guard, job(), queued)
        await frontier.admit("job-1", [queued("https://b.test/")])
        lease = await leased(frontier, NOW)
        told = [failure(due=NOW + 1)]
        for _ in range(2):
            assert await frontier.commit(lease, {}, now_ms=NOW, ready_at_ms={}, last=False, unanswered=told)
            await frontier.wake(now_ms=NOW + 1)
        assert (await stand(frontier)).later == 0
        assert await guard.client.llen(names.queue("job-1", "a.test")) == 1

    on_redis(scenario)


def test_waiting_urls_of_many_hosts_wake_together(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = RedisFrontier(guard)
        await frontier.open_job(job())
        urls = [f"https://h{number % 7}.test/{number}" for number in range(1200)]
        await frontier.restore_done("job-1", [failure(due=NOW + number, url=url) for number, url in enumerate(urls)])
        assert [await frontier.wake(now_ms=NOW + 1100) for _ in range(4)] == [500, 500, 101, 0]
        assert (await stand(frontier)).next_try_ms == NOW + 1101
        batches = await frontier.release(now_ms=NOW + 1100, batches=1, urls=2000)
        assert len({url.host for batch in batches for url in batch.urls}) == 7

    on_redis(scenario)


@pytest.mark.parametrize(
    ("receipts", "outcomes", "later"),
    [
        ([failure(due=NOW)], {}, 1),
        ([failure(due=NOW), failure(due=NOW + 9, tries=2)], {}, 1),
        ([failure(due=NOW), failure(due=None, tries=2)], {"timeout": 1}, 0),
        ([failure(due=NOW), failure(due=None, tries=2, outcome=Outcome.CAPTURED)], {"captured": 1}, 0),
        ([failure(due=None, outcome=Outcome.REVISIT), failure(due=NOW)], {"revisit": 1}, 0),
        ([failure(due=None, outcome=Outcome.CAPTURED)] * 2, {"captured": 1}, 0),
        ([failure(due=None), failure(due=None, outcome=Outcome.CAPTURED)], {"captured": 1}, 0),
        ([failure(due=None), failure(due=None, outcome=Outcome.DNS_FAILED)], {"dns_failed": 1}, 0),
    ],
)
def test_receipts_give_back_one_standing_a_url(on_redis, job: MakeJob, queued: MakeUrl, receipts, outcomes, later):
    async def scenario(guard: Guard) -> None:
        frontier = RedisFrontier(guard)
        await frontier.open_job(job())
        new = [await frontier.restore_done("job-1", [told]) for told in receipts]
        assert sum(new) == 1
        assert await frontier.admit("job-1", [queued(URL)]) == 0, "its seed is known"
        stands = await stand(frontier)
        assert (stands.known, stands.outcomes, stands.later) == (1, outcomes, later)
        if later:
            await frontier.wake(now_ms=NOW + MINUTE)
            (url,) = (await leased(frontier, NOW + MINUTE)).batch.urls
            assert (url.requested_url, url.tries, url.depth) == (ASKED, receipts[-1].tries, 2)

    on_redis(scenario)


def test_a_late_receipt_of_a_failure_leaves_alone_what_is_on_its_way(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = await opened(guard, job(), queued)
        lease = await leased(frontier, NOW)
        await frontier.restore_done("job-1", [failure(due=NOW + MINUTE)])
        assert (await stand(frontier)).later == 0
        await frontier.commit(lease, {URL: Outcome.CAPTURED}, now_ms=NOW, ready_at_ms={}, last=True)
        assert (await stand(frontier)).outcomes == {"captured": 1}

    on_redis(scenario)
