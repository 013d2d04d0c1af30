"""The epoch object in the store."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from schemas import keys
from workers.adapters.directory import DirectoryObjectStore
from workers.errors import CorruptError
from workers.frontier.epoch import Epoch, raise_epoch, read_epoch

NOW = "2026-11-29T10:00:00Z"


def test_the_first_epoch_is_one_and_each_raise_gives_the_next(tmp_path: Path):
    async def scenario() -> None:
        store = DirectoryObjectStore(tmp_path)
        assert await read_epoch(store) is None
        assert (await raise_epoch(store, now=NOW, reason="new archive")).epoch == 1
        assert (await raise_epoch(store, now=NOW, reason="Redis was empty")).epoch == 2
        found = await read_epoch(store)
        assert found is not None
        assert (found.epoch, found.reason) == (2, "Redis was empty")

    asyncio.run(scenario())


def test_raises_at_the_same_time_get_different_numbers(tmp_path: Path):
    async def scenario() -> None:
        store = DirectoryObjectStore(tmp_path)
        raised = await asyncio.gather(*(raise_epoch(store, now=NOW, reason=f"{number}") for number in range(5)))
        assert sorted(record.epoch for record in raised) == [1, 2, 3, 4, 5]

    asyncio.run(scenario())


def test_an_epoch_object_that_cannot_be_read_stops_everything(tmp_path: Path):
    async def scenario() -> None:
        store = DirectoryObjectStore(tmp_path)
        await store.put(keys.EPOCH, b'{"epoch": "2"}')
        with pytest.raises(CorruptError, match="epoch"):
            await raise_epoch(store, now=NOW, reason="")

    asyncio.run(scenario())


def test_a_process_that_knows_no_epoch_is_let_in_nowhere():
    epoch = Epoch()
    assert epoch.text == "unknown"
    epoch.number = 7
    assert epoch.text == "7"
    epoch.rebuilding = True
    assert epoch.text == "7+rebuilding"
