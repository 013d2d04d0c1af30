"""What waits for its next try waits for it after Redis was emptied, too."""

from __future__ import annotations

from collections.abc import Callable

from scheduler.rebuild import RebuildPorts, catch_up, settle
from schemas.records.receipt import Receipt

DUE = "2026-11-29T13:00:00.000000Z"
DUE_MS = 1_795_957_200_000


def waiting(receipt: Receipt, *, tries: int = 1) -> Receipt:
    """The receipt, with another try for each of its URLs."""
    again = [told.model_copy(update={"retry_at": DUE, "tries": tries}) for told in receipt.outcomes]
    return receipt.model_copy(update={"outcomes": tuple(again)})


def test_waiting_tries_come_back_with_their_time_and_number(on_archive, objects, receipt_of: Callable[..., Receipt]):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        for number, urls in enumerate([objects.urls[:3], objects.urls[:2]], start=1):
            told = receipt_of(
                [], failed=urls, job_id=job.id, batch_id=f"b-0{number}", segment_id=objects.segments[number]
            )
            await objects.receipt(ports, waiting(told, tries=number))
        answered = receipt_of(objects.urls[:1], job_id=job.id, batch_id="b-03", segment_id=objects.segments[0])
        await objects.receipt(ports, answered)
        await objects.redis(ports).flushall()
        rebuilt = await settle(ports, now=objects.now)
        assert rebuilt is not None
        assert (rebuilt.outcomes, rebuilt.queued) == (3, 6)
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert (progress.known, progress.done, progress.later) == (9, 1, 2)
        assert (progress.outcomes, progress.next_try_ms, progress.next_try_at) == ({"captured": 1}, DUE_MS, DUE)
        assert await ports.frontier.wake(now_ms=DUE_MS - 1) == 0
        assert await ports.frontier.wake(now_ms=DUE_MS) == 2
        batches = await ports.frontier.release(now_ms=DUE_MS, batches=9, urls=50)
        tries = {url.normalized_url: url.tries for batch in batches for url in batch.urls}
        assert tries == dict.fromkeys(objects.urls[3:], 0) | {objects.urls[1]: 2, objects.urls[2]: 1}

    on_archive(scenario)


def test_a_receipt_that_comes_late_sets_no_try_back(on_archive, objects, receipt_of: Callable[..., Receipt]):
    async def scenario(ports: RebuildPorts) -> None:
        rebuilt = await settle(ports, now=objects.now)
        assert rebuilt is not None
        job = await objects.job(ports)
        told = receipt_of([], failed=objects.urls[:1], job_id=job.id, batch_id="b-01", segment_id=objects.segments[0])
        await objects.receipt(ports, waiting(told))
        assert await catch_up(ports, rebuilt, now=objects.now) == 1
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert (progress.done, progress.later) == (0, 0), "its seed is queued: it is on its way"

    on_archive(scenario)
