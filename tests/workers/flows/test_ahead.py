"""Many reads at a time, given in order, and none left running."""

from __future__ import annotations

import asyncio

import pytest

from workers.errors import CorruptError
from workers.flows.ahead import all_or_none, read_ahead


class Store:
    """Notes how many reads run; earlier keys take longer."""

    def __init__(self) -> None:
        self.running = self.most = self.begun = 0

    async def read(self, key: str) -> int:
        self.running += 1
        self.begun += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(0.02 if int(key) % 2 else 0.001)
            if key == "13":
                raise CorruptError("torn")
            return int(key)
        finally:
            self.running -= 1


def test_values_come_in_the_order_of_their_keys_and_no_more_than_asked_for_are_read_at_a_time():
    async def scenario() -> None:
        store = Store()
        found = [value async for _, value in read_ahead(map(str, range(12)), store.read, at_once=4)]
        assert found == list(range(12))
        assert store.most == 4

    asyncio.run(scenario())


def test_an_error_is_raised_where_its_key_is_reached_and_ends_the_other_reads():
    async def scenario() -> None:
        store, found = Store(), []

        async def read_all() -> None:
            async for key, _ in read_ahead(map(str, range(100)), store.read, at_once=4):
                found.append(key)

        with pytest.raises(CorruptError):
            await read_all()
        assert found == [str(number) for number in range(13)]
        assert store.running == 0
        assert store.begun < 20

    asyncio.run(scenario())


def test_where_one_of_several_fails_the_others_have_ended_when_its_error_comes() -> None:
    async def scenario() -> None:
        store = Store()
        assert await all_or_none(store.read(key) for key in ("1", "2", "3")) == [1, 2, 3]
        with pytest.raises(CorruptError):
            await all_or_none([store.read("13"), *(asyncio.sleep(60, number) for number in range(2))])
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(scenario())
