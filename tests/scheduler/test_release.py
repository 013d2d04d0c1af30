"""Batches go out, and no message is lost on the way to the broker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from scheduler.release import LaneLimits, Releaser
from schemas.messages import CaptureBatch, TaskMessage
from schemas.records.job import JobOptions, Lane, StoredJob
from workers.adapters.redis.client import connect
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.errors import RetryableError
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.frontier.urls import politeness_key
from workers.ports import Lease, QueuedUrl

NOW = 1_790_000_000_000
MakeJob = Callable[..., StoredJob]


class Broker:
    """An announcer that is away now and then."""

    def __init__(self) -> None:
        self.sent: list[CaptureBatch] = []
        self.away_after: int | None = None

    async def announce(self, message: TaskMessage) -> None:
        if self.away_after is not None and len(self.sent) >= self.away_after:
            raise RetryableError("the broker is away")
        assert isinstance(message, CaptureBatch)
        self.sent.append(message)


@pytest.fixture
def with_frontier(redis_url: str) -> Callable[..., None]:
    def run(scenario: Callable[..., object], jobs: Sequence[tuple[str, Lane, int]]) -> None:
        async def within() -> None:
            client = connect(redis_url)
            await client.set(names.EPOCH, "4")
            frontier = RedisFrontier(Guard(client, Epoch(number=4)))
            for job_id, lane, count in jobs:
                await frontier.open_job(_job(job_id, lane))
                urls = [f"https://{job_id}-{number}.test/" for number in range(count)]
                await frontier.admit(job_id, [QueuedUrl(url, url, politeness_key(url)) for url in urls])
            await scenario(frontier, Broker())  # type: ignore[misc]
            await client.aclose()

        asyncio.run(within())

    return run


def _job(job_id: str, lane: Lane) -> StoredJob:
    return StoredJob(
        schema="citevault/stored-job@1",
        id=job_id,
        collection="default",
        lane=lane,
        created_at="2026-11-29T10:00:00Z",
        options=JobOptions(),
        seed_parts=(),
        lines=0,
        seeds=0,
        duplicates=0,
        bad_lines=0,
    )


def test_batches_go_out_while_few_wait_for_a_worker(with_frontier):
    async def scenario(frontier: RedisFrontier, broker: Broker) -> None:
        limits = {Lane.INTERACTIVE: LaneLimits(waiting=2, urls=1), Lane.BULK: LaneLimits(waiting=3, urls=8)}
        releaser = Releaser(frontier, broker, lambda: 4, limits)
        assert await releaser.release(NOW) == 4
        assert [(one.lane, one.epoch) for one in broker.sent] == [(Lane.INTERACTIVE, 4)] + [(Lane.BULK, 4)] * 3
        assert [one.destination() for one in broker.sent] == ["interactive", "capture", "capture", "capture"]
        assert await releaser.release(NOW) == 0, "as many wait as may"
        lease = await frontier.claim(broker.sent[-1].batch_id, worker="w", now_ms=NOW)
        assert isinstance(lease, Lease)
        assert await releaser.release(NOW) == 1

    with_frontier(scenario, [("hand", Lane.INTERACTIVE, 1), ("bulk", Lane.BULK, 64)])


def test_a_batch_goes_out_before_the_next_one_is_formed(with_frontier):
    async def scenario(frontier: RedisFrontier, broker: Broker) -> None:
        formed = []

        class Watching(Broker):
            async def announce(self, message: CaptureBatch) -> None:
                formed.append(await frontier.backlog(Lane.BULK))

        await Releaser(frontier, Watching(), lambda: 4, {Lane.BULK: LaneLimits(waiting=3, urls=8)}).release(NOW)
        assert formed == [1, 2, 3]

    with_frontier(scenario, [("bulk", Lane.BULK, 64)])


def test_a_batch_whose_message_could_not_be_sent_is_sent_first_next_time(with_frontier):
    async def scenario(frontier: RedisFrontier, broker: Broker) -> None:
        releaser = Releaser(frontier, broker, lambda: 4, {Lane.BULK: LaneLimits(waiting=2, urls=8)})
        broker.away_after = 1
        with pytest.raises(RetryableError):
            await releaser.release(NOW)
        broker.away_after = None
        assert await releaser.release(NOW) == 1
        assert len({one.batch_id for one in broker.sent}) == 2
        assert await frontier.backlog(Lane.BULK) == 2

    with_frontier(scenario, [("bulk", Lane.BULK, 64)])


def test_an_expired_batch_is_announced_again_under_its_own_id(with_frontier):
    async def scenario(frontier: RedisFrontier, broker: Broker) -> None:
        releaser = Releaser(frontier, broker, lambda: 4)
        await releaser.release(NOW)
        assert await releaser.reclaim(NOW + 1000) == 0
        assert await releaser.reclaim(NOW + 120_000) == 1
        assert broker.sent[0] == broker.sent[1]

    with_frontier(scenario, [("bulk", Lane.BULK, 2)])


def test_two_ticks_at_once_send_every_batch_exactly_once(with_frontier: Callable[..., None]) -> None:
    class SlowBroker(Broker):
        async def announce(self, message: TaskMessage) -> None:
            await asyncio.sleep(0.001)
            await super().announce(message)

    async def scenario(frontier: RedisFrontier, _: Broker) -> None:
        broker = SlowBroker()
        limits = {Lane.BULK: LaneLimits(waiting=50, urls=1)}
        releaser = Releaser(frontier, broker, lambda: 4, limits)
        await asyncio.gather(releaser.release(NOW), releaser.reclaim(NOW), releaser.release(NOW))
        names_sent = [message.batch_id for message in broker.sent]
        assert len(names_sent) == len(set(names_sent)) == await frontier.backlog(Lane.BULK) > 1

    with_frontier(scenario, [("job-1", Lane.BULK, 20)])
