"""A batch that needs an object which is damaged or gone is told and waits; restored, it goes on. Nothing is lost."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise

import pytest

from scheduler.cli.status import one_job
from scheduler.cli.waiting import told_end, wait_for
from scheduler.closing import Closer
from scheduler.control import Decided, decide
from scheduler.doctor import pipeline, standing_troubles
from scheduler.in_hand import read_in_hand
from scheduler.rebuild.damage import park_damage
from scheduler.release import Releaser
from scheduler.service.set_aside import tell_aside
from scheduler.service.ticking import WorkLog
from scheduler.web.jobs import job_detail
from scheduler.web.load import read_load
from scheduler.web.room import Room
from schemas import keys
from schemas.records.decision import ControlJob
from schemas.records.outcome import Outcome
from workers.adapters.redis.liveness import Liveness, SignOfLife
from workers.catalog.jobs import job_key
from workers.errors import CorruptError, ObjectMissingError, PermanentError, RetryableError
from workers.frontier import names
from workers.frontier.control import FAILURES
from workers.ports import NotClaimed

pytestmark = pytest.mark.real
HOUR_MS = 3_600_000
URLS = [f"http://127.0.0.{host}:47111/{page}" for host in (83, 84) for page in range(2)]


def releaser_of(running) -> Releaser:
    closer = Closer(running.archive.settle_ports())
    return Releaser(running.archive.frontier, running.inbox, lambda: running.epoch, close=closer.close)


@pytest.mark.parametrize("what", ["job gone", "job damaged", "receipt damaged", "receipt gone"])
def test_a_batch_waits_for_its_objects_and_is_told_until_they_are_restored(plane, what, capsys):
    async def scenario() -> None:
        async with plane() as running:
            archive = running.archive
            frontier, store = archive.frontier, archive.store
            job = await running.job(URLS)
            (message,) = await running.release()
            key = job_key(job.id) if "job" in what else keys.receipt(job.id, message.batch_id, 0)
            original = await store.get(key, limit=10_000) if "job" in what else None
            if what.endswith("damaged"):
                await store.put(key, b"{", content_type="application/json")
            elif what == "job gone":
                await store.delete(key)
            else:
                lease = await frontier.claim(message.batch_id, worker="w", now_ms=running.now_ms())
                done = {lease.batch.urls[0].normalized_url: Outcome.CAPTURED}
                await frontier.commit(lease, done, now_ms=running.now_ms(), ready_at_ms={}, last=False, part=0)
                await frontier.give_back(lease, now_ms=running.now_ms() - 1)

            with pytest.raises((CorruptError, ObjectMissingError)):
                await running.capture(message)
            (aside,) = await frontier.aside(job.id)
            assert (aside.batch_id, aside.looks) == (message.batch_id, 1)
            assert key in aside.fault
            assert f"citevault retry {job.id}" in aside.fault
            assert await archive.redis.hgetall(names.BUSY) == {}, "its hosts serve other jobs"
            refused = await frontier.claim(message.batch_id, worker="w", now_ms=running.now_ms() + HOUR_MS)
            assert refused == NotClaimed("stopped")
            assert not (await frontier.progress(job.id)).captured_all
            ended = await wait_for(archive, job.id, "captured")
            assert aside.fault in (ended.aside or "")
            assert told_end(job.id, ended) == 3, "nobody waits for what a person has to do"
            assert key in capsys.readouterr().err
            assert "0 batches with workers, 0 wait for one, 1 set aside" in (await read_in_hand(archive)).sentence
            room = Room(archive)
            assert (await read_load(room)).for_machines is False
            if "job" not in what:
                assert [each.fault for each in (await job_detail(room, job.id)).set_aside] == [aside.fault]
            assert key in (await pipeline(archive.settings)).message

            log = WorkLog()
            await tell_aside(frontier.aside, log)
            assert key in log.trouble, "the scheduler tells it, and /healthz with it"
            for as_json in (False, True):
                assert await one_job(archive, job.id, as_json=as_json, as_lines=False) == 3
                told = capsys.readouterr().out
                assert key in told
                assert f"citevault retry {job.id}" in told
            assert json.loads(told)["known"] == len(URLS), "what Redis knows is shown all the same"

            sign = SignOfLife(alive_at_ms=running.now_ms(), trouble=log.trouble)
            await Liveness(archive.redis).tell("scheduler", sign)
            for number in (1, 3):
                await store.put(keys.decision(number), b"{", content_type="application/json")
            scheduler, logs = await standing_troubles(archive.settings)
            assert not scheduler.ok
            assert key in scheduler.message
            assert not logs.ok
            assert keys.decision(1) in logs.message or keys.decision(2) in logs.message
            for number in (1, 3):
                await store.delete(keys.decision(number))
            assert (await standing_troubles(archive.settings))[1].ok

            if what == "job gone":
                await park_damage(store, key, ObjectMissingError("gone"), epoch=running.epoch, now=job.created_at)
                await archive.redis.rename(names.job(job.id), "aside")
                assert await one_job(archive, job.id, as_json=False, as_lines=False) == 3, (
                    "a rebuild went on without it"
                )
                assert "then `citevault rebuild`" in capsys.readouterr().out
                assert key in (await pipeline(archive.settings)).message
                await archive.redis.rename("aside", names.job(job.id))
                with pytest.raises(PermanentError, match="no such job"):
                    await one_job(archive, job.id[:-1] + "0", as_json=False, as_lines=False)

            pauses = []
            for number in range(1, 4):  # nobody restores it: each time it waits longer
                now_ms = running.now_ms() + number * HOUR_MS
                assert await releaser_of(running).reclaim(now_ms) == 0
                (aside,) = await frontier.aside()
                pauses.append(aside.next_look_ms - running.now_ms())
                assert aside.looks == number + 1
            assert all(early < late for early, late in pairwise(pauses)), "each time it waits longer"

            if original is not None:
                await store.put(key, original, content_type="application/json")
            elif what == "receipt damaged":
                await store.delete(key)  # as if there had never been one
            else:
                return
            retry = ControlJob(job_id=job.id, action="retry", outcomes=tuple(sorted(FAILURES)))
            said = {"by": "A. Editor", "why": "it is restored", "now": archive.clock.now()}
            stores = {"store": store, "frontier": frontier, "ledger": archive.ledger}
            assert await decide(retry, **said, **stores) == Decided(None, 0, 1)
            await releaser_of(running).reclaim(running.now_ms() + 1000)
            assert await frontier.aside() == []
            again = await frontier.release(now_ms=running.now_ms() + 5000, batches=9, urls=50)
            assert sorted(url.normalized_url for batch in again for url in batch.urls) == URLS

    asyncio.run(scenario())


def test_a_store_that_is_away_sets_nothing_aside(plane):
    async def scenario() -> None:
        async with plane() as running:
            archive = running.archive
            await running.job(URLS)
            (message,) = await running.release()

            async def away(*_, **__):
                raise RetryableError("the store is away")

            real, archive.store.get = archive.store.get, away
            with pytest.raises(RetryableError):
                await running.capture(message)
            archive.store.get = real
            assert await archive.frontier.aside() == []

    asyncio.run(scenario())
