"""One bad object costs itself: it is told and parked, and everything else comes back."""

from __future__ import annotations

import pytest

from scheduler.rebuild import RebuildPorts, damaged_objects, rebuild, settle
from schemas import keys
from workers.errors import RetryableError


def test_a_damaged_receipt_is_parked_and_its_urls_are_fetched_again(on_archive, objects, receipt_of):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        bad = await objects.receipt(
            ports, receipt_of(objects.urls[:2], job_id=job.id, batch_id="b-01", segment_id=objects.segments[0])
        )
        await objects.receipt(
            ports, receipt_of(objects.urls[2:5], job_id=job.id, batch_id="b-02", segment_id=objects.segments[1])
        )
        whole = await ports.store.get(bad)
        await ports.store.put(bad, whole[:-20])
        rebuilt = await rebuild(ports, now=objects.now, reason="asked for")

        assert [damage.key for damage in rebuilt.damaged] == [bad]
        assert (rebuilt.outcomes, rebuilt.queued) == (3, 6)
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert (progress.known, progress.done, progress.captured_all) == (9, 3, False)
        (damage,) = await damaged_objects(ports.store)
        assert (damage.key, damage.epoch, damage.found_at) == (bad, rebuilt.epoch, objects.now)
        assert "cannot be read" in damage.error

        await ports.store.put(bad, whole)
        assert (await rebuild(ports, now=objects.now, reason="it was restored")).damaged == []
        assert await damaged_objects(ports.store) == []

    on_archive(scenario)


def test_a_job_with_a_damaged_part_of_its_seeds_never_reads_as_complete(on_archive, objects, receipt_of):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        await objects.receipt(
            ports, receipt_of(objects.urls[:4], job_id=job.id, batch_id="b-01", segment_id=objects.segments[0])
        )
        await ports.store.put(job.seed_parts[0].key, b"not what was stored")
        rebuilt = await rebuild(ports, now=objects.now, reason="asked for")
        assert [damage.key for damage in rebuilt.damaged] == [job.seed_parts[0].key]
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert (progress.known, progress.done, progress.intake_open) == (4, 4, True)
        assert not progress.captured_all

    on_archive(scenario)


def test_a_damaged_job_snapshot_file_or_parked_segment_does_not_stop_the_others(
    on_archive, objects, receipt_of, snapshot_lines_of
):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        lines = []
        for number in range(2):
            receipt = receipt_of(
                objects.urls[number : number + 1],
                job_id=job.id,
                batch_id=f"b-0{number}",
                segment_id=objects.segments[number],
            )
            await objects.receipt(ports, receipt)
            lines = snapshot_lines_of(receipt)
            await objects.snapshots(ports, objects.segments[number], lines)
        bad = [
            keys.job("job-01ARZ3NDEKTSV4RRFFQ69G5FAV", objects.now),
            keys.parked("committed", objects.segments[0], objects.now),
            keys.snapshots(objects.extractor, objects.segments[0]),
        ]
        for key in bad:
            await ports.store.put(key, b"{")
        rebuilt = await rebuild(ports, now=objects.now, reason="asked for")
        assert sorted(damage.key for damage in rebuilt.damaged) == bad
        assert await ports.frontier.jobs() == [job.id]
        assert [entry.stage for entry in await ports.ledger.of_job(job.id)] == ["committed", "extracted"]
        assert await ports.catalog.snapshots_of_job(job.id) == [line.snapshot.id for line in lines]

    on_archive(scenario)


def test_a_store_that_is_away_is_not_damage(on_archive, objects, receipt_of, monkeypatch):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        await objects.receipt(
            ports, receipt_of(objects.urls[:2], job_id=job.id, batch_id="b-01", segment_id=objects.segments[0])
        )
        get = ports.store.get

        async def away(key: str, *, limit: int | None = None) -> bytes:
            if key.startswith(keys.COMMITS):
                raise RetryableError("the store does not answer")
            return await get(key, limit=limit)

        monkeypatch.setattr(ports.store, "get", away)
        with pytest.raises(RetryableError, match="does not answer"):
            await rebuild(ports, now=objects.now, reason="asked for")
        assert await damaged_objects(ports.store) == []

    on_archive(scenario)
