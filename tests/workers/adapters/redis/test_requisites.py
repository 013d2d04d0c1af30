"""What a job has captured with its pages: exact, of this job only, and nothing without the epoch."""

from __future__ import annotations

import pytest

from workers.adapters.redis.requisites import CHUNK, RedisRequisites
from workers.errors import EpochError
from workers.frontier import names

pytestmark = pytest.mark.real
JOB, OTHER = "job-01KB7Q8ZJ4M8V3T0N5R6W9XCDE", "job-01KB7Q8ZJ4M8V3T0N5R6W9XCDF"


def test_what_was_published_is_captured_and_only_in_its_job(on_redis):
    async def scenario(guard):
        index = RedisRequisites(guard)
        await index.publish(JOB, ["https://a.example/1", "https://a.example/2"])
        await index.publish(JOB, ["https://a.example/1"])
        asked = ["https://a.example/1", "https://a.example/3", "https://a.example/2"]
        return await index.captured(JOB, asked), await index.captured(OTHER, asked), await index.captured(JOB, [])

    captured, other, none = on_redis(scenario)
    assert captured == {"https://a.example/1", "https://a.example/2"}
    assert other == none == frozenset()


def test_many_are_published_in_pieces(on_redis):
    urls = [f"https://a.example/{number}" for number in range(2 * CHUNK + 1)]

    async def scenario(guard):
        index = RedisRequisites(guard)
        await index.publish(JOB, urls)
        return await index.captured(JOB, urls)

    assert on_redis(scenario) == frozenset(urls)


def test_an_emptied_redis_is_an_error_and_not_an_empty_index(on_redis):
    async def scenario(guard):
        index = RedisRequisites(guard)
        await guard.client.delete(names.EPOCH)
        for call in (index.captured(JOB, ["https://a.example/1"]), index.publish(JOB, ["https://a.example/1"])):
            with pytest.raises(EpochError):
                await call

    on_redis(scenario)
