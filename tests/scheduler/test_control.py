"""Decisions that were written down are put in force, also where whoever made them was cut off; workers hand back."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from scheduler.closing import Closer
from scheduler.control import Controls, Decided, NoEffect, decide
from scheduler.release import Releaser
from schemas import keys
from schemas.records.decision import ControlJob
from schemas.records.outcome import Outcome
from workers.errors import CorruptError
from workers.flows.decisions import append_decision
from workers.ports import Held, Lease, NotClaimed, QueuedUrl

pytestmark = pytest.mark.real
NOW = "2026-11-29T10:00:00Z"


async def decided(plane, job, action: str, *outcomes: Outcome) -> None:
    decision = ControlJob(job_id=job.id, action=action, outcomes=outcomes)
    await append_decision(plane.archive.store, decision, by="A. Editor", why="the site asked us to", now=NOW)


def controls_of(plane) -> Controls:
    return Controls(plane.archive.store, plane.archive.frontier)


async def progress_of(plane, job):
    return await plane.archive.frontier.progress(job.id)


URLS = [f"http://127.0.0.{host}:47111/{page}" for host in (81, 82) for page in range(3)]


def test_a_decision_that_was_only_written_down_is_put_in_force_once(plane):
    async def scenario() -> None:
        async with plane() as running:
            controls = controls_of(running)
            job = await running.job(URLS)
            await decided(running, job, "pause")
            assert await controls.follow(running.now_ms()) == 1
            assert (await progress_of(running, job)).state == "paused"
            assert await controls.follow(running.now_ms()) == 0
            assert await controls_of(running).follow(running.now_ms()) == 1, "another scheduler looks once"
            await decided(running, job, "resume")
            await controls.follow(running.now_ms())
            assert len(await running.release()) == 1

    asyncio.run(scenario())


def test_a_job_can_be_stopped_though_an_entry_of_the_log_is_gone(plane):
    async def scenario() -> None:
        async with plane() as running:
            archive, job = running.archive, await running.job(URLS)
            stores = {"store": archive.store, "frontier": archive.frontier, "ledger": archive.ledger}
            for action in ("pause", "resume", "pause", "resume"):
                await decided(running, job, action)
            await archive.store.delete(keys.decision(2))
            said = {"by": "A. Editor", "why": "the site asked us to", "now": archive.clock.now()}
            await decide(ControlJob(job_id=job.id, action="pause"), **said, **stores)
            assert (await progress_of(running, job)).state == "paused"
            with pytest.raises(CorruptError, match="is gone"):
                await decide(ControlJob(job_id=job.id, action="resume"), **said, **stores)
            assert await archive.store.info(keys.decision(5)) is not None, "written behind all others"

    asyncio.run(scenario())


def test_a_job_that_is_not_opened_yet_is_controlled_as_soon_as_it_is(plane):
    async def scenario() -> None:
        async with plane() as running:
            controls = controls_of(running)
            job = await running.job(URLS)
            other = job.model_copy(update={"id": job.id[:-1] + ("0" if job.id[-1] != "0" else "1")})
            await decided(running, other, "pause")
            assert await controls.follow(running.now_ms()) == 0
            await running.archive.frontier.open_job(other)
            assert await controls.follow(running.now_ms()) == 1

    asyncio.run(scenario())


def test_a_batch_of_a_stopped_job_is_refused_taken_back_and_its_hosts_are_free(plane):
    async def scenario() -> None:
        async with plane() as running:
            archive = running.archive
            job = await running.job(URLS)
            (message,) = await running.release()
            await decided(running, job, "pause")
            await controls_of(running).follow(running.now_ms())
            refused = await archive.frontier.claim(message.batch_id, worker="w", now_ms=running.now_ms())
            assert refused == NotClaimed("stopped")
            closer = Closer(archive.settle_ports())
            releaser = Releaser(archive.frontier, running.inbox, lambda: running.epoch, close=closer.close)
            assert await releaser.reclaim(running.now_ms()) == 0, "it is not sent again"
            other = await running.job(URLS)
            assert [one.job_id for one in await running.release()] == [other.id], "the hosts serve other jobs"
            assert (await progress_of(running, job)).hosts_waiting == 2

    asyncio.run(scenario())


def test_a_heartbeat_says_that_the_job_was_stopped(plane):
    async def scenario() -> None:
        async with plane() as running:
            frontier = running.archive.frontier
            job = await running.job(URLS)
            (message,) = await running.release()
            lease = await frontier.claim(message.batch_id, worker="w", now_ms=running.now_ms())
            assert isinstance(lease, Lease)
            assert await frontier.heartbeat(lease, now_ms=running.now_ms()) is Held.HELD
            await decided(running, job, "pause")
            await controls_of(running).follow(running.now_ms())
            assert await frontier.heartbeat(lease, now_ms=running.now_ms()) is Held.STOPPED
            assert await frontier.heartbeat(lease, now_ms=running.now_ms() + 10**6) is Held.LOST

    asyncio.run(scenario())


def test_a_failure_on_its_way_when_somebody_asks_for_another_try_gets_one(plane):
    async def scenario() -> None:
        async with plane() as running:
            archive = running.archive
            archive.settings = replace(archive.settings, retry_seconds="never")
            job = await running.job(URLS[:1])
            (message,) = await running.release()
            ports = archive.capture_ports()
            real = archive.frontier.commit

            async def meanwhile(*given, **more):
                if more.get("unanswered"):
                    await decided(running, job, "retry", Outcome.CONNECT_FAILED)
                    await controls_of(running).follow(running.now_ms())
                return await real(*given, **more)

            object.__setattr__(ports.frontier, "commit", meanwhile)
            await running.capture(message)
            object.__delattr__(ports.frontier, "commit")
            stands = await progress_of(running, job)
            assert (stands.done, stands.later) == (0, 1)
            await archive.frontier.wake(now_ms=running.now_ms())
            (message,) = await running.release()
            await running.capture(message)
            assert (await progress_of(running, job)).outcomes == {"connect_failed": 1}

            retry = ControlJob(job_id=job.id, action="retry", outcomes=(Outcome.CONNECT_FAILED,))
            said = {"by": "A. Editor", "why": "the host is back", "now": archive.clock.now(), "store": archive.store}
            stores = {"frontier": archive.frontier, "ledger": archive.ledger}
            first, second = [await decide(retry, **said, **stores) for _ in range(2)]
            assert isinstance(first, Decided)
            assert isinstance(second, NoEffect), "it waits for its try at once, and that is no reason for another"
            assert "on its way again already" in second.why

            other = await running.job(URLS[:1])  # a damaged receipt of one job keeps no decision about another
            await decided(running, job, "retry", Outcome.CONNECT_FAILED)
            await decided(running, other, "pause")
            (receipt, *_) = sorted([key async for key in archive.store.list(keys.receipts(job.id))])
            await archive.store.put(receipt, b"{")
            with pytest.raises(CorruptError, match="cannot be read"):
                await controls_of(running).follow(running.now_ms())
            assert (await progress_of(running, other)).state == "paused"

    asyncio.run(scenario())


def test_what_comes_into_a_cancelled_job_later_is_cancelled_too(plane):
    async def scenario() -> None:
        async with plane() as running:
            job = await running.job(URLS)
            await decided(running, job, "cancel")
            controls = controls_of(running)
            for _ in range(2):
                await controls.follow(running.now_ms())
            assert (await progress_of(running, job)).captured_all
            late = QueuedUrl("http://127.0.0.83:47111/", "http://127.0.0.83:47111/", "127.0.0.83:47111")
            assert await running.archive.frontier.admit(job.id, [late]) == 1
            assert await running.release() == []
            await controls.follow(running.now_ms())
            stands = await progress_of(running, job)
            assert (stands.captured_all, stands.outcomes) == (True, {"cancelled": 7})

    asyncio.run(scenario())
