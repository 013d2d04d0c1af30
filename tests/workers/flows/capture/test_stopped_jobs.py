"""Jobs that are stopped while a worker is at them, and failures that somebody wants tried again."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from scheduler.control import Controls
from schemas.records.decision import ControlJob
from schemas.records.outcome import Outcome
from workers.flows.decisions import append_decision

pytestmark = pytest.mark.real
NOW = "2026-11-29T10:00:00Z"
DEAD = "http://127.0.0.81:47111/"


async def decided(plane, job, action: str, *outcomes: Outcome) -> None:
    """Decide, and put it in force."""
    decision = ControlJob(job_id=job.id, action=action, outcomes=outcomes)
    await append_decision(plane.archive.store, decision, by="A. Editor", why="the site asked us to", now=NOW)
    await follow(plane)


async def follow(plane) -> None:
    await Controls(plane.archive.store, plane.archive.frontier).follow(plane.now_ms())


async def progress_of(plane, job):
    return await plane.archive.frontier.progress(job.id)


@pytest.mark.parametrize("action", ["pause", "cancel"])
def test_a_worker_hands_back_what_is_left_within_a_heartbeat_and_a_page(plane, server, action):
    def slowly(asked):
        time.sleep(0.4)
        return b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    async def scenario() -> None:
        async with plane() as running:
            archive = running.archive
            archive.settings = replace(archive.settings, heartbeat_seconds=0.2, lease_seconds=5.0)
            job = await running.job([server.says(f"/{page}", slowly) for page in range(30)])
            (message,) = await running.release()
            work = asyncio.create_task(running.capture(message))
            await asyncio.sleep(1.0)
            began = time.monotonic()
            await decided(running, job, action)
            assert await work
            assert time.monotonic() - began < 3
            asked = len(server.asked)
            for _ in range(2):
                await follow(running)
            stands = await progress_of(running, job)
            answered = stands.outcomes["captured"] + stands.outcomes.get("revisit", 0)
            assert 1 < answered < 10
            assert await running.release() == []
            if action == "cancel":
                assert (stands.shown_state, stands.captured_all) == ("cancelled", True)
                assert stands.outcomes["cancelled"] == 30 - answered
            else:
                assert (stands.state, stands.done) == ("paused", answered)
            assert len(server.asked) == asked

    asyncio.run(scenario())


def test_only_the_outcomes_that_are_meant_are_taken_up(plane, server):
    async def scenario() -> None:
        async with plane() as running:
            running.archive.settings = replace(running.archive.settings, retry_seconds="never")
            empty = server.says("/empty", b"")
            job = await running.job([DEAD, empty])
            for message in await running.release():
                await running.capture(message)
            assert (await progress_of(running, job)).outcomes == {"connect_failed": 1, "empty_reply": 1}
            await decided(running, job, "retry", Outcome.EMPTY_REPLY)
            stands = await progress_of(running, job)
            assert (stands.outcomes, stands.later) == ({"connect_failed": 1}, 1)

    asyncio.run(scenario())
