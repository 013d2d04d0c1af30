"""Requisites that a worker had not come to are fetched by the next, and until then the page's visit is not over."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from scheduler.rebuild import rebuild
from scheduler.service.wiring import rebuild_ports_of
from schemas.ids import utc_string
from schemas.records.job import JobOptions
from workers.adapters.clock import SystemClock
from workers.flows.capture.in_turn import capture_in_turn
from workers.flows.publish import publish

pytestmark = pytest.mark.real
WITH = JobOptions(requisites=True)


class Later(SystemClock):
    """Ten minutes on: every lease has ended."""

    def now(self):
        return super().now() + timedelta(minutes=10)


class Stopping:
    """The transport; stands still at one address until it is let go."""

    def __init__(self, transport, stops_at):
        self._transport = transport
        self._stops_at = stops_at
        self.stopped = asyncio.Event()
        self.go = asyncio.Event()

    async def fetch(self, request):
        if request.url.endswith(self._stops_at):
            self.stopped.set()
            await self.go.wait()
        return await self._transport.fetch(request)

    async def address(self, host):
        return await self._transport.address(host)

    async def close(self):
        await self._transport.close()


@pytest.fixture
def host(new_host, make_answer):
    """A page whose sheet imports another; five images."""
    host = new_host()
    host.paths |= {
        "/page": make_answer("<link rel=stylesheet href=a.css>" + "".join(f"<img src={n}.gif>" for n in range(4))),
        "/a.css": make_answer("@import 'b.css';", kind="text/css"),
        "/b.css": make_answer("p{background:url(4.gif)}", kind="text/css"),
        **{f"/{n}.gif": make_answer(b"GIF89a" + bytes([n]), kind="image/gif") for n in range(5)},
    }
    return host


def settings_of(archive, **changed):
    return replace(archive.capture_settings(), tick_seconds=0.02, **changed)


async def stopped_at(running, message, path, *, segment_seconds):
    """Capture until an address, then stop as a killed worker does; how far the job had got by then."""
    archive = running.archive
    stopping = Stopping(archive.transport, path)
    settings = settings_of(archive, segment_seconds=segment_seconds)
    task = asyncio.create_task(
        capture_in_turn(message, archive.capture_ports(), settings, stopping, archive.robots, most=1)  # type: ignore[arg-type]
    )
    await stopping.stopped.wait()
    await asyncio.sleep(0.6)
    progress = await archive.frontier.progress(message.job_id)
    task.cancel()
    await asyncio.wait({task})
    archive.clock = Later()
    return progress


@pytest.mark.parametrize("path", ["/b.css", "/2.gif"])
@pytest.mark.parametrize("segment_seconds", [0.0, 30.0], ids=["page-committed", "page-in-the-file"])
def test_the_next_worker_goes_on_where_the_last_one_stopped(plane, host, receipts_of, path, segment_seconds):
    async def scenario():
        async with plane() as running:
            archive = running.archive
            job = await running.job([host.url("/page")], options=WITH)
            (message,) = await running.release()
            early = await stopped_at(running, message, path, segment_seconds=segment_seconds)
            committed = await receipts_of(archive, job)
            assert await capture_in_turn(
                message,
                archive.capture_ports(),
                settings_of(archive),
                archive.transport,
                archive.robots,
                most=1,
            )
            return early, committed, await receipts_of(archive, job), await archive.frontier.progress(job.id)

    early, committed, receipts, progress = asyncio.run(scenario())
    assert early.done == 0
    assert bool(committed) == (segment_seconds == 0.0)
    if committed:
        assert [receipt.pending for receipt in committed if receipt.outcomes] == [(host.url("/page"),)]
    assert progress.captured_all
    assert progress.outcomes == {"captured": 1}
    assert sum(len(receipt.outcomes) for receipt in receipts) == 1
    assert sum(len(receipt.ended) for receipt in receipts) == 1
    told = Counter(each.url.rpartition("/")[2] for receipt in receipts for each in receipt.requisites)
    assert told == Counter(["a.css", "b.css", *(f"{n}.gif" for n in range(5))])
    assert len({each.page_record for receipt in receipts for each in receipt.requisites}) == 1
    assert host.hits["/page"] == 1
    assert max(host.hits.values()) == 1


def test_a_slow_requisite_does_not_hold_back_the_receipt_of_its_page(plane, host, receipts_of):
    """The page is in the archive while its requisites are under way; its visit ends with theirs."""

    async def scenario():
        async with plane() as running:
            archive = running.archive
            job = await running.job([host.url("/page")], options=WITH)
            (message,) = await running.release()
            stopping = Stopping(archive.transport, "/2.gif")
            settings = settings_of(archive, segment_seconds=0.0)
            task = asyncio.create_task(
                capture_in_turn(message, archive.capture_ports(), settings, stopping, archive.robots, most=1)  # type: ignore[arg-type]
            )
            await stopping.stopped.wait()
            while not (early := await receipts_of(archive, job)):
                await asyncio.sleep(0.05)
            stopping.go.set()
            assert await task
            await running.deliver()
            await publish(await archive.publish_ports())
            stages = {entry.stage for entry in await archive.ledger.of_job(job.id)}
            assert len(await archive.catalog.snapshots_of_job(job.id)) == 1
            return early, await receipts_of(archive, job), await archive.frontier.progress(job.id), stages

    early, receipts, progress, stages = asyncio.run(scenario())
    assert len(receipts) > 1
    assert stages == {"published"}
    assert [outcome.requested_url for receipt in early for outcome in receipt.outcomes] == [host.url("/page")]
    assert progress.captured_all
    completed = [page for receipt in receipts for page in receipt.completed]
    assert [(page.requested_url, page.hops) for page in completed] == [(host.url("/page"), ())]


def test_after_a_lost_redis_what_a_job_has_of_its_pages_needs_is_known_again(plane, host, receipts_of):
    async def scenario():
        async with plane() as running:
            archive = running.archive
            job = await running.job([host.url("/page")], options=WITH)
            for message in await running.release():
                assert await running.capture(message)
            await archive.redis.flushall()
            await rebuild(rebuild_ports_of(archive), now=utc_string(archive.clock.now()), reason="test")
            urls = [host.url("/a.css"), host.url("/4.gif"), host.url("/never.gif")]
            return await archive.requisites.captured(job.id, urls), await archive.frontier.progress(job.id)

    captured, progress = asyncio.run(scenario())
    assert captured == {host.url("/a.css"), host.url("/4.gif")}
    assert progress.captured_all
