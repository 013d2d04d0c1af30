"""What does not get on is told with its error: damaged records, parked segments, damaged objects."""

from __future__ import annotations

import asyncio

import pytest

from scheduler.doctor import pipeline
from schemas import keys
from schemas.records.receipt import Receipt
from workers.catalog.jobs import load_job
from workers.flows.documents import read_object

pytestmark = pytest.mark.real


def test_a_damaged_record_costs_its_own_page_and_status_says_so(fresh, empty, filled, plane_over):
    async def scenario() -> tuple[str, str]:
        async with plane_over(empty) as plane:
            store = plane.archive.store
            good, bad = (filled.web.url("authority", path) for path in ("/barrier", "/status"))
            job = await plane.job([good, bad])
            for batch in await plane.release():
                await plane.capture(batch)
            (receipt_key,) = [key async for key in store.list(keys.receipts(job.id))]
            receipt = await read_object(store, receipt_key, Receipt)
            (outcome,) = [each for each in receipt.outcomes if each.requested_url == bad]
            place = outcome.hops[-1].record("response")
            assert receipt.warc is not None
            assert place is not None
            data = bytearray(await store.get(receipt.warc.key))
            data[place.offset + place.length // 2] ^= 0xFF
            await store.put(receipt.warc.key, bytes(data))
            await plane.deliver()
            assert len(await plane.archive.catalog.snapshots_of_job(job.id)) == 1
            return job.id, place.record_id

    job_id, record_id = asyncio.run(scenario())
    answer = fresh("status", job_id, "--json").json
    (unread,) = answer["unread"]
    assert unread["requested_url"] == filled.web.url("authority", "/status")
    assert record_id in unread["error"]
    assert answer["segments"] == {"clustered": 1}
    assert "not extracted" in fresh("status", job_id).out


def test_a_parked_segment_is_told_with_its_error_by_status_and_doctor(fresh, empty, filled, plane_over):
    async def scenario() -> str:
        async with plane_over(empty) as plane:
            job = await plane.job([filled.web.url("authority", "/barrier")])
            for batch in await plane.release():
                await plane.capture(batch)
            (entry,) = await plane.archive.ledger.of_job(job.id)
            await plane.archive.ledger.park(entry.segment_id, error="the file is torn", now_ms=plane.now_ms())
            return job.id

    job_id = asyncio.run(scenario())
    (stuck,) = fresh("status", job_id, "--json").json["stuck"]
    assert (stuck["stage"], stuck["parked"], stuck["error"]) == ("committed", True, "the file is torn")
    assert "the file is torn" in fresh("status", job_id).out
    assert "1 segment is parked" in fresh("status").err
    check = asyncio.run(pipeline(empty))
    assert not check.ok
    assert "the file is torn" in check.message

    said = fresh("retry", job_id, "--why", "the file is restored")
    assert (said.code, said.err) == (0, "1 parked segment is tried again\n")
    assert asyncio.run(pipeline(empty)).ok
    assert fresh("retry", job_id, "--why", "once more, to see").code == 1


def test_a_job_without_a_part_of_its_seeds_says_so_and_is_not_waited_for(fresh, empty, plane_over):
    """After the rebuild nobody knows what else it asked for, so it never ends by itself."""
    job_id = fresh("archive", "http://127.0.0.9:47111/").out.strip()

    async def lose() -> None:
        async with plane_over(empty) as plane:
            (part,) = (await load_job(plane.archive.store, job_id)).seed_parts
            await plane.archive.store.delete(part.key)

    asyncio.run(lose())
    assert fresh("rebuild").code == 1
    told = f"intake of {job_id} cannot be completed: seeds-00000 is missing; next: restore it"
    for_people, document = fresh("status", job_id), fresh("status", job_id, "--json")
    assert (for_people.code, document.code) == (3, 3)
    assert told in for_people.out
    assert document.json["intake_fault"].startswith(told)
    assert told in fresh("status").err
    watched = fresh("watch", job_id)
    assert (watched.code, told in watched.err) == (3, True)
    fresh("cancel", job_id, "--why", "the list is handed in anew")
    assert fresh("status", job_id).code == 0, "somebody has decided about it"


def test_a_damaged_receipt_takes_no_more_than_its_own_figures(fresh, empty, filled, plane_over):
    refused = "http://10.0.0.1/private"

    async def scenario() -> tuple[str, str]:
        async with plane_over(empty) as plane:
            job = await plane.job([filled.web.url("authority", "/barrier"), refused])
            for batch in await plane.release():
                await plane.capture(batch)
            bad = keys.receipt(job.id, "batch-01ARZ3NDEKTSV4RRFFQ69G5FAV", 0)
            await plane.archive.store.put(bad, b'{"schema"')
            return job.id, bad

    job_id, bad = asyncio.run(scenario())
    said, document = fresh("status", job_id), fresh("status", job_id, "--json")
    assert (said.code, document.code) == (3, 3)
    assert "what this receipt says of URLs is left out below: a stored document cannot be read" in said.out
    assert bad in said.out
    assert f"missing {refused}: guard_denied" in said.out, "the other receipt is read"
    (unread,) = document.json["unreadable"]
    assert unread["key"] == bad

    async def without_the_other(kept: dict[str, bytes]) -> dict[str, bytes]:
        """Gone where nothing is given, restored where it is."""
        async with plane_over(empty) as plane:
            store = plane.archive.store
            for key, data in kept.items():
                await store.put(key, data)
            found = [] if kept else [key async for key in store.list(keys.receipts(job_id)) if key != bad]
            taken = {key: await store.get(key, limit=100_000) for key in found}
            for key in taken:
                await store.delete(key)
            return taken

    kept = asyncio.run(without_the_other({}))
    said = fresh("status", job_id)
    assert said.code == 3
    assert all(f"a receipt of this job is gone; at {key}" in said.out for key in kept), "its batch ended long ago"
    asyncio.run(without_the_other(kept))

    async def lose() -> None:
        async with plane_over(empty) as plane:
            await plane.archive.store.delete(keys.EPOCH)

    asyncio.run(lose())
    check = asyncio.run(pipeline(empty))
    assert (check.ok, check.message) == (False, "control/epoch is gone, and receipts are there")
    assert fresh("rebuild", "--json").json["epoch"] == 2, "above that of the receipts"
