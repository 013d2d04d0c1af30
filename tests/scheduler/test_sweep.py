"""What stands still is sent again, and given up in the end; what waits in a queue is let alone."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from scheduler.parked import ParkedSegment, retry_segments
from scheduler.sweep import SweepLimits, SweepPorts, after_error, decide, message_for, sweep
from schemas.messages import ClusterSegment, ExtractSegment, Queue, TaskMessage
from schemas.reading import read_document
from schemas.records.job import Lane
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.client import AsyncRedis, connect
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.ports import SegmentEntry

NOW = 1_790_000_000_000
LIMITS = SweepLimits(stuck_seconds=60, tries=2, forgotten_seconds=1000)
ENTRY = SegmentEntry(
    segment_id="20261129T100000Z-01ARZ3NDEKTSV4RRFFQ69G5FAV",
    job_id="job-1",
    lane=Lane.BULK,
    stage="committed",
    receipt_key="commits/job-1/b-1-0000.json",
    since_ms=NOW,
)


@dataclass
class Broker:
    sent: list[TaskMessage] = field(default_factory=list)
    waiting: dict[str, int] = field(default_factory=dict)

    async def announce(self, message: TaskMessage) -> None:
        self.sent.append(message)

    async def queue(self, name: Queue) -> int:
        return self.waiting.get(name, 0)


@pytest.mark.parametrize(
    ("tries", "waited", "waiting", "step"),
    [
        (0, 59, 0, "wait"),
        (0, 60, 0, "send"),
        (0, 60, 1, "wait"),
        (0, 999, 500, "wait"),
        (0, 1000, 500, "send"),
        (1, 119, 0, "wait"),
        (1, 120, 0, "send"),
        (2, 179, 0, "wait"),
        (2, 180, 0, "park"),
        (2, 180, 1, "wait"),
        (2, 1000, 500, "send"),
        (47, 3000, 500, "send"),
        (48, 3000, 500, "park"),
    ],
)
def test_patience_grows_with_every_try(tries: int, waited: int, waiting: int, step: str):
    entry = replace(ENTRY, tries=tries)
    assert decide(entry, waiting=waiting, now_ms=NOW + waited * 1000, limits=LIMITS) == step


def test_each_stage_has_the_message_that_gets_a_segment_out_of_it():
    assert isinstance(message_for(ENTRY), ExtractSegment)
    extracted = replace(ENTRY, stage="extracted", snapshots_key="text/s", prints_key="prints/s")
    message = message_for(extracted)
    assert isinstance(message, ClusterSegment)
    assert (message.snapshots_key, message.prints_key, message.receipt_key) == ("text/s", "prints/s", ENTRY.receipt_key)
    with pytest.raises(ValueError, match="clustered"):
        message_for(replace(ENTRY, stage="clustered"))


def house(redis_url: str, folder: Path) -> tuple[AsyncRedis, SweepPorts, Broker]:
    client, broker = connect(redis_url), Broker()
    ledger, store = RedisLedger(Guard(client, Epoch(number=1))), DirectoryObjectStore(folder)
    return client, SweepPorts(store, ledger, broker, broker.queue), broker


async def parked_objects(ports: SweepPorts) -> list[ParkedSegment]:
    found = [read_document(await ports.store.get(key), ParkedSegment) async for key in ports.store.list("parked/")]
    return [each for each in found if isinstance(each, ParkedSegment)]


def test_a_segment_that_never_gets_on_is_parked_with_its_reason(redis_url: str, tmp_path: Path):
    async def scenario() -> None:
        client, ports, broker = house(redis_url, tmp_path)
        await client.set(names.EPOCH, "1")
        await ports.ledger.advance(ENTRY)
        now, swept = NOW, []
        for _ in range(60):
            now += 10_000
            done = await sweep(ports, LIMITS, now_ms=now, now="2026-11-29T10:10:00Z")
            swept += ["send"] * done.sent + ["park"] * done.parked
        assert swept == ["send", "send", "park"]
        assert broker.sent == [message_for(ENTRY)] * 2
        assert [entry.parked for entry in await ports.ledger.of_job("job-1")] == [True]
        (parked,) = await parked_objects(ports)
        assert (parked.tries, parked.receipt_key, parked.error) == (2, ENTRY.receipt_key, "")
        assert "3 times" in parked.reason
        await client.aclose()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("failures", "put_off", "tries", "waited", "step"),
    [
        (1, 0, 0, 1.9, "wait"),
        (1, 0, 0, 2, "send"),
        (2, 0, 0, 3.9, "wait"),
        (2, 0, 0, 4, "send"),
        (3, 0, 0, 0, "park"),
        (2, 0, 1, 0, "park"),
        (0, 5, 0, 32, "send"),
        (0, 50, 0, 299, "wait"),
        (0, 50, 0, 300, "send"),
        (0, 201, 0, 0, "park"),
    ],
)
def test_only_errors_of_its_own_count_against_a_segment(failures, put_off, tries, waited, step):
    entry = replace(ENTRY, failures=failures, put_off=put_off, tries=tries, failed=True)
    assert after_error(entry, now_ms=NOW + round(waited * 1000), limits=LIMITS) == step


def test_a_store_that_is_away_again_and_again_does_not_park_a_segment_and_what_failed_is_sent_within_seconds(
    redis_url: str, tmp_path: Path
):
    async def scenario() -> None:
        client, ports, broker = house(redis_url, tmp_path)
        await client.set(names.EPOCH, "1")
        await ports.ledger.advance(ENTRY)
        now, limits = NOW, replace(LIMITS, longest_pause_seconds=8)
        for times in range(1, 13):
            await ports.ledger.fail(ENTRY.segment_id, "the store does not answer", own=False, now_ms=now)
            now += 8000
            assert (await sweep(ports, limits, now_ms=now, now="2026-11-29T10:10:00Z")).sent == 1
            (entry,) = await ports.ledger.of_job("job-1")
            assert (entry.put_off, entry.tries, entry.failed, entry.parked) == (times, 0, False, False)
        assert len(broker.sent) == 12
        await client.aclose()

    asyncio.run(scenario())


def test_a_parked_segment_says_its_error_and_is_taken_up_again_when_somebody_says_so(redis_url: str, tmp_path: Path):
    async def scenario() -> None:
        client, ports, broker = house(redis_url, tmp_path)
        await client.set(names.EPOCH, "1")
        await ports.ledger.advance(ENTRY)
        now = NOW
        for _ in range(3):
            await ports.ledger.fail(ENTRY.segment_id, "record urn:uuid:1 cannot be trusted", own=True, now_ms=now)
            now += 60_000
            await sweep(ports, LIMITS, now_ms=now, now="2026-11-29T10:10:00Z")
        (parked,) = await ports.ledger.parked()
        assert (parked.parked, parked.error) == (True, "record urn:uuid:1 cannot be trusted")
        assert [each.error for each in await parked_objects(ports)] == [parked.error]
        sent = len(broker.sent)
        again = await retry_segments(ports.store, ports.ledger, "job-1", now="2026-11-29T11:00:00Z", why="restored")
        assert again == [ENTRY.segment_id]
        assert await ports.ledger.parked() == []
        assert (await sweep(ports, LIMITS, now_ms=now, now="2026-11-29T11:00:01Z")).sent == 1
        assert len(broker.sent) == sent + 1
        assert await retry_segments(ports.store, ports.ledger, "job-1", now="2026-11-29T12:00:00Z", why="") == []
        await client.aclose()

    asyncio.run(scenario())
