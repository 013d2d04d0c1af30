"""A Redis in epoch 1, and a job in it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from schemas.records.job import JobOptions, Lane, StoredJob
from workers.adapters.redis.client import connect
from workers.adapters.redis.guard import Guard
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.frontier.urls import politeness_key
from workers.ports import QueuedUrl

T = TypeVar("T")
Scenario = Callable[[Guard], Awaitable[T]]


@pytest.fixture
def on_redis(redis_url: str) -> Callable[[Scenario[T]], T]:
    """Run a scenario in one event loop, with a guard over an empty Redis that is in epoch 1."""

    def run(scenario: Scenario[T]) -> T:
        async def within() -> T:
            client = connect(redis_url)
            try:
                await client.set(names.EPOCH, "1")
                return await scenario(Guard(client, Epoch(number=1)))
            finally:
                await client.aclose()

        return asyncio.run(within())

    return run


@pytest.fixture
def job() -> Callable[..., StoredJob]:
    """A stored job, as intake leaves it."""

    def make(job_id: str = "job-1", *, lane: Lane = Lane.BULK, created_at: str = "2026-11-29T10:00:00Z") -> StoredJob:
        return StoredJob(
            schema="citevault/stored-job@1",
            id=job_id,
            collection="default",
            lane=lane,
            created_at=created_at,
            options=JobOptions(),
            seed_parts=(),
            lines=0,
            seeds=0,
            duplicates=0,
            bad_lines=0,
        )

    return make


@pytest.fixture
def queued() -> Callable[..., QueuedUrl]:
    """A URL as the frontier queues it, from its normalized form."""

    def make(url: str, *, requested: str | None = None, visit: int = 1, tries: int = 0, depth: int = 0) -> QueuedUrl:
        return QueuedUrl(requested or url, url, politeness_key(url), visit=visit, tries=tries, depth=depth)

    return make
