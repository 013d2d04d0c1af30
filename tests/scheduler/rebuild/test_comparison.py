"""In the end Redis is read back: it says what the objects say, or what is other is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scheduler.rebuild import RebuildPorts, rebuild, settle
from workers.catalog import names as catalog
from workers.frontier import names


async def filled(ports: RebuildPorts, objects, receipt_of, snapshot_lines_of) -> str:
    await settle(ports, now=objects.now)
    job = await objects.job(ports)
    for number in range(2):
        receipt = receipt_of(
            objects.urls[3 * number : 3 * number + 3],
            failed=objects.urls[6 + number : 7 + number],
            job_id=job.id,
            batch_id=f"b-0{number}",
            segment_id=objects.segments[number],
        )
        await objects.receipt(ports, receipt)
    await objects.snapshots(ports, objects.segments[1], snapshot_lines_of(receipt))
    return job.id


def test_what_was_restored_is_the_same_as_what_the_objects_say(on_archive, objects, receipt_of, snapshot_lines_of):
    async def scenario(ports: RebuildPorts) -> None:
        await filled(ports, objects, receipt_of, snapshot_lines_of)
        assert (await rebuild(ports, now=objects.now, reason="asked for")).differences == []

    on_archive(scenario)


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lambda job: ("DEL", names.done_urls(job)), "of 8 URLs with an outcome, 8 are missing in Redis, and 0"),
        (lambda job: ("HSET", names.done_urls(job), "?" * 16, "c"), "0 are missing in Redis, and 1 there are of no"),
        (lambda job: ("ZPOPMIN", catalog.job_snapshots(job)), "of 3 snapshots, 1 are missing"),
        (lambda job: ("ZPOPMIN", names.job_segments(job)), "1 segments stand elsewhere"),
        (
            lambda job: ("DEL", catalog.revisits("default")),
            "default: of 6 payloads that revisits may refer to, 6 are missing",
        ),
    ],
)
def test_what_got_lost_or_came_in_meanwhile_is_told(
    on_archive, objects, receipt_of, snapshot_lines_of, monkeypatch, harm, told
):
    async def scenario(ports: RebuildPorts) -> None:
        job_id = await filled(ports, objects, receipt_of, snapshot_lines_of)

        class Harmed:
            """Reads back after somebody has been at Redis."""

            async def ended(self, wanted: str):
                await objects.redis(ports).execute_command(*harm(job_id))
                async for each in ports.audit.ended(wanted):
                    yield each

            def snapshots(self, wanted: str):
                return ports.audit.snapshots(wanted)

            def originals(self, wanted: str):
                return ports.audit.originals(wanted)

        rebuilt = await rebuild(replace(ports, audit=Harmed()), now=objects.now, reason="asked for")
        (difference,) = rebuilt.differences
        assert told in difference

    on_archive(scenario)
