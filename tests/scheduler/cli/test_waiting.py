"""When waiting ends, and with which answer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime

import pytest

from scheduler.cli import waiting
from scheduler.cli.waiting import Ended, told_end, wait_for
from schemas.records.outcome import Outcome
from workers.bootstrap import open_archive
from workers.ports import JobProgress


def progress(**outcomes: int) -> JobProgress:
    total = sum(outcomes.values())
    return JobProgress(
        job_id="job-1", state="open", known=total, done=total, outcomes=outcomes, hosts_waiting=0, intake_open=False
    )


def test_without_response_counts_exactly_the_outcomes_without_one():
    every = {outcome.value: 1 for outcome in Outcome}
    expected = sum(not outcome.has_response for outcome in Outcome)
    assert Ended(progress(**every), ()).without_response == expected > 0
    assert Ended(progress(captured=3, revisit=2, not_modified=1), ()).without_response == 0


@pytest.mark.parametrize(
    ("outcomes", "parked", "code", "told"),
    [
        ({"captured": 2}, (), 0, []),
        ({"captured": 2, "timeout": 1}, (), 1, ["1 URL ended without a response"]),
        ({"captured": 2}, ("s",), 3, ["1 segment is parked; see `citevault status job-1`"]),
        ({"timeout": 1}, ("s",), 1, ["1 URL ended without a response", "1 segment is parked"]),
    ],
)
def test_what_is_missing_is_1_and_what_was_given_up_is_3(capsys, outcomes, parked, code, told):
    assert told_end("job-1", Ended(progress(**outcomes), parked)) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == len(told)
    assert all(sentence in err for sentence in told)


@pytest.mark.real
@pytest.mark.parametrize("stage", ["captured", "extracted", "published"])
def test_waiting_for_a_job_that_is_done_ends_at_once(filled, stage):
    async def scenario() -> Ended:
        async with open_archive(filled.settings) as archive:
            return await asyncio.wait_for(wait_for(archive, filled.job.id, stage), 10)

    ended = asyncio.run(scenario())
    assert (ended.without_response, ended.parked) == (2, ())


@pytest.mark.real
def test_a_parked_segment_is_not_waited_for(empty, filled, plane_over):
    async def scenario() -> tuple[Ended, bool]:
        async with plane_over(empty) as plane:
            job = await plane.job([filled.web.url("authority", "/barrier")])
            (batch,) = await plane.release()
            await plane.capture(batch)
            (entry,) = await plane.archive.ledger.of_job(job.id)
            waited = True
            try:
                await asyncio.wait_for(wait_for(plane.archive, job.id, "published"), 1)
            except TimeoutError:
                waited = False
            await plane.archive.ledger.park(entry.segment_id, error="torn", now_ms=plane.now_ms())
            return await asyncio.wait_for(wait_for(plane.archive, job.id, "published"), 10), waited

    ended, before = asyncio.run(scenario())
    assert not before
    assert len(ended.parked) == 1


def at_rest(**more: object) -> JobProgress:
    due = {"later": 2, "next_try_ms": 1_795_957_200_000}
    return replace(progress(captured=1), known=3, **due, **more)  # type: ignore[arg-type]


def test_a_job_that_only_waits_for_its_next_tries_says_until_when(capsys):
    assert told_end("job-1", Ended(at_rest(), ())) == 1
    err = capsys.readouterr().err
    assert "2 URLs got no answer yet and are tried again from 2026-11-29T13:00:00Z on" in err
    assert "`citevault watch job-1` waits for that" in err


def test_that_a_job_stands_is_said_once_until_something_changes(capsys, monkeypatch):
    monkeypatch.setattr(waiting, "TOLD_EACH_SECONDS", 0)
    monkeypatch.setattr(waiting, "FIRST_TOLD_SECONDS", 0)
    lines, paused = waiting._Lines(), replace(progress(captured=1), known=3, state="paused")
    for seen in (
        paused,
        paused,
        paused,
        replace(paused, done=2),
        replace(paused, done=2),
        replace(paused, state="open"),
    ):
        lines.update(seen, [])
    told = [line.partition(";")[0] for line in capsys.readouterr().err.splitlines()]
    stands = "the job is paused"
    assert [line.partition(" of ")[0] for line in told] == ["1", stands, "2", stands, "1"]


@pytest.mark.real
def test_waiting_ends_where_only_tries_are_left_and_watching_does_not(fresh, empty, plane_over):
    async def scenario() -> tuple[Ended, bool]:
        async with plane_over(empty) as plane:
            job = await plane.job(["http://127.0.0.9:47111/"])
            (batch,) = await plane.release()
            await plane.capture(batch)
            await plane.deliver()
            (entry,) = await plane.archive.ledger.of_job(job.id)
            await plane.archive.ledger.advance(replace(entry, stage="published"))
            ended = await asyncio.wait_for(wait_for(plane.archive, job.id, "published"), 10)
            try:
                await asyncio.wait_for(wait_for(plane.archive, job.id, "published", through_tries=True), 1)
            except TimeoutError:
                return ended, True
            return ended, False

    ended, watched_on = asyncio.run(scenario())
    assert (ended.progress.later, ended.progress.done, watched_on) == (1, 0, True)
    said = fresh("status", ended.progress.job_id)
    assert "1 URL got no answer yet and is tried again from" in said.out
    assert "connect_failed" in said.out
    document = fresh("status", ended.progress.job_id, "--json").json
    assert document["later"] == 1
    due, told = (datetime.fromisoformat(at) for at in (document["missing"][0]["retry_at"], document["next_try_at"]))
    assert abs((due - told).total_seconds()) < 0.001, "to the millisecond, which is what Redis keeps"
