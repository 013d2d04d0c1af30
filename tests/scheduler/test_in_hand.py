"""What holds URLs back is said in sentences, each with what to do; nothing is said where nothing does."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from scheduler.gauge_files import gauges
from scheduler.in_hand import COMMITS_WAITING, SPOOL_FREE, InHand, read_in_hand
from workers.adapters.redis.liveness import Liveness, SignOfLife
from workers.frontier import names
from workers.ports import Asked

QUIET = InHand(
    taken=2,
    waiting=3,
    unextracted=4,
    commits_waiting=0,
    free_bytes=5_000_000_000,
    least_free_bytes=1_000_000_000,
    spool="/data/spool",
    spool_fault=None,
    full_disk=None,
    scheduler="",
    scheduler_silent_seconds=1.0,
)


def test_what_is_in_hand_is_one_sentence():
    assert QUIET.sentence == (
        "in hand: 2 batches with workers, 3 wait for one; 4 segments wait to be extracted; 0 commits wait for the "
        "store; 4.7 GiB free for the spool"
    )
    assert "spool" not in replace(QUIET, free_bytes=None).sentence
    assert QUIET.holdups == replace(QUIET, free_bytes=None).holdups == []


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (replace(QUIET, free_bytes=999_999_999), "disk: 953.7 MiB are free where the spool is (/data/spool)"),
        (replace(QUIET, free_bytes=0, spool_fault="this machine cannot write"), "disk: this machine cannot write"),
        (replace(QUIET, commits_waiting=2), "storage: 2 commits wait"),
        (replace(QUIET, scheduler="backpressure: no new bulk batches"), "scheduler: backpressure: no new bulk batches"),
        (replace(QUIET, scheduler_silent_seconds=121.0, scheduler="old"), "scheduler: it has told nothing"),
        (replace(QUIET, scheduler_silent_seconds=None), "scheduler: it has told nothing"),
    ],
)
def test_each_holdup_is_a_sentence(found, said):
    (sentence,) = found.holdups
    assert sentence.startswith(said)


@pytest.fixture
def told(tmp_path, repository):
    """Metrics of a worker that waits for the store on a full disk."""
    work = "from workers import metrics; metrics.SPOOL_FREE.set(7); w = metrics.COMMITS_WAIT; w.inc(2); input()"
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "PYTHONPATH": str(repository)}
    process = subprocess.Popen([sys.executable, "-c", work], stdin=subprocess.PIPE, env=environment)
    try:
        deadline = 200
        while COMMITS_WAITING not in gauges(tmp_path, {COMMITS_WAITING}) and deadline:
            deadline -= 1
            asyncio.run(asyncio.sleep(0.1))
        yield tmp_path
    finally:
        process.kill()
        process.communicate()


def test_workers_tell_by_their_metrics(told):
    assert gauges(told, {COMMITS_WAITING, SPOOL_FREE}) == {COMMITS_WAITING: 2.0, SPOOL_FREE: 7.0}
    assert gauges(told / "none", {SPOOL_FREE}) == {}


@pytest.mark.real
def test_it_is_read_of_a_running_archive(told, settings_in, plane_over, tmp_path_factory):
    settings = replace(settings_in(tmp_path_factory.mktemp("in-hand")), metrics_dir=told)

    async def scenario() -> tuple[InHand, InHand]:
        async with plane_over(settings) as plane:
            before = await read_in_hand(plane.archive)
            job = await plane.job(["http://127.0.0.9:47111/1"])
            (batch,) = await plane.release()
            now_ms = round(plane.archive.clock.now().timestamp() * 1000)
            lease = await plane.archive.frontier.claim(batch.batch_id, worker="w", now_ms=now_ms)
            slow = [Asked("http://127.0.0.9:47111/1", 1_764_500_000_000), Asked("http://127.0.0.9:47111/2", now_ms)]
            slow.append(Asked("127.0.0.9:47111", now_ms, crawl_delay_ms=12_500))
            await plane.archive.frontier.heartbeat(lease, now_ms=now_ms, asked=slow)
            assert (await read_in_hand(plane.archive, job.id)).asked == tuple(slow)
            assert (await read_in_hand(plane.archive, "another")).asked == ()
            behind = await plane.job(["http://127.0.0.9:47111/3"])
            assert (await read_in_hand(plane.archive, behind.id)).asked == tuple(slow)
            until_ms = now_ms + 3_600_000
            await plane.archive.redis.zadd(names.PACE, {"127.0.0.9:47111": until_ms})
            resting = await read_in_hand(plane.archive, behind.id)
            assert resting.resting == (("127.0.0.9:47111", until_ms),)
            assert any("127.0.0.9:47111 is asked again from 20" in sentence for sentence in resting.holdups)
            await plane.archive.redis.delete(names.PACE)
            await Liveness(plane.archive.redis).tell("scheduler", SignOfLife(alive_at_ms=now_ms, trouble="full"))
            during = await read_in_hand(plane.archive)
            await plane.archive.frontier.give_back(lease, now_ms=now_ms)
            assert (await read_in_hand(plane.archive)).asked == ()
            return before, during

    before, after = asyncio.run(scenario())
    assert (before.taken, before.waiting, before.commits_waiting, before.free_bytes) == (0, 0, 2, 7)
    assert (after.taken, after.waiting, after.scheduler) == (1, 0, "full")
    assert [each.partition(":")[0] for each in after.holdups] == [
        "disk",
        "storage",
        "scheduler",
        *["a slow answer"] * 2,
        "Crawl-delay",
    ]
    assert "http://127.0.0.9:47111/1 is being fetched since 2025-11-30T10:53:20Z" in after.holdups[3]
    assert "the robots.txt of 127.0.0.9:47111 asks for 12.5 s between two requests" in after.holdups[5]
