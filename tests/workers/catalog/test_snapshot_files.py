"""Snapshot files through their cache."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.canonical import canonical_bytes
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from workers.adapters.directory import DirectoryObjectStore
from workers.catalog.snapshot_files import SnapshotFiles
from workers.errors import CorruptError


class CountingStore(DirectoryObjectStore):
    reads = 0

    async def get(self, key: str, *, limit: int | None = None) -> bytes:
        self.reads += 1
        return await super().get(key, limit=limit)


@pytest.fixture
def store(tmp_path: Path) -> CountingStore:
    return CountingStore(tmp_path)


@pytest.fixture
def lines(receipt_of: Callable[..., Receipt], snapshot_lines_of: Callable[..., list[SnapshotLine]]):
    return snapshot_lines_of(receipt_of([f"https://a.test/{number}" for number in range(3)]))


def packed(lines: list[SnapshotLine]) -> bytes:
    return gzip.compress(b"".join(canonical_bytes(line) + b"\n" for line in lines), mtime=0)


def test_a_file_is_read_once_while_it_is_remembered(store: CountingStore, lines: list[SnapshotLine]):
    async def scenario() -> None:
        for name in ("a", "b"):
            await store.put(name, packed(lines))
        files = SnapshotFiles(store, cache_bytes=sum(len(canonical_bytes(line)) for line in lines) + 10)
        assert [await files.line("a", number) for number in range(3)] == lines
        assert store.reads == 1
        await files.line("b", 0)
        await files.line("b", 1)
        assert store.reads == 2
        await files.line("a", 0)
        assert store.reads == 3, "only one of the two fits"

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:-12], "torn"),
        (lambda data: b"no gzip", "no gzip"),
        (lambda data: gzip.compress(b'{"schema":"citevault/snapshot-line@1"}\n'), "cannot be read"),
        (lambda data: gzip.compress(b""), "shorter"),
    ],
)
def test_a_broken_file_is_named(
    store: CountingStore, lines: list[SnapshotLine], damage: Callable[[bytes], bytes], message: str
):
    async def scenario() -> None:
        await store.put("text/x", damage(packed(lines)))
        with pytest.raises(CorruptError, match=message) as caught:
            await SnapshotFiles(store).line("text/x", 0)
        assert "text/x" in caught.value.where

    asyncio.run(scenario())
