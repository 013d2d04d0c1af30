"""Redis loses everything, and has it back from the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from scheduler.parked import retry_segments
from scheduler.rebuild import RebuildPorts, Stragglers, catch_up, rebuild, settle
from schemas import keys
from schemas.records.decision import ControlJob
from schemas.records.outcome import Revalidation, UnfinishedVisit
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from workers.adapters.redis.singleton import Singleton
from workers.errors import EpochError, RetryableError
from workers.flows.decisions import append_decision
from workers.flows.documents import pack_lines
from workers.frontier import names
from workers.frontier.epoch import Epoch, read_epoch


def test_a_new_archive_is_the_rebuild_of_nothing(on_archive, objects):
    async def scenario(ports: RebuildPorts) -> None:
        first = await settle(ports, now=objects.now)
        assert first is not None
        assert (first.epoch, first.objects) == (1, 0)
        assert await ports.frontier.jobs() == []
        assert await settle(ports, now=objects.now) is None, "nothing to do the second time"

    on_archive(scenario)


def test_everything_comes_back_after_redis_was_emptied(
    on_archive, objects, receipt_of: Callable[..., Receipt], snapshot_lines_of: Callable[..., list[SnapshotLine]]
):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        done = receipt_of(
            objects.urls[:3], failed=objects.urls[3:4], job_id=job.id, batch_id="b-01", segment_id=objects.segments[0]
        )
        part = receipt_of(objects.urls[4:6], job_id=job.id, batch_id="b-02", segment_id=objects.segments[1], last=False)
        lines = snapshot_lines_of(done)
        done_key, _ = await objects.receipt(ports, done), await objects.receipt(ports, part)
        snapshots_key = await objects.snapshots(ports, objects.segments[0], lines)
        await objects.snapshots(ports, objects.segments[2], lines)  # of an attempt that no receipt names
        await ports.store.put(keys.prints(objects.params, objects.extractor, objects.segments[0]), b"")
        await ports.store.put(keys.clusters(objects.params, objects.extractor, objects.segments[0]), b"")

        await objects.redis(ports).flushall()
        with pytest.raises(EpochError):
            await ports.frontier.progress(job.id)
        rebuilt = await settle(ports, now=objects.now)

        assert rebuilt is not None
        assert (rebuilt.epoch, rebuilt.jobs, rebuilt.outcomes, rebuilt.queued, rebuilt.snapshots) == (2, 1, 6, 3, 3)
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert (progress.known, progress.done, progress.intake_open) == (9, 6, False)
        assert progress.outcomes == {"captured": 5, "timeout": 1}
        ready = await ports.frontier.release(now_ms=0, batches=1, urls=50)
        assert sorted(url.requested_url for batch in ready for url in batch.urls) == list(objects.urls[6:])
        first, second = await ports.ledger.of_job(job.id)
        assert (first.stage, first.receipt_key, first.snapshots_key) == ("clustered", done_key, snapshots_key)
        assert first.prints_key == keys.prints(objects.params, objects.extractor, objects.segments[0])
        assert first.clusters_key == keys.clusters(objects.params, objects.extractor, objects.segments[0])
        assert (second.segment_id, second.stage) == (objects.segments[1], "committed")
        assert set(await ports.catalog.snapshots_of_job(job.id)) == {line.snapshot.id for line in lines}
        assert await ports.catalog.snapshot(lines[1].snapshot.id) == lines[1]
        response = part.outcomes[0].hops[0].records[1]
        assert await ports.catalog.locate(response.record_id) is not None
        digest = part.outcomes[0].hops[0].content_sha256 or ""
        assert (await ports.revisits.find("default", [digest]))[digest].record_id == response.record_id
        found = await read_epoch(ports.store)
        assert found is not None
        assert found.reason == "Redis had lost its state"

    on_archive(scenario)


def test_a_visit_that_was_left_at_a_redirect_goes_on_from_there(on_archive, objects, receipt_of):
    """One of two such visits ended in a later batch, and is over."""

    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        both = receipt_of(objects.urls[:2], job_id=job.id, batch_id="b-01", segment_id=objects.segments[0])
        left = tuple(
            UnfinishedVisit(
                requested_url=outcome.requested_url,
                normalized_url=outcome.normalized_url,
                visit=outcome.visit,
                hops=tuple(hop.model_copy(update={"location": "https://next.test/there"}) for hop in outcome.hops),
                resumes_at="https://next.test/there",
                reason="another batch has the host",
            )
            for outcome in both.outcomes
        )
        await objects.receipt(ports, both.model_copy(update={"outcomes": (), "unfinished": left}))
        ended = receipt_of(objects.urls[1:2], job_id=job.id, batch_id="b-02", segment_id=objects.segments[1])
        await objects.receipt(ports, ended)
        await objects.redis(ports).flushall()
        assert (await settle(ports, now=objects.now)).queued == 8
        ready = await ports.frontier.release(now_ms=0, batches=5, urls=50)
        urls = {url.requested_url: url for batch in ready for url in batch.urls}
        assert sorted(urls) == sorted([objects.urls[0], *objects.urls[2:]])
        gone_on = urls[objects.urls[0]]
        assert (gone_on.host, gone_on.resumes_at, gone_on.via) == ("next.test", left[0].resumes_at, left[0].way)
        assert {url.resumes_at for name, url in urls.items() if name != objects.urls[0]} == {None}

    on_archive(scenario)


def asking(receipt: Receipt, revalidation: Revalidation) -> Receipt:
    """The receipt, with this to ask with next time for each of its URLs."""
    outcomes = [
        outcome.model_copy(update={"hops": (outcome.hops[0].model_copy(update={"revalidation": revalidation}),)})
        for outcome in receipt.outcomes
    ]
    return receipt.model_copy(update={"outcomes": tuple(outcomes)})


def test_what_a_request_can_ask_with_comes_back_and_of_one_url_the_newest(on_archive, objects, receipt_of):
    """R082: validators verbatim. The batch that was made later may have captured a URL earlier."""
    first, second = (
        Revalidation(etag='W/"v1"', last_modified="Fri, 21 Aug 2026 10:00:00 GMT"),
        Revalidation(etag='"v2"'),
    )

    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        for number, (urls, said) in enumerate([(objects.urls[:2], first), (objects.urls[1:3], second)]):
            receipt = receipt_of(
                urls, job_id=job.id, batch_id=f"b-0{number}", segment_id=objects.segments[number],
                retrieved_at=f"2026-11-29T10:00:0{9 - number}.000000Z",
            )  # fmt: skip
            await objects.receipt(ports, asking(receipt, said))
        await objects.redis(ports).flushall()
        await settle(ports, now=objects.now)
        found = await ports.versions.find("default", objects.urls[:4])
        assert {url: version.etag for url, version in found.items()} == {
            objects.urls[0]: 'W/"v1"',
            objects.urls[1]: 'W/"v1"',
            objects.urls[2]: '"v2"',
        }
        assert found[objects.urls[0]].last_modified == "Fri, 21 Aug 2026 10:00:00 GMT"

    on_archive(scenario)


def test_a_job_that_was_stored_and_never_queued_is_queued_by_a_rebuild(on_archive, objects):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        await objects.redis(ports).flushall()
        rebuilt = await settle(ports, now=objects.now)
        assert rebuilt is not None
        assert rebuilt.queued == job.seeds

    on_archive(scenario)


def test_urls_of_a_cancelled_job_are_not_said_to_be_queued(on_archive, objects):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        ended = ControlJob(job_id=job.id, action="cancel")
        await append_decision(ports.store, ended, by="An editor", why="It was handed in twice.", now=objects.now)
        await objects.redis(ports).flushall()
        rebuilt = await settle(ports, now=objects.now)
        assert rebuilt is not None
        assert (rebuilt.queued, rebuilt.cancelled) == (0, job.seeds)
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert progress.state == "cancelled"

    on_archive(scenario)


def test_of_two_outcomes_of_one_url_the_answer_counts(on_archive, objects, receipt_of: Callable[..., Receipt]):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        await objects.receipt(
            ports, receipt_of(objects.urls[:1], job_id=job.id, batch_id="b-02", segment_id=objects.segments[1])
        )
        await objects.receipt(
            ports,
            receipt_of([], failed=objects.urls[:1], job_id=job.id, batch_id="b-01", segment_id=objects.segments[0]),
        )
        await rebuild(ports, now=objects.now, reason="asked for")
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert progress.outcomes == {"captured": 1}

    on_archive(scenario)


def test_a_redis_of_another_time_is_not_believed(on_archive, objects):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        client = objects.redis(ports)
        await client.set(names.EPOCH, "7")
        await client.hset(names.open_urls(job.id), "x", "a URL that no job has")
        await client.rpush("capture", "a message")
        rebuilt = await settle(ports, now=objects.now)
        assert rebuilt is not None
        assert rebuilt.epoch == 2
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert progress.known == 9
        assert await client.llen("capture") == 1

    on_archive(scenario)


def test_a_rebuild_that_is_cut_off_lets_nobody_in_and_begins_again(on_archive, objects):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        await objects.job(ports)
        await objects.redis(ports).flushall()

        async def cut_off(_: object) -> None:
            raise RetryableError("the store went away")

        with pytest.raises(RetryableError):
            await settle(replace(ports, steps=(cut_off,)), now=objects.now)
        with pytest.raises(EpochError):
            await ports.frontier.jobs()
        rebuilt = await settle(ports, now=objects.now)
        assert rebuilt is not None
        assert (rebuilt.epoch, rebuilt.queued) == (3, 9)

    on_archive(scenario)


def test_a_redis_that_is_emptied_during_the_rebuild_is_noticed(on_archive, objects):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)

        async def disaster(_: object) -> None:
            await objects.redis(ports).flushall()

        with pytest.raises(RetryableError, match="during the rebuild"):
            await rebuild(replace(ports, steps=(disaster,)), now=objects.now, reason="asked for")
        assert (await settle(ports, now=objects.now)) is not None

    on_archive(scenario)


def test_while_one_process_rebuilds_another_waits_for_it(on_archive, objects):
    async def scenario(ports: RebuildPorts) -> None:
        other = replace(
            ports, lease=Singleton(objects.redis(ports), "other", key=names.REBUILDER), epoch=Epoch(ports.store)
        )

        async def meanwhile(_: object) -> None:
            with pytest.raises(RetryableError, match="another process rebuilds"):
                await settle(other, now=objects.now)

        rebuilt = await rebuild(replace(ports, steps=(meanwhile,)), now=objects.now, reason="asked for")
        assert await settle(other, now=objects.now) is None
        assert other.epoch.number == rebuilt.epoch

    on_archive(scenario)


def test_receipts_of_stragglers_are_taken_in_later(on_archive, objects, receipt_of: Callable[..., Receipt]):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        rebuilt = await rebuild(ports, now=objects.now, reason="asked for")
        await objects.receipt(
            ports, receipt_of(objects.urls[:2], job_id=job.id, batch_id="b-01", segment_id=objects.segments[0])
        )
        assert await catch_up(ports, rebuilt, now=objects.now) == 1
        assert await catch_up(ports, rebuilt, now=objects.now) == 0
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert (progress.known, progress.done) == (9, 2)
        assert [entry.stage for entry in await ports.ledger.of_job(job.id)] == ["committed"]
        ready = await ports.frontier.release(now_ms=0, batches=1, urls=50)
        assert {url.requested_url for batch in ready for url in batch.urls} == set(objects.urls[2:]), (
            "and not fetched again"
        )

    on_archive(scenario)


@pytest.mark.parametrize("batch_id", ["b-01M8P7T0YH7YF4TPZAX8H9XZ93", "b-01"])
def test_a_straggler_is_taken_in_also_by_the_successor_of_the_scheduler_that_rebuilt(
    on_archive, objects, receipt_of: Callable[..., Receipt], batch_id: str
):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now="2026-11-30T12:00:00Z")
        job = await objects.job(ports)
        await ports.state.caught_up()
        await objects.redis(ports).flushall()
        assert await settle(ports, now="2026-11-30T12:00:00Z") is not None
        await objects.receipt(
            ports, receipt_of(objects.urls[:2], job_id=job.id, batch_id=batch_id, segment_id=objects.segments[0])
        )
        await objects.receipt(
            ports,
            receipt_of(
                objects.urls[2:3],
                job_id=job.id,
                batch_id="b-01K8P7T0YH7YF4TPZAX8H9XZ93",  # a year ago: it was read by the rebuild
                segment_id=objects.segments[1],
            ),
        )
        assert await settle(ports, now=objects.now) is None, "the successor has nothing to rebuild"
        stragglers = Stragglers(ports, None, until_ms=1000)
        assert await stragglers.take_in(now_ms=0, now=objects.now) == 1
        assert await stragglers.take_in(now_ms=0, now=objects.now) == 0
        progress = await ports.frontier.progress(job.id)
        assert progress is not None
        assert progress.done == 2
        assert await ports.state.catching_up()
        assert await stragglers.take_in(now_ms=2000, now=objects.now) == 0
        assert not await ports.state.catching_up(), "and that was it"
        assert await Stragglers(ports, None, until_ms=1000).take_in(now_ms=0, now=objects.now) == 0

    on_archive(scenario)


def test_a_parked_segment_stays_parked_unless_it_got_on(
    on_archive, objects, receipt_of: Callable[..., Receipt], snapshot_lines_of
):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        for number in range(2):
            receipt = receipt_of(
                objects.urls[number : number + 1],
                job_id=job.id,
                batch_id=f"b-0{number}",
                segment_id=objects.segments[number],
            )
            await objects.receipt(ports, receipt)
            await objects.parked(ports, receipt)
        await objects.snapshots(ports, objects.segments[1], snapshot_lines_of(receipt))
        await rebuild(ports, now=objects.now, reason="asked for")
        assert [(entry.stage, entry.parked) for entry in await ports.ledger.of_job(job.id)] == [
            ("committed", True),
            ("extracted", False),
        ]

    on_archive(scenario)


def test_of_two_extractions_of_a_segment_the_first_counts_with_its_own_prints_and_clusters(
    on_archive, objects, receipt_of, snapshot_lines_of
):
    """R057: what was derived anew lies beside the old, and never takes its place: what is cited rests on the old."""
    older, newer = "apple@1", "zebra@2"  # by name the newer one comes last

    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        receipt = receipt_of(objects.urls[:2], job_id=job.id, batch_id="b-01", segment_id=objects.segments[0])
        await objects.receipt(ports, receipt)
        for extractor, at in ((older, "2026-11-29T11:00:00Z"), (newer, "2026-11-30T11:00:00Z")):
            lines = [line.model_copy(update={"extracted_at": at}) for line in snapshot_lines_of(receipt)]
            key = keys.snapshots(extractor, objects.segments[0])
            await ports.store.put(key, pack_lines(lines))
            await ports.store.put(keys.prints(objects.params, extractor, objects.segments[0]), b"")
        await ports.store.put(keys.clusters(objects.params, newer, objects.segments[0]), b"")

        await rebuild(ports, now=objects.now, reason="asked for")
        (entry,) = await ports.ledger.of_job(job.id)
        assert (entry.stage, entry.snapshots_key) == ("extracted", keys.snapshots(older, objects.segments[0]))
        assert entry.prints_key == keys.prints(objects.params, older, objects.segments[0])
        found = await ports.catalog.snapshot(snapshot_lines_of(receipt)[0].snapshot.id)
        assert found is not None
        assert found.extracted_at == "2026-11-29T11:00:00Z"

        await ports.store.put(keys.clusters(objects.params, older, objects.segments[0]), b"")
        await rebuild(ports, now=objects.now, reason="asked for")
        (entry,) = await ports.ledger.of_job(job.id)
        assert entry.clusters_key == keys.clusters(objects.params, older, objects.segments[0])

    on_archive(scenario)


def test_a_segment_that_was_taken_up_again_is_not_parked_by_a_rebuild(on_archive, objects, receipt_of):
    async def scenario(ports: RebuildPorts) -> None:
        await settle(ports, now=objects.now)
        job = await objects.job(ports)
        receipt = receipt_of(objects.urls[:2], job_id=job.id, batch_id="b-01", segment_id=objects.segments[0])
        await objects.receipt(ports, receipt)
        await objects.parked(ports, receipt)
        await rebuild(ports, now=objects.now, reason="asked for")
        (parked,) = await ports.ledger.parked()
        assert parked.error == "it did not get on"
        await retry_segments(ports.store, ports.ledger, job.id, now="2026-11-29T13:00:00Z", why="the file is back")
        await rebuild(ports, now=objects.now, reason="asked for")
        assert await ports.ledger.parked() == []
        assert [entry.parked for entry in await ports.ledger.of_job(job.id)] == [False]

    on_archive(scenario)
