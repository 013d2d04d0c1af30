"""An archive whose Redis can be emptied: a real one, over a store on disk; and the objects that lie in the store."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest

from scheduler.intake import Order, accept, read_urls
from scheduler.parked import ParkedSegment
from scheduler.rebuild import RebuildPorts
from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.job import StoredJob
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.client import AsyncRedis, connect
from workers.adapters.redis.state import RedisState

T = TypeVar("T")
MOMENT = datetime(2026, 11, 29, 10, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Objects:
    """The objects of one archive, and names for them."""

    now: str = "2026-11-29T12:00:00Z"
    extractor: str = "trafilatura@2.3.1+00000000"
    params: str = "minhash-w5-p128-affine32-s1-sha1-32"
    urls: tuple[str, ...] = tuple(f"https://a{number % 3}.test/{number}" for number in range(9))
    segments: tuple[str, ...] = tuple(f"20261129T10000{number}Z-01ARZ3NDEKTSV4RRFFQ69G5FAV" for number in range(3))

    async def job(self, ports: RebuildPorts) -> StoredJob:
        """A stored and queued job of all URLs."""
        job = await accept(read_urls(self.urls), Order(), store=ports.store, frontier=ports.frontier, now=MOMENT)
        assert isinstance(job, StoredJob)
        return job

    async def receipt(self, ports: RebuildPorts, receipt: Receipt) -> str:
        key = keys.receipt(receipt.job_id, receipt.batch_id, receipt.part)
        await ports.store.put(key, canonical_bytes(receipt))
        return key

    async def snapshots(self, ports: RebuildPorts, segment_id: str, lines: list[SnapshotLine]) -> str:
        key = keys.snapshots(self.extractor, segment_id)
        await ports.store.put(keys.conversion(self.extractor, segment_id, "a2"), b"WARC")
        await ports.store.put(key, gzip.compress(b"".join(canonical_bytes(line) + b"\n" for line in lines)))
        return key

    async def parked(self, ports: RebuildPorts, receipt: Receipt) -> None:
        """The segment of a receipt is given up."""
        parked = ParkedSegment(
            schema="citevault/parked@1", segment_id=receipt.segment_id, job_id=receipt.job_id, stage="committed",
            receipt_key=keys.receipt(receipt.job_id, receipt.batch_id, receipt.part), tries=5,
            reason="it did not get on", parked_at=self.now,
        )  # fmt: skip
        await ports.store.put(keys.parked("committed", receipt.segment_id, self.now), canonical_bytes(parked))

    @staticmethod
    def redis(ports: RebuildPorts) -> AsyncRedis:
        assert isinstance(ports.state, RedisState)
        return ports.state.client


@pytest.fixture
def objects() -> Objects:
    return Objects()


@pytest.fixture
def on_archive(
    redis_url: str, tmp_path: Path, new_rebuild_ports: Callable[..., RebuildPorts]
) -> Callable[[Callable[[RebuildPorts], Awaitable[T]]], T]:
    """Run a scenario with the ports of an archive that nobody has settled yet."""

    def run(scenario: Callable[[RebuildPorts], Awaitable[T]]) -> T:
        async def within() -> T:
            client, store = connect(redis_url), DirectoryObjectStore(tmp_path)
            ports = new_rebuild_ports(client, store)
            try:
                return await scenario(ports)
            finally:
                await client.aclose()

        return asyncio.run(within())

    return run
