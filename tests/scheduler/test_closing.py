"""A page that every worker dies of is found and parked, and costs no other page anything."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from deploy.demo.server import SampleWeb
from scheduler.closing import Closer
from scheduler.control import put_in_force
from scheduler.outcomes import missing_urls
from scheduler.rebuild import rebuild
from scheduler.release import Releaser
from scheduler.service.wiring import rebuild_ports_of
from scheduler.suspicion import GIVEN_UP
from schemas import keys
from schemas.ids import utc_string
from schemas.messages import CaptureBatch
from schemas.records.decision import ControlJob
from schemas.records.outcome import Outcome
from schemas.records.receipt import Receipt
from workers.errors import RetryableError
from workers.flows.capture.settle import commit_receipt, receipt_key
from workers.flows.decisions import append_decision, read_decisions
from workers.flows.documents import read_object
from workers.frontier import names
from workers.frontier.control import FAILURES, controls_of
from workers.ports import Lease, QueuedUrl

pytestmark = pytest.mark.real
HOUR_MS = 3_600_000


class Fleet:
    """Workers that die of one page and do their work else, and the scheduler that sends them batches."""

    def __init__(self, plane, deadly: str) -> None:
        self.plane = plane
        self.deadly = deadly
        self.died = 0
        archive = plane.archive
        self.now_ms = plane.now_ms()
        self.releaser = Releaser(
            archive.frontier, plane.inbox, lambda: plane.epoch, close=Closer(archive.settle_ports()).close
        )

    async def run(self, rounds: int = 40) -> None:
        for _ in range(rounds):
            self.now_ms += HOUR_MS
            await self.releaser.reclaim(self.now_ms)
            await self.releaser.release(self.now_ms)
            messages, self.plane.inbox.messages = self.plane.inbox.messages, []
            for message in messages:
                if isinstance(message, CaptureBatch):
                    await self.work(message)

    async def work(self, message: CaptureBatch) -> None:
        if not await self.is_deadly(message.batch_id):
            await self.plane.capture(message)
            return
        # What is dead neither commits nor says anything.
        lease = await self.plane.archive.frontier.claim(message.batch_id, worker="w", now_ms=self.now_ms)
        self.died += isinstance(lease, Lease)

    async def is_deadly(self, batch_id: str) -> bool:
        """Whether the page is among what is left of a batch, as Redis has it."""
        redis, name = self.plane.archive.redis, self.deadly.rpartition("/")[2].encode()
        job = (await redis.hget(names.batch(batch_id), "job")).decode()
        digests = await redis.zrange(names.batch_urls(batch_id), 0, -1)
        packed = [await redis.hget(names.open_urls(job), digest) for digest in digests]
        return any(item is not None and item.endswith(name) for item in packed)


async def receipts_of(plane, job) -> list[Receipt]:
    found = sorted([key async for key in plane.archive.store.list(keys.receipts(job.id))])
    return [await read_object(plane.archive.store, key, Receipt) for key in found]


def urls_of(web: SampleWeb) -> list[str]:
    return [web.url("courier", "/news/tidal-barrier"), web.url("courier", "/deadly"), web.url("authority", "/barrier")]


def test_the_page_that_workers_die_of_is_parked_and_the_others_are_captured(plane, web):
    async def scenario() -> None:
        async with plane() as running:
            urls = urls_of(web)
            job = await running.job(urls)
            fleet = Fleet(running, urls[1])
            await fleet.run()
            progress = await running.archive.frontier.progress(job.id)
            assert (progress.captured_all, progress.outcomes) == (True, {"captured": 2, "parked": 1})
            assert 3 <= fleet.died <= 9
            (missing,) = [each async for each in missing_urls(running.archive.store, job.id)]
            assert (missing.requested_url, missing.outcome) == (urls[1], Outcome.PARKED)
            assert missing.failure.startswith("3 workers in a row died or broke off while they had this URL alone")
            assert await running.archive.redis.hgetall(names.BUSY) == {}
            assert await running.archive.redis.zcard(names.LEASES) == 0

            await rebuild(rebuild_ports_of(running.archive), now=utc_string(running.archive.clock.now()), reason="test")
            again = await running.archive.frontier.progress(job.id)
            assert (again.captured_all, again.outcomes) == (True, {"captured": 2, "parked": 1})

    asyncio.run(scenario())


def test_retry_takes_a_parked_page_up_again(plane, web):
    async def scenario() -> None:
        async with plane() as running:
            archive, urls = running.archive, urls_of(web)
            job = await running.job(urls[1:2])
            fleet = Fleet(running, urls[1])
            await fleet.run(10)
            assert (await archive.frontier.progress(job.id)).outcomes == {"parked": 1}
            decision = ControlJob(job_id=job.id, action="retry", outcomes=tuple(sorted(FAILURES)))
            await append_decision(
                archive.store, decision, by="A. Editor", why="the worker is mended", now="2026-11-29T10:00:00Z"
            )
            for _ in range(2):  # again is harmless
                control = controls_of(await read_decisions(archive.store))[job.id]
                assert await put_in_force(archive.store, archive.frontier, job.id, control, now_ms=fleet.now_ms)
            assert (await archive.frontier.progress(job.id)).later == 1
            fleet.deadly = "nothing"
            await fleet.run(3)
            progress = await archive.frontier.progress(job.id)
            assert (progress.captured_all, progress.outcomes) == (True, {"captured": 1})
            told = [outcome for receipt in await receipts_of(running, job) for outcome in receipt.outcomes]
            assert (told[0].outcome, told[0].calls) == (Outcome.PARKED, 0)

    asyncio.run(scenario())


def test_whoever_had_the_batch_before_is_fenced_by_its_last_receipt(plane, web):
    async def scenario() -> None:
        async with plane() as running:
            archive = running.archive
            job = await running.job(urls_of(web))
            (message,) = await running.release()
            now_ms = running.now_ms()
            lease = await archive.frontier.claim(message.batch_id, worker="w", now_ms=now_ms)
            assert isinstance(lease, Lease)
            (back,) = await archive.frontier.reclaim(now_ms=now_ms + HOUR_MS)
            apart = await Closer(archive.settle_ports()).close(replace(back, fruitless=3), "take apart")
            assert sorted(len(batch.urls) for batch in apart) == [1, 1]
            (last,) = await receipts_of(running, job)
            straggler = last.model_copy(update={"attempt": "late", "worker": "w"})
            with pytest.raises(Exception, match="another worker committed this part"):
                await commit_receipt(archive.settle_ports(), straggler, lease, {})

    asyncio.run(scenario())


def test_a_straggler_that_was_faster_is_left_to_it(plane, web):
    async def scenario() -> None:
        async with plane() as running:
            archive = running.archive
            job = await running.job(urls_of(web)[:1])
            (message,) = await running.release()
            now_ms = running.now_ms()
            await archive.frontier.claim(message.batch_id, worker="w", now_ms=now_ms)
            (back,) = await archive.frontier.reclaim(now_ms=now_ms + HOUR_MS)
            closer = Closer(archive.settle_ports())
            real = archive.store.create

            async def race(key, body, **more):
                await real(key, b"{}", **more)
                return await real(key, body, **more)

            archive.store.create = race
            assert await closer.close(replace(back, fruitless=3), "park") == ()
            assert (await archive.frontier.progress(job.id)).done == 0

    asyncio.run(scenario())


def test_a_store_that_fails_the_scheduler_too_suspects_nobody(plane, web):
    async def scenario() -> None:
        async with plane() as running:
            archive = running.archive
            await running.job(urls_of(web)[:1])
            (message,) = await running.release()
            now_ms = running.now_ms()
            for number in range(1, 4):
                await archive.frontier.claim(message.batch_id, worker="w", now_ms=now_ms)
                (back,) = await archive.frontier.reclaim(now_ms=now_ms + number * HOUR_MS)
            assert back.fruitless == 3

            async def away(*_, **__):
                raise RetryableError("the store is away")

            real, archive.store.create = archive.store.create, away
            with pytest.raises(RetryableError):
                await Closer(archive.settle_ports()).close(back, "park")
            archive.store.create = real
            (later,) = await archive.frontier.reclaim(now_ms=now_ms + 9 * HOUR_MS)
            assert later.fruitless == 0

    asyncio.run(scenario())


def test_a_batch_that_gets_on_is_suspected_anew(plane, web):
    async def scenario() -> None:
        async with plane() as running:
            frontier, now_ms = running.archive.frontier, running.now_ms()
            urls = urls_of(web)
            await running.job(urls)
            (message,) = await running.release()
            counted = []
            for number in range(4):
                lease = await frontier.claim(message.batch_id, worker="w", now_ms=now_ms)
                assert isinstance(lease, Lease)
                if number == 2:
                    done = {lease.batch.urls[0].normalized_url: Outcome.CAPTURED}
                    for _ in range(2):  # following a receipt again is no news
                        await frontier.commit(lease, done, now_ms=now_ms, ready_at_ms={}, last=False, part=0)
                (back,) = await frontier.reclaim(now_ms=now_ms + (number + 1) * HOUR_MS)
                counted.append(back.fruitless)
            assert counted == [1, 2, 0, 1]

    asyncio.run(scenario())


def test_a_page_that_waits_for_what_it_needs_is_kept_and_not_fetched_again(plane, web):
    async def scenario() -> None:
        async with plane() as running:
            archive = running.archive
            job = await running.job(urls_of(web)[:1])
            (message,) = await running.release()
            await running.capture(message)
            (receipt,) = await receipts_of(running, job)
            other = await running.job(urls_of(web)[2:])
            (message,) = await running.release()
            lease = await archive.frontier.claim(message.batch_id, worker="w", now_ms=running.now_ms())
            page = receipt.outcomes[0].model_copy(update={"normalized_url": lease.batch.urls[0].normalized_url})
            pending = receipt.model_copy(
                update={
                    "job_id": other.id, "batch_id": message.batch_id, "outcomes": (page,), "last": False,
                    "pending": (page.normalized_url,), "token": lease.token,
                }
            )  # fmt: skip
            await archive.store.put(receipt_key(pending), pending.model_dump_json().encode())
            (back,) = await archive.frontier.reclaim(now_ms=running.now_ms() + HOUR_MS)
            assert await Closer(archive.settle_ports()).close(replace(back, fruitless=3), "take apart") == []
            progress = await archive.frontier.progress(other.id)
            assert (progress.captured_all, progress.outcomes) == (True, {"captured": 1})
            *_, last = await receipts_of(running, other)
            assert (last.last, last.warc, last.completed[0].remarks) == (True, None, (GIVEN_UP,))

    asyncio.run(scenario())


def test_an_unexpected_error_counts_and_a_full_disk_does_not(plane, web):
    async def scenario() -> None:
        async with plane() as running:
            archive = running.archive
            await running.job(urls_of(web)[:1])
            (message,) = await running.release()
            counted, now_ms = [], running.now_ms()
            for number, error in enumerate([OSError(28, "No space left on device"), ValueError("a defect of ours")]):

                async def fails(*_, fault=error, **__):
                    raise fault

                archive.transport.fetch = fails
                with pytest.raises((RetryableError, ValueError)):
                    await running.capture(message)
                (back,) = await archive.frontier.reclaim(now_ms=now_ms + (number + 1) * HOUR_MS)
                counted.append(back.fruitless)
            assert counted == [0, 1]

    asyncio.run(scenario())


def test_of_each_host_the_first_url_goes_out_alone(plane):
    async def scenario() -> None:
        async with plane() as running:
            archive = running.archive
            urls = [f"http://127.0.0.{host}:8000/{page}" for host in (71, 72) for page in range(3)]
            await running.job(urls)
            (message,) = await running.release()
            lease = await archive.frontier.claim(message.batch_id, worker="w", now_ms=running.now_ms())
            apart = await archive.frontier.isolate(lease, now_ms=running.now_ms())
            assert [[url.normalized_url for url in batch.urls] for batch in apart] == [[urls[0]], [urls[3]]]
            await archive.frontier.commit(lease, {}, now_ms=running.now_ms(), ready_at_ms={}, last=True)
            busy = await archive.redis.hgetall(names.BUSY)
            assert busy == {batch.urls[0].host.encode(): batch.batch_id.encode() for batch in apart}
            assert await running.release() == [], "their hosts are theirs until they are done"
            for batch in apart:
                own = await archive.frontier.claim(batch.batch_id, worker="w", now_ms=running.now_ms())
                assert isinstance(own, Lease)
                assert own.batch.urls == batch.urls
                done = dict.fromkeys([url.normalized_url for url in own.batch.urls], Outcome.CAPTURED)
                await archive.frontier.commit(own, done, now_ms=running.now_ms(), ready_at_ms={}, last=True)
            later = await archive.frontier.release(now_ms=running.now_ms() + 2000, batches=9, urls=50)
            rest: list[QueuedUrl] = [url for batch in later for url in batch.urls]
            assert sorted(url.normalized_url for url in rest) == sorted({*urls} - {urls[0], urls[3]})

    asyncio.run(scenario())
