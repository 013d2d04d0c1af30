"""What stands still is sent again, and given up in the end; what waits in a queue is let alone."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from scheduler.sweep import ParkedSegment, SweepLimits, SweepPorts, decide, message_for, sweep
from schemas.messages import ClusterSegment, ExtractSegment, Queue, TaskMessage
from schemas.reading import read_document
from schemas.records.job import Lane
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.client import connect
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


def test_a_segment_that_never_gets_on_is_parked_with_its_reason(redis_url: str, tmp_path: Path):
    async def scenario() -> None:
        client = connect(redis_url)
        await client.set(names.EPOCH, "1")
        ledger, store, broker = RedisLedger(Guard(client, Epoch(number=1))), DirectoryObjectStore(tmp_path), Broker()
        ports = SweepPorts(store, ledger, broker, broker.queue)
        await ledger.advance(ENTRY)
        now, swept = NOW, []
        for _ in range(60):
            now += 10_000
            done = await sweep(ports, LIMITS, now_ms=now, now="2026-11-29T10:10:00Z")
            swept += ["send"] * done.sent + ["park"] * done.parked
        assert swept == ["send", "send", "park"]
        assert broker.sent == [message_for(ENTRY)] * 2
        assert [entry.parked for entry in await ledger.of_job("job-1")] == [True]
        key = f"parked/committed/{ENTRY.segment_id}.json"
        parked = read_document(await store.get(key), ParkedSegment)
        assert isinstance(parked, ParkedSegment)
        assert (parked.tries, parked.receipt_key) == (2, ENTRY.receipt_key)
        assert "3 times" in parked.reason
        await client.aclose()

    asyncio.run(scenario())
