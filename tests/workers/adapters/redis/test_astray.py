"""Keys of a running frontier are deleted: no open URL is lost without a word."""

from __future__ import annotations

from collections.abc import Callable

from scheduler.service.astray import NAME, LookAfter
from scheduler.service.ticking import WorkLog
from schemas.records.job import StoredJob
from schemas.records.outcome import Outcome
from workers.adapters.redis.astray import AstrayUrls, OpenJob
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.frontier import names
from workers.ports import Held, Lease, QueuedUrl

NOW = 1_790_000_000_000
LEASE_MS = 60_000
URLS = tuple(f"https://a{number}.test/" for number in range(3))
MakeJob = Callable[..., StoredJob]
MakeUrl = Callable[..., QueuedUrl]


async def out(guard: Guard, job: StoredJob, queued: MakeUrl) -> tuple[RedisFrontier, Lease]:
    """A job of three hosts, all of them in one batch that a worker has."""
    frontier = RedisFrontier(guard)
    await frontier.open_job(job)
    await frontier.admit(job.id, list(map(queued, URLS)))
    await frontier.close_intake(job.id)
    (batch,) = await frontier.release(now_ms=NOW, batches=1, urls=50)
    lease = await frontier.claim(batch.batch_id, worker="w", now_ms=NOW)
    assert isinstance(lease, Lease)
    return frontier, lease


def test_a_batch_without_a_lease_is_kept_by_a_live_worker_and_goes_out_again_of_a_dead_one(
    on_redis, job: MakeJob, queued: MakeUrl
):
    async def scenario(guard: Guard) -> None:
        frontier, lease = await out(guard, job(), queued)
        log = WorkLog()
        after = LookAfter(AstrayUrls(guard), log, 60.0)
        assert await after.look(NOW) == 0, "it has its lease"
        await guard.client.delete(names.LEASES)
        assert await frontier.reclaim(now_ms=NOW + 10 * LEASE_MS) == [], "nobody would ever find it"
        assert await after.look(NOW) == 1
        assert await after.look(NOW) == 0
        assert NAME not in log.troubles
        assert await frontier.heartbeat(lease, now_ms=NOW + LEASE_MS - 1) is Held.HELD
        assert await frontier.reclaim(now_ms=NOW + LEASE_MS + 1) == [], "its worker lives"
        (again,) = await frontier.reclaim(now_ms=NOW + 2 * LEASE_MS)
        assert (again.batch_id, len(again.urls)) == (lease.batch.batch_id, 3)
        lease_again = await frontier.claim(again.batch_id, worker="w2", now_ms=NOW)
        assert isinstance(lease_again, Lease)
        done = dict.fromkeys(URLS, Outcome.CAPTURED)
        assert await frontier.commit(lease_again, done, now_ms=NOW, ready_at_ms={}, last=True)
        await guard.client.hset(names.BUSY, "b.test", lease.batch.batch_id)
        assert await after.look(NOW) == 0, "what is over is not listed again"

    on_redis(scenario)


def test_urls_that_are_in_nothing_are_told_with_what_brings_them_back(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        await out(guard, job(), queued)
        astray, log = AstrayUrls(guard), WorkLog()
        after = LookAfter(astray, log, 60.0)
        await guard.client.delete(names.LEASES, names.BUSY)
        assert await after.look(NOW) == 0
        assert log.troubles == {}, "once may be a move from one place to another"
        await after.look(NOW)
        assert "3 open URLs of job-1 are in no queue" in log.troubles[NAME]
        assert "citevault rebuild" in log.troubles[NAME]
        assert await astray.open_jobs(now_ms=NOW) == [OpenJob("job-1", urls=3, later=0, hosts=0, ready_hosts=0)]
        await guard.client.hset(names.job("job-1"), "state", "paused")
        await after.look(NOW)
        assert log.troubles == {}, "nobody waits for a paused job"

    on_redis(scenario)


def test_a_job_whose_place_in_its_lane_is_lost_is_in_no_queue_that_is_served(on_redis, job: MakeJob, queued: MakeUrl):
    async def scenario(guard: Guard) -> None:
        frontier = RedisFrontier(guard)
        await frontier.open_job(job())
        await frontier.admit("job-1", list(map(queued, URLS)))
        astray = AstrayUrls(guard)
        assert await astray.stranded(now_ms=NOW) == {}
        (found,) = await astray.open_jobs(now_ms=NOW, newest=5)
        assert (found.hosts, found.ready_hosts, found.unserved) == (3, 3, 0)
        await guard.client.delete(names.lane(job().lane))
        assert await astray.stranded(now_ms=NOW) == {"job-1": 3}

    on_redis(scenario)
