"""Requisites on hosts that others are asking: by permit only, in what is left of time, and never at the page's cost."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace

import pytest

from schemas.records.job import JobOptions
from schemas.records.outcome import Outcome
from workers.flows.capture.in_turn import capture_in_turn

pytestmark = pytest.mark.real
WITH = JobOptions(requisites=True)


@pytest.fixture
def hosts(new_host, make_answer):
    """A page with two images of its own host and two of another, on which there is a page too."""
    host, other = new_host(), new_host()
    host.paths["/page"] = make_answer(
        f"<img src={other.url('/1.gif')}><img src=2.gif><img src={other.url('/3.gif')}><img src=4.gif>"
    )
    host.paths |= {f"/{n}.gif": make_answer(b"GIF89a%d" % n, kind="image/gif") for n in (2, 4)}
    other.paths |= {f"/{n}.gif": make_answer(b"GIF89a%d" % n, kind="image/gif") for n in (1, 3)}
    other.paths["/page"] = make_answer("Another page.")
    return host, other


async def captured(running, message, **limits):
    settings = running.archive.capture_settings()
    settings = replace(settings, requisites=replace(settings.requisites, **limits))
    archive = running.archive
    return await capture_in_turn(message, archive.capture_ports(), settings, archive.transport, archive.robots, most=1)


@pytest.mark.parametrize("let_go", [True, False])
def test_a_host_in_another_batch_is_waited_for_a_little(plane, hosts, receipts_of, let_go):
    host, other = hosts

    async def scenario():
        async with plane() as running:
            frontier = running.archive.frontier
            await running.job([other.url("/page")])
            (theirs,) = await running.release()
            lease = await frontier.claim(theirs.batch_id, worker="another", now_ms=running.now_ms())
            job = await running.job([host.url("/page")], options=WITH)
            (ours,) = await running.release()
            limits = {"patience_seconds": 0.3, "rest_seconds": 0.2, "tries_at_host": 20 if let_go else 2}
            task = asyncio.create_task(captured(running, ours, **limits))
            await asyncio.sleep(0.8)
            asked_meanwhile = list(other.asked)
            if let_go:
                await frontier.commit(lease, {}, now_ms=running.now_ms(), ready_at_ms={}, last=True)
            assert await task
            return asked_meanwhile, await receipts_of(running.archive, job)

    asked_meanwhile, receipts = asyncio.run(scenario())
    assert asked_meanwhile == []
    found = {each.url: each for receipt in receipts for each in receipt.requisites}
    assert len(found) == sum(len(receipt.requisites) for receipt in receipts) == 4
    assert all(found[host.url(f"/{n}.gif")].outcome is Outcome.CAPTURED for n in (2, 4))
    theirs = [found[other.url(f"/{n}.gif")] for n in (1, 3)]
    if let_go:
        assert [each.outcome for each in theirs] == [Outcome.CAPTURED, Outcome.CAPTURED]
    else:
        assert [each.outcome for each in theirs] == [Outcome.BUDGET_SPENT, Outcome.BUDGET_SPENT]
        assert all("could not be asked in the time" in each.failure for each in theirs)
        assert other.asked == []
    assert receipts[-1].ended[0].outcome is Outcome.CAPTURED


def test_two_pages_that_need_one_host_never_ask_it_at_the_same_time(plane, new_host, make_answer, receipts_of):
    """Two batches side by side, as two workers have them."""
    shared = new_host()
    shared.paths |= {f"/{n}.gif": make_answer(b"GIF89a%d" % n, kind="image/gif") for n in range(6)}
    pages = [new_host(), new_host()]
    for number, host in enumerate(pages):
        images = "".join(f"<img src={shared.url(f'/{3 * number + n}.gif')}>" for n in range(3))
        host.paths["/page"] = make_answer(images)
    together, most, lock = 0, 0, threading.Lock()

    def slowly() -> None:
        nonlocal together, most
        with lock:
            together += 1
            most = max(most, together)
        time.sleep(0.05)
        with lock:
            together -= 1

    shared.before_answer = slowly

    async def scenario():
        async with plane() as running:
            messages, jobs = [], []
            for host in pages:
                jobs.append(await running.job([host.url("/page")], options=WITH))
                messages += await running.release()
            assert len(messages) == 2
            await asyncio.gather(*(captured(running, message) for message in messages))
            return [receipt for job in jobs for receipt in await receipts_of(running.archive, job)]

    receipts = asyncio.run(scenario())
    assert [each.outcome for receipt in receipts for each in receipt.requisites] == [Outcome.CAPTURED] * 6
    assert most == 1


def test_a_host_that_asks_for_pauses_gets_them_and_is_asked_all_the_same(plane, hosts, make_answer, receipts_of):
    """Longer ones than anybody waits for it with nothing else to do. Its robots.txt is fetched, and kept, once."""
    host, other = hosts
    other.paths["/robots.txt"] = make_answer("User-agent: *\nCrawl-delay: 1\n", kind="text/plain")

    async def scenario():
        async with plane() as running:
            job = await running.job([host.url("/page")], options=WITH)
            (message,) = await running.release()
            await captured(running, message, patience_seconds=0.3, rest_seconds=0.1)
            return await receipts_of(running.archive, job)

    receipts = asyncio.run(scenario())
    assert [each.outcome for receipt in receipts for each in receipt.requisites] == [Outcome.CAPTURED] * 4
    assert sorted(other.asked) == ["/1.gif", "/3.gif", "/robots.txt"]
    assert [hop.url for receipt in receipts for hop in receipt.robots].count(other.url("/robots.txt")) == 1
