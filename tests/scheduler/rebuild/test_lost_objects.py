"""A single object that somebody deleted: no epoch comes twice, and what is gone is told."""

from __future__ import annotations

import pytest

from scheduler.rebuild import RebuildPorts, rebuild, settle
from schemas import keys
from workers.errors import CorruptError
from workers.frontier.epoch import read_epoch


@pytest.mark.parametrize("told_by", ["receipt", "parked object", "mark of Redis"])
def test_an_epoch_after_a_lost_one_is_above_every_epoch_that_anything_speaks_of(
    on_archive, objects, receipt_of, told_by
):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        receipt = receipt_of(objects.urls[:2], job_id=job.id, batch_id="b-01", segment_id=objects.segments[0])
        if told_by == "receipt":
            later = receipt.token.model_copy(update={"epoch": 7})
            await objects.receipt(ports, receipt.model_copy(update={"token": later}))
            await objects.redis(ports).flushall()
        elif told_by == "parked object":
            await ports.store.put(keys.damaged(7, "jobs/x"), b"{}")
            await objects.redis(ports).flushall()
        else:
            await ports.state.swap_mark(await ports.state.mark(), "7")
        await ports.store.delete(keys.EPOCH)
        rebuilt = await settle(ports, now=objects.now)
        found = await read_epoch(ports.store)
        assert rebuilt is not None
        assert found is not None
        assert rebuilt.epoch == found.epoch == 8
        assert await settle(ports, now=objects.now) is None

    on_archive(scenario)


def test_no_epoch_is_begun_where_no_receipt_can_be_read_for_those_before(on_archive, objects):
    async def scenario(ports: RebuildPorts) -> None:
        await ports.store.put(keys.receipt("job-1", "b-01", 0), b"{")
        with pytest.raises(CorruptError, match="the epoch object is gone") as refused:
            await settle(ports, now=objects.now)
        assert "above every epoch in the newest receipts" in refused.value.next_step
        assert await read_epoch(ports.store) is None

    on_archive(scenario)


def test_receipts_of_a_job_that_is_gone_are_told_and_kept(on_archive, objects, receipt_of):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        receipts = [
            await objects.receipt(
                ports,
                receipt_of(
                    objects.urls[number : number + 1],
                    failed=objects.urls[number + 4 : number + 5],
                    job_id=job.id,
                    batch_id=f"b-0{number}",
                    segment_id=objects.segments[0].replace("100000Z", f"10000{number}Z"),
                ),
            )
            for number in range(4)
        ]
        await ports.store.delete(keys.job(job.id, job.created_at))
        rebuilt = await rebuild(ports, now=objects.now, reason="asked for")
        (damage,) = rebuilt.damaged
        assert damage.key == keys.job(job.id, job.created_at)
        assert f"the job of 4 receipts is gone: {', '.join(receipts[:3])}, …" in damage.error
        assert rebuilt.outcomes == 8
        assert rebuilt.differences == []
        assert await ports.frontier.wake(now_ms=2**45) == 0

    on_archive(scenario)
