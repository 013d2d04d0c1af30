"""A full disk costs a batch time, and no URL anything: what is whole is kept, and the rest is fetched again."""

from __future__ import annotations

import asyncio
import random
import resource
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace

import pytest

from schemas import keys
from schemas.records.outcome import Outcome
from schemas.records.receipt import Receipt
from workers.errors import RetryableError
from workers.flows.documents import read_object

pytestmark = pytest.mark.real

ROOM = 1_500_000


@contextmanager
def full_disk():
    """No file of this process grows beyond `ROOM`: the system refuses the write as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(
    ("pages", "page_bytes", "said"),
    [(1, 2 * ROOM, "cannot hold the response"), (12, ROOM // 8, "cannot keep what was captured")],
    ids=["body", "segment"],
)
def test_a_full_disk_is_no_outcome_and_loses_nothing(
    pages, page_bytes, said, plane_over, settings_in, raw_web, tmp_path
):
    small, large = raw_web("127.0.0.61"), raw_web("127.0.0.62")
    noise = random.Random(2)
    for number in range(pages):
        large.says(f"/{number}", noise.randbytes(page_bytes))
        small.says(f"/{number}", b"a page")
    urls = [site.url(f"/{number}") for site in (small, large) for number in range(pages)]
    settings = replace(settings_in(tmp_path), lease_seconds=2, heartbeat_seconds=0.5)

    async def receipts_of(archive, job):
        found = [key async for key in archive.store.list(keys.receipts(job.id))]
        return [await read_object(archive.store, key, Receipt) for key in found]

    async def scenario():
        async with plane_over(settings) as running:
            archive = running.archive
            job = await running.job(urls)
            (message,) = await running.release()
            with full_disk(), pytest.raises(RetryableError) as told:
                await running.capture(message)
            assert all(o.outcome.has_response for receipt in await receipts_of(archive, job) for o in receipt.outcomes)
            (again,) = await archive.frontier.reclaim(now_ms=running.now_ms() + 3_000)
            assert again.batch_id == message.batch_id
            archive._rests = None  # another process takes it
            assert await running.capture(message)
            return told.value, await receipts_of(archive, job), await archive.frontier.progress(job.id)

    told, receipts, progress = asyncio.run(scenario())
    assert said in told.what
    assert "CITEVAULT_SPOOL_DIR" in told.next_step
    assert progress.captured_all
    outcomes = [outcome for receipt in receipts for outcome in receipt.outcomes]
    assert Counter(outcome.requested_url for outcome in outcomes) == Counter(urls)
    assert {outcome.outcome for outcome in outcomes} <= {Outcome.CAPTURED, Outcome.REVISIT}
    left = [path for path in (tmp_path / "spool").rglob("*") if path.is_file() and path.name != "lock"]
    assert left == []
