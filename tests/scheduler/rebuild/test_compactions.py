"""Files that were joined and deleted: their records are found after a rebuild all the same."""

from __future__ import annotations

from collections.abc import Callable

from scheduler.rebuild import RebuildPorts, rebuild, settle
from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.compaction import Compaction
from schemas.records.receipt import Receipt


def test_records_are_found_in_the_file_that_theirs_was_joined_into(
    on_archive, objects, receipt_of: Callable[..., Receipt], compaction_of: Callable[..., Compaction]
):
    receipts = [
        receipt_of([f"https://a.test/{n}"], batch_id=f"b-{n}", segment_id=f"20261129T10000{n}Z-X") for n in "12"
    ]
    files = [receipt.warc for receipt in receipts if receipt.warc is not None]
    response = receipts[1].outcomes[0].hops[0].records[1]

    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        for receipt in receipts:
            await objects.receipt(ports, receipt.model_copy(update={"job_id": job.id}))
        entry = compaction_of(1, "warc/joined", *files)
        await ports.store.put(keys.compaction(1), canonical_bytes(entry))
        await ports.store.put(keys.compaction_cleared(1), b"a note")
        rebuilt = await rebuild(ports, now=objects.now, reason="test")
        assert (rebuilt.objects, rebuilt.damaged) == (5, [])
        found = await ports.catalog.locate(response.record_id)
        assert found is not None
        assert (found.key, found.offset) == ("warc/joined", 50 + 1000 + response.offset)
        assert await ports.catalog.compacted() == 1

        await ports.store.put(keys.compaction(1), b"{")
        assert [each.key for each in (await rebuild(ports, now=objects.now, reason="test")).damaged] == [
            keys.compaction(1)
        ]
        found = await ports.catalog.locate(response.record_id)
        assert found is not None
        assert (found.key, found.offset) == (files[1].key, response.offset)

    on_archive(scenario)
