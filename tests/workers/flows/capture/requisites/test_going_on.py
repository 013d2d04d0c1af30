"""Requisites that a worker had not come to are fetched by the next, and until then the page's visit is not over."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from scheduler.closing import Closer
from scheduler.control import Controls
from scheduler.outcomes import MissingReader
from scheduler.rebuild import rebuild
from scheduler.release import Releaser
from scheduler.service.wiring import rebuild_ports_of
from scheduler.suspicion import PAUSED, STOPPED
from schemas import keys
from schemas.ids import utc_string
from schemas.records.decision import ControlJob
from schemas.records.job import JobOptions
from schemas.records.receipt import Receipt
from workers.adapters.clock import SystemClock
from workers.archive.journal import read_journal_of
from workers.flows.capture.in_turn import capture_in_turn
from workers.flows.capture.turns import Turns
from workers.flows.decisions import append_decision
from workers.flows.documents import read_object
from workers.flows.publish import publish
from workers.frontier import names

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


async def committed(archive, message):
    """What stands in receipts of the batch: pages, and what they need."""
    found = [key async for key in archive.store.list(keys.batch_receipts(message.job_id, message.batch_id))]
    receipts = [await read_object(archive.store, key, Receipt) for key in found]
    return [told for receipt in receipts for told in (*receipt.outcomes, *receipt.requisites)]


def kept(archive):
    """What stands in the journal of the file that is being written."""
    open_files = archive.settings.spool_dir.rglob("*.open")
    visits = [visit for path in open_files for visit in read_journal_of(path).visits]
    return [visit.outcome or visit.requisite for visit in visits if visit.outcome or visit.requisite]


async def stopped_at(running, message, host, path, *, segment_seconds):
    """Capture until an address and until all that was answered is kept, then stop as a killed worker does; how far the
    job had got by then."""
    archive = running.archive
    stopping = Stopping(archive.transport, path)
    settings = settings_of(archive, segment_seconds=segment_seconds)
    task = asyncio.create_task(
        capture_in_turn(message, archive.capture_ports(), settings, stopping, archive.robots, most=1)  # type: ignore[arg-type]
    )
    await stopping.stopped.wait()
    answered = sum(host.hits.values()) - host.hits["/robots.txt"]
    while len(kept(archive) if segment_seconds else await committed(archive, message)) < answered:
        await asyncio.sleep(0.02)
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
            early = await stopped_at(running, message, host, path, segment_seconds=segment_seconds)
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


async def decided(running, job, action):
    decision = ControlJob(job_id=job.id, action=action, outcomes=())
    store = running.archive.store
    await append_decision(store, decision, by="A. Editor", why="the site asked", now="2026-11-29T10:00:00Z")
    for _ in range(2):
        await Controls(store, running.archive.frontier).follow(running.now_ms())


def noted(monkeypatch):
    """Set when a worker has heard that it is to stop, and gives nobody another turn."""
    closed, close = asyncio.Event(), Turns.close

    def close_and_note(turns):
        close(turns)
        closed.set()

    monkeypatch.setattr(Turns, "close", close_and_note)
    return closed


async def paused_at(running, job, path, closed):
    """The job is paused while a worker is at an address; the scheduler ends the batch that it hands back."""
    archive = running.archive
    (message,) = await running.release()
    stopping = Stopping(archive.transport, path)
    settings = settings_of(archive, segment_seconds=0.0, heartbeat_seconds=0.1, stop_seconds=120.0)
    task = asyncio.create_task(
        capture_in_turn(message, archive.capture_ports(), settings, stopping, archive.robots, most=1)  # type: ignore[arg-type]
    )
    await stopping.stopped.wait()
    await decided(running, job, "pause")
    await closed.wait()
    stopping.go.set()
    await task
    closer = Closer(archive.settle_ports())
    releaser = Releaser(archive.frontier, running.inbox, lambda: running.epoch, close=closer.close)
    assert await releaser.reclaim(running.now_ms() + 3_600_000) == 0
    assert await archive.redis.hgetall(names.BUSY) == {}, "its hosts serve other jobs"


async def remarks_of(archive, job):
    reader = MissingReader(archive.store, job.id)
    await reader.advance()
    cancelled = (await archive.frontier.progress(job.id)).state == "cancelled"
    return [remark.sentence for remark in reader.remarks(cancelled=cancelled)]


@pytest.mark.parametrize("then", ["lose Redis", "pause again", "cancel"])
def test_what_a_page_still_needs_when_its_job_is_paused_is_fetched_when_it_is_resumed(
    plane, host, receipts_of, monkeypatch, then
):
    async def scenario():
        async with plane() as running:
            archive = running.archive
            job = await running.job([host.url("/page")], options=WITH)
            closed = noted(monkeypatch)
            await paused_at(running, job, "/b.css" if then == "pause again" else "/2.gif", closed)
            stands = await archive.frontier.progress(job.id)
            assert (stands.done, stands.state) == (0, "paused")
            assert await remarks_of(archive, job) == [PAUSED]
            if then == "lose Redis":
                await archive.redis.flushall()
                ports = rebuild_ports_of(archive)
                assert (await rebuild(ports, now=utc_string(archive.clock.now()), reason="test")).differences == []
            if then == "pause again":
                await decided(running, job, "resume")
                closed.clear()
                await paused_at(running, job, "/4.gif", closed)
            if then == "cancel":
                await decided(running, job, "cancel")
            else:
                await decided(running, job, "resume")
                for message in await running.release():
                    assert await running.capture(message)
            await running.deliver()
            await publish(await archive.publish_ports())
            assert len(await archive.catalog.snapshots_of_job(job.id)) == 1
            return (
                await receipts_of(archive, job),
                await archive.frontier.progress(job.id),
                await remarks_of(archive, job),
            )

    receipts, progress, remarks = asyncio.run(scenario())
    assert progress.captured_all
    assert progress.outcomes == {"captured": 1}, "also of a cancelled job: the page is archived"
    assert host.hits["/page"] == 1
    if then == "cancel":
        assert remarks == [STOPPED]
        return
    assert remarks == []
    told = Counter(each.url.rpartition("/")[2] for receipt in receipts for each in receipt.requisites)
    assert told == Counter(["a.css", "b.css", *(f"{n}.gif" for n in range(5))])
    assert len({each.page_record for receipt in receipts for each in receipt.requisites}) == 1
    assert max(host.hits.values()) == 1
