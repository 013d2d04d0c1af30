"""What a job has found by links: budgets that hold over all workers, and the least depth of each page."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from workers.adapters.redis.found import CHUNK, RedisFoundUrls
from workers.adapters.redis.frontier import RedisFrontier
from workers.errors import EpochError
from workers.frontier import names
from workers.frontier.urls import politeness_key
from workers.ports import FoundUrl, LinkBudgets, QueuedUrl

AMPLE = LinkBudgets(1000, 1000, 1000)


def link(path: str, *, depth: int = 1, host: str = "a.test", form: str | None = None) -> FoundUrl:
    url = f"https://{host}/{path}"
    return FoundUrl(QueuedUrl(url, url, politeness_key(url), depth=depth), form)


def test_a_link_is_new_until_it_is_queued_and_nearer_where_the_way_is_shorter(on_redis, job, queued):
    async def scenario(guard):
        found, frontier = RedisFoundUrls(guard), RedisFrontier(guard)
        await frontier.open_job(job())
        await frontier.admit("job-1", [queued("https://a.test/seed")])
        told = [await found.offer("job-1", [link("seed"), link("x", depth=3)], AMPLE)]
        told.append(await found.offer("job-1", [link("x", depth=3)], AMPLE))
        noted = await found.note("job-1", [link("x", depth=3)])
        await frontier.admit("job-1", [link("x", depth=3).url])
        told.append(await found.offer("job-1", [link("x", depth=3), link("x", depth=2)], AMPLE))
        again = await found.note("job-1", [link("x", depth=2)])
        told.append(await found.offer("job-1", [link("x", depth=2)], AMPLE))
        await found.note("job-1", [link("x", depth=5)])
        depths = await found.depths("job-1", ["https://a.test/x", "https://a.test/seed"], visit=1)
        return told, noted, again, depths

    told, noted, again, depths = on_redis(scenario)
    assert told == [["known", "new"], ["new"], ["known", "nearer"], ["known"]]
    assert (noted, again) == (frozenset(), frozenset({"https://a.test/x"}))
    assert depths == {"https://a.test/x": 2}, "a longer way found later changes nothing"


@pytest.mark.parametrize(
    ("budgets", "links", "told"),
    [
        (replace(AMPLE, pages=2), [link("1"), link("2"), link("3"), link("1")], ["new", "new", "job_budget", "new"]),
        (
            replace(AMPLE, pages_per_host=1),
            [link("1"), link("2"), link("1", host="b.test")],
            ["new", "host_budget", "new"],
        ),
        (
            replace(AMPLE, pages_per_form=1),
            [link("1", form="f"), link("2", form="f"), link("3", form="g"), link("4")],
            ["new", "query_budget", "new", "new"],
        ),
    ],
)
def test_budgets_are_spent_once(on_redis, job, budgets, links, told):
    async def scenario(guard):
        await RedisFrontier(guard).open_job(job())
        return await RedisFoundUrls(guard).offer("job-1", links, budgets)

    assert on_redis(scenario) == told


def test_many_workers_together_keep_to_a_budget(on_redis, job):
    async def scenario(guard):
        await RedisFrontier(guard).open_job(job())
        found = RedisFoundUrls(guard)
        offers = [[link(f"{worker}-{n}") for n in range(CHUNK + 100)] for worker in range(4)]
        told = await asyncio.gather(*(found.offer("job-1", each, replace(AMPLE, pages=700)) for each in offers))
        return [word for words in told for word in words]

    told = on_redis(scenario)
    assert (told.count("new"), told.count("job_budget")) == (700, 4 * (CHUNK + 100) - 700)


def test_an_emptied_redis_is_an_error_and_no_new_link(on_redis, job):
    async def scenario(guard):
        await RedisFrontier(guard).open_job(job())
        await guard.client.delete(names.EPOCH)
        with pytest.raises(EpochError):
            await RedisFoundUrls(guard).offer("job-1", [link("1")], AMPLE)

    on_redis(scenario)
