"""Politeness over batches, jobs and workers, against a real server that counts (`scheduler/README.md, Outcomes`)."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from dataclasses import replace

import pytest

from schemas import keys
from schemas.records.outcome import Outcome
from schemas.records.receipt import Receipt
from workers.adapters.redis.leased import asked_by
from workers.adapters.redis.permits import RedisPermits
from workers.config import process_environment
from workers.flows.capture.in_turn import capture_in_turn
from workers.flows.documents import read_object
from workers.flows.publish import publish
from workers.frontier import names
from workers.ports import NotBefore, Permit

pytestmark = pytest.mark.real

BUSY, OTHERS = "127.0.1.1", [f"127.0.1.{number}" for number in range(10, 22)]
NO_FILE = (404, {}, "")


async def receipts_of(archive, job) -> list[Receipt]:
    found = [key async for key in archive.store.list(keys.receipts(job.id))]
    return [await read_object(archive.store, key, Receipt) for key in sorted(found)]


async def capture(running, message, **changes):
    """By the worker of this plane, with settings of the test's own."""
    archive = running.archive
    settings = replace(archive.capture_settings(), **changes)
    return await capture_in_turn(message, archive.capture_ports(), settings, archive.transport, archive.robots, most=1)


async def captured_all(running, jobs) -> bool:
    stands = [await running.archive.frontier.progress(job.id) for job in jobs]
    return all(stand is not None and stand.captured_all for stand in stands)


def test_two_workers_never_ask_one_host_twice_at_a_time_and_many_hosts_at_once(plane, serve_site):
    """The host has pages of two jobs, and a dozen others redirect to it meanwhile."""

    async def scenario():
        def site(host, path):
            if path == "/robots.txt":
                return NO_FILE
            return (302, {"Location": seen.url(BUSY, path)}, "") if host in OTHERS else (200, {}, f"{host}{path}")

        async with serve_site(site, seconds=0.02) as seen, plane() as first, plane() as second:
            jobs = [
                await first.job([seen.url(BUSY, f"/{job}-{page}") for page in range(3)]
                                + [seen.url(host, f"/{job}-from-{host}") for host in OTHERS])
                for job in "ab"
            ]  # fmt: skip
            for _ in range(60):
                messages = await first.release()
                await asyncio.gather(
                    *(
                        capture((first, second)[place % 2], message, permit_patience_seconds=0.3)
                        for place, message in enumerate(messages)
                    )
                )
                if await captured_all(first, jobs):
                    break
                await asyncio.sleep(0.1)
            receipts = [receipt for job in jobs for receipt in await receipts_of(first.archive, job)]
            left = await first.archive.redis.exists(names.PERMITS, names.PERMIT_HOLDERS)
            return seen, receipts, left

    seen, receipts, left = asyncio.run(scenario())
    outcomes = [outcome for receipt in receipts for outcome in receipt.outcomes]
    assert len(outcomes) == 2 * (3 + len(OTHERS))
    assert {outcome.outcome for outcome in outcomes} <= {Outcome.CAPTURED, Outcome.REVISIT}
    assert all(outcome.final.url.startswith(seen.url(BUSY)) for outcome in outcomes)
    assert set(seen.most_at_once.values()) == {1}
    assert seen.most_in_all > 4
    assert left == 0, "every permit was given back"
    for host in OTHERS:
        for job in "ab":
            assert seen.count(host, f"/{job}-from-{host}") == 1, "a redirect that was archived is not asked for again"


WORKER = """
import asyncio, sys
from pathlib import Path
from schemas.messages import CaptureBatch
from workers import config
from workers.bootstrap import open_archive
from workers.flows.capture.in_turn import capture_in_turn

class Silent:
    async def announce(self, message):
        pass

async def main():
    async with open_archive(config.load(folder=Path("/nowhere"))) as archive:
        archive.announcer = Silent()
        ports, settings = archive.capture_ports(), archive.capture_settings()
        message = CaptureBatch.model_validate_json(sys.argv[1])
        assert await capture_in_turn(message, ports, settings, archive.transport, archive.robots, most=1)

asyncio.run(main())
"""


def test_two_processes_share_hosts_as_two_flows_do(plane, serve_site):
    """The hosts of both batches lead to one that both need, and neither begins before the other."""

    async def scenario():
        begun: set[str] = set()
        both = asyncio.Event()

        def site(host, path):
            if path == "/robots.txt":
                return NO_FILE
            if host in OTHERS:
                return 302, {"Location": seen.url(BUSY, f"{path}-{host}")}, ""
            return 200, {}, f"{host}{path}"

        async def gate(host, path):
            begun.add("a" if host in OTHERS[:6] else "b")
            if len(begun) == 2:
                both.set()
            await asyncio.wait_for(both.wait(), 60)

        async with serve_site(site, seconds=0.03, gate=gate) as seen, plane() as running:
            jobs = [
                await running.job([seen.url(host, f"/{job}{page}") for host in hosts for page in range(2)])
                for job, hosts in (("a", OTHERS[:6]), ("b", OTHERS[6:]))
            ]
            environment = process_environment(replace(running.archive.settings, permit_patience_seconds=60.0))
            messages = [message.model_dump_json() for message in await running.release()]
            assert len(messages) == 2
            workers = [
                await asyncio.create_subprocess_exec(sys.executable, "-c", WORKER, message, env=environment)
                for message in messages
            ]
            assert await asyncio.gather(*(worker.wait() for worker in workers)) == [0, 0]
            assert await captured_all(running, jobs)
            receipts = [receipt for job in jobs for receipt in await receipts_of(running.archive, job)]
            return seen, receipts, await running.archive.redis.exists(names.PERMITS, names.PERMIT_HOLDERS)

    seen, receipts, left = asyncio.run(scenario())
    outcomes = [outcome for receipt in receipts for outcome in receipt.outcomes]
    assert len(outcomes) == 2 * len(OTHERS)
    assert {outcome.outcome for outcome in outcomes} <= {Outcome.CAPTURED, Outcome.REVISIT}
    assert set(seen.most_at_once.values()) == {1}
    assert seen.most_in_all > 4
    assert left == 0
    assert len({receipt.worker for receipt in receipts}) == 2
    pages = Counter(request for request in seen.requests if not request.endswith("/robots.txt"))
    assert set(pages.values()) == {1}, "nothing is asked for twice"


def test_a_redirect_to_a_host_in_other_hands_goes_on_where_it_led_and_loses_nothing(plane, serve_site):
    async def scenario():
        def site(host, path):
            if path == "/robots.txt":
                return NO_FILE
            return (302, {"Location": seen.url(BUSY, "/there")}, "moved") if host != BUSY else (200, {}, "here at last")

        async with serve_site(site) as seen, plane() as running:
            permits = RedisPermits(running.archive.guard)
            held = await permits.take(f"{BUSY}:{seen.port}", batch_id="b-other", now_ms=running.now_ms())
            assert isinstance(held, Permit)
            job = await running.job([seen.url("127.0.1.2", "/a"), seen.url("127.0.1.2", "/b")])
            (message,) = await running.release()
            assert await capture(running, message, permit_patience_seconds=0.05)
            assert await running.release() == [], "its host is in other hands"
            early = await receipts_of(running.archive, job)
            await permits.give_back(held, now_ms=running.now_ms(), ready_at_ms=running.now_ms())
            await asyncio.sleep(1.1)
            (message,) = await running.release()
            assert await running.capture(message)
            assert await captured_all(running, [job])
            await running.deliver()
            await publish(await running.archive.publish_ports())
            snapshots = [
                (await running.archive.catalog.snapshot(name)).snapshot
                for name in await running.archive.catalog.snapshots_of_job(job.id)
            ]
            for receipt in early:
                for visit in receipt.unfinished:
                    for record in visit.hops[0].records:
                        assert await running.archive.catalog.locate(record.record_id) is not None
            return seen, early, (await receipts_of(running.archive, job))[len(early) :], snapshots

    seen, (early,), (late,), snapshots = asyncio.run(scenario())
    assert early.outcomes == ()
    assert [visit.resumes_at for visit in early.unfinished] == [seen.url(BUSY, "/there")] * 2
    assert all(visit.hops[0].record("response", "revisit") for visit in early.unfinished), "the 302 is archived"
    assert "127.0.1.1" in early.unfinished[0].reason
    assert [outcome.via for outcome in late.outcomes] == [(seen.url("127.0.1.2", f"/{page}"),) for page in "ab"]
    assert {outcome.final.url for outcome in late.outcomes} == {seen.url(BUSY, "/there")}
    assert (seen.count("127.0.1.2", "/a"), seen.count("127.0.1.2", "/b")) == (1, 1)
    assert {(s.requested_url, s.final_url) for s in snapshots} == {
        (seen.url("127.0.1.2", f"/{page}"), seen.url(BUSY, "/there")) for page in "ab"
    }


def test_redirects_are_counted_over_batches(plane, serve_site):
    """A loop between two hosts, each of which can only be asked by a batch of its own."""

    async def scenario():
        def site(host, path):
            other = "127.0.1.3" if host == "127.0.1.2" else "127.0.1.2"
            return NO_FILE if path == "/robots.txt" else (302, {"Location": seen.url(other, "/")}, "")

        async with serve_site(site) as seen, plane() as running:
            job = await running.job([seen.url("127.0.1.2")])
            for _ in range(12):
                for message in await running.release():
                    await capture(running, message, permit_patience_seconds=0.0, max_redirects=3)
                if await captured_all(running, [job]):
                    break
                await asyncio.sleep(0.05)
            return await receipts_of(running.archive, job)

    receipts = asyncio.run(scenario())
    (outcome,) = [outcome for receipt in receipts for outcome in receipt.outcomes]
    assert outcome.outcome is Outcome.REDIRECT_LIMIT
    assert len(outcome.via) + len(outcome.hops) == 4
    assert sum(len(visit.hops) for receipt in receipts for visit in receipt.unfinished) == len(outcome.via)


def test_what_was_received_is_archived_where_the_batch_ends_before_the_page(plane, serve_site):
    """robots.txt asks for a delay that lies beyond the batch: the file is in the archive, the page comes later."""

    async def scenario():
        def site(_, path):
            if path == "/robots.txt":
                return 200, {}, "User-agent: *\nCrawl-delay: 30\nDisallow: /private"
            return 200, {}, "page"

        async with serve_site(site) as seen, plane() as running:
            job = await running.job([seen.url(BUSY)])
            (message,) = await running.release()
            assert await capture(running, message, batch_seconds=5)
            permits = RedisPermits(running.archive.guard)
            rest = await permits.take(f"{BUSY}:{seen.port}", batch_id="b-x", now_ms=running.now_ms())
            assert isinstance(rest, NotBefore)
            return seen, await receipts_of(running.archive, job), rest.ready_at_ms - running.now_ms()

    seen, (receipt,), rest_ms = asyncio.run(scenario())
    assert seen.requests == [f"{BUSY}/robots.txt"]
    assert [hop.url for hop in receipt.robots] == [seen.url(BUSY, "/robots.txt")]
    assert receipt.robots[0].record("response") is not None
    assert (receipt.outcomes, receipt.unfinished) == ((), ())
    assert 25_000 < rest_ms <= 30_000


def test_a_busy_answer_is_archived_and_its_host_is_left_alone_by_everybody(plane, serve_site):
    async def scenario():
        def site(host, path):
            if path == "/robots.txt":
                return NO_FILE
            return (503, {"Retry-After": "3600"}, "later") if host == BUSY else (200, {}, "page")

        async with serve_site(site) as seen, plane() as running:
            job = await running.job([seen.url(BUSY, "/1"), seen.url(BUSY, "/2"), seen.url("127.0.1.2")])
            (message,) = await running.release()
            assert await running.capture(message)
            other = await running.job([seen.url(BUSY, "/3")])
            assert await running.release() == []
            permits = RedisPermits(running.archive.guard)
            rest = await permits.take(f"{BUSY}:{seen.port}", batch_id="b-x", now_ms=running.now_ms())
            strikes = await permits.strikes([f"{BUSY}:{seen.port}"])
            assert isinstance(rest, NotBefore)
            return await receipts_of(running.archive, job), other, rest.ready_at_ms - running.now_ms(), strikes

    receipts, _, rest_ms, strikes = asyncio.run(scenario())
    outcomes = [outcome for receipt in receipts for outcome in receipt.outcomes]
    assert sorted(outcome.final.http_status for outcome in outcomes) == [200, 503]
    assert 3_590_000 < rest_ms <= 3_600_000
    assert list(strikes.values()) == [1]


def test_a_delay_that_robots_txt_asks_for_is_told_while_pages_wait_for_it(plane, serve_site, monkeypatch):
    monkeypatch.setattr("workers.flows.capture.batch.DELAY_SECONDS", 0.1)

    async def scenario():
        def site(host, path):
            return (200, {}, "User-agent: *\nCrawl-delay: 0.5\n") if path == "/robots.txt" else (200, {}, path)

        async with serve_site(site) as seen, plane() as running:
            job = await running.job([seen.url(BUSY, f"/{page}") for page in range(2)])
            (message,) = await running.release()
            capturing = asyncio.create_task(capture(running, message, heartbeat_seconds=0.1))
            told = []
            while not (told or capturing.done()):
                await asyncio.sleep(0.05)
                told = await asked_by(running.archive.guard, job.id)
            await capturing
            return told, seen.url(BUSY)

    told, host = asyncio.run(scenario())
    assert [(each.url, each.crawl_delay_ms) for each in told] == [(host.removeprefix("http://").rstrip("/"), 500)]
