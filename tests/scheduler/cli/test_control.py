"""`pause`, `resume`, `cancel`, `retry`: decided by a person, kept for good, and in force at once and after any loss."""

from __future__ import annotations

import asyncio
import getpass

import pytest
import redis

from scheduler.intake import Order, accept, read_urls
from scheduler.rebuild import settle
from scheduler.service.wiring import rebuild_ports_of
from schemas import keys
from schemas.ids import utc_string
from schemas.records.job import StoredJob
from schemas.records.receipt import Receipt
from workers.bootstrap import open_archive
from workers.flows.documents import read_object

pytestmark = pytest.mark.real
WHY = "the site asked us to wait"
DEAD = "http://127.0.0.9:47111/"


def on(settings, plane_over, scenario):
    """Run a scenario over the archive of these settings."""

    async def within():
        async with plane_over(settings) as plane:
            return await scenario(plane)

    return asyncio.run(within())


@pytest.fixture
def job(empty, plane_over) -> str:
    """A job of three URLs that nobody has tried."""

    async def scenario(plane):
        archive, urls = plane.archive, [f"{DEAD}{number}" for number in range(3)]
        job = await accept(
            read_urls(urls), Order(), store=archive.store, frontier=archive.frontier, now=archive.clock.now()
        )
        assert isinstance(job, StoredJob)
        return job.id

    return on(empty, plane_over, scenario)


def status(fresh, job):
    said = fresh("status", job, "--json")
    assert said.code == 0
    return said.json


def lose_redis(settings) -> None:
    with redis.Redis.from_url(settings.redis_url) as client:
        client.flushall()

    async def within() -> None:
        async with open_archive(settings) as archive:
            await settle(rebuild_ports_of(archive), now=utc_string(archive.clock.now()))

    asyncio.run(within())


def released(settings, plane_over) -> int:
    async def scenario(plane):
        return len(await plane.release())

    return on(settings, plane_over, scenario)


def test_a_paused_job_lets_nothing_out_until_it_is_resumed_also_after_a_loss(fresh, empty, plane_over, job):
    said = fresh("pause", job, "--why", WHY, "--by", "A. Editor")
    assert (said.code, said.out) == (0, f"paused {job}; go on with: citevault resume {job}\n")
    assert released(empty, plane_over) == 0
    document = status(fresh, job)
    assert document["state"] == "paused"
    (decision,) = document["decisions"]
    assert (decision["action"], decision["by"], decision["why"]) == ("pause", "A. Editor", WHY)
    assert f"pause by A. Editor at {decision['at'][:19]}Z: {WHY}" in fresh("status", job).out
    lose_redis(empty)
    assert status(fresh, job)["state"] == "paused"
    assert released(empty, plane_over) == 0
    said = fresh("resume", job)
    assert (said.code, said.out) == (0, f"resumed {job}; follow it with: citevault watch {job}\n")
    assert released(empty, plane_over) == 1


def test_who_decides_is_the_user_and_a_reason_may_be_left_out(fresh, job):
    fresh("pause", job)
    (decision,) = status(fresh, job)["decisions"]
    assert decision["by"] == getpass.getuser()
    assert decision["why"] == "asked for on the command line, without a reason"


def test_a_cancelled_job_ends_with_what_it_has(fresh, empty, plane_over, job):
    assert fresh("cancel", job, "--why", WHY).code == 0
    for _ in range(2):
        document = status(fresh, job)
        assert (document["state"], document["known"], document["done"]) == ("cancelled", 3, 3)
        assert document["outcomes"] == {"cancelled": 3}
        lose_redis(empty)
        assert released(empty, plane_over) == 0
        assert "cancelling, 3 left; 0 of 3 URLs" in fresh("status", job).out

        async def sweep(plane):
            return await plane.archive.frontier.end_cancelled()

        assert on(empty, plane_over, sweep) == 3
    said = fresh("retry", job)
    assert said.code == 1
    assert "is cancelled for good" in said.err


def test_tries_that_wait_end_with_the_job_and_are_told_as_cancelled(fresh, empty, plane_over, job):
    async def scenario(plane):
        (message,) = await plane.release()
        await plane.capture(message)

    on(empty, plane_over, scenario)
    assert status(fresh, job)["later"] == 3
    assert fresh("cancel", job).code == 0
    document = status(fresh, job)
    assert (document["outcomes"], document["later"]) == ({"cancelled": 3}, 0)
    assert {(item["outcome"], item["retry_at"]) for item in document["missing"]} == {("cancelled", None)}


def test_retry_does_not_wait_for_the_next_try(fresh, empty, plane_over, job):
    async def capture(plane):
        await plane.archive.frontier.wake(now_ms=plane.now_ms())
        (message,) = await plane.release()
        await plane.capture(message)
        return [url async for url in tried(plane, job)]

    on(empty, plane_over, capture)
    assert status(fresh, job)["later"] == 3
    assert fresh("retry", job, "--why", WHY).code == 0
    told = on(empty, plane_over, capture)
    assert [(each.tries, each.calls) for each in told] == [(1, 0)] * 3 + [(1, 1)] * 3
    assert status(fresh, job)["later"] == 3
    lose_redis(empty)
    assert status(fresh, job)["later"] == 3, "what was tried since waits as it did"


async def tried(plane, job):
    for key in sorted([key async for key in plane.archive.store.list(keys.receipts(job))]):
        for outcome in (await read_object(plane.archive.store, key, Receipt)).outcomes:
            yield outcome


@pytest.mark.parametrize(
    ("before", "command", "sentence"),
    [
        ((), "resume", "is not paused"),
        (("pause",), "pause", "is paused already"),
        (("cancel",), "pause", "is cancelled for good"),
        (("cancel",), "cancel", "is cancelled for good"),
        ((), "retry", "has no URL with such an outcome"),
    ],
)
def test_what_would_have_no_effect_is_not_written_down(fresh, job, before, command, sentence):
    for action in before:
        assert fresh(action, job).code == 0
    said = fresh(command, job)
    assert (said.code, said.out) == (1, "")
    assert f"{job} {sentence}" in said.err
    assert len(status(fresh, job)["decisions"]) == len(before)


@pytest.mark.parametrize("command", ["pause", "resume", "cancel", "retry"])
@pytest.mark.parametrize("job", ["job-01ARZ3NDEKTSV4RRFFQ69G5FAV", "no job", "../x", "x" * 300])
def test_an_unknown_job_is_bad_input(fresh, command, job):
    said = fresh(command, job)
    assert said.code == 2
    assert "there is no such job" in said.err


@pytest.mark.parametrize(
    ("signed", "sentence"),
    [
        (("--why", "go on"), "--why: the reason is kept for good; give 10 characters at least"),
        (("--why", "x" * 100_001), "--why: longer than the 100000 characters that are kept; shorten it"),
        (("--by", ""), "--by: say who decides"),
    ],
    ids=["a word", "a book", "nobody"],
)
def test_a_decision_that_is_not_well_signed_is_refused_in_our_words(fresh, job, signed, sentence):
    said = fresh("pause", job, *signed)
    assert (said.code, said.out) == (2, "")
    assert sentence in said.err
    assert "String should" not in said.err
    assert status(fresh, job)["decisions"] == []


def test_an_answer_cannot_be_tried_again(fresh, job):
    assert fresh("retry", job, "--outcome", "captured").code == 2
