"""Questions of one moment in one call."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from workers.adapters.redis.together import MOST, Together


class Oracle:
    def __init__(self) -> None:
        self.calls: list[list[int]] = []

    async def ask(self, questions: Sequence[int]) -> list[int]:
        self.calls.append(list(questions))
        await asyncio.sleep(0)
        if -1 in questions:
            raise ValueError("below zero")
        return [2 * question for question in questions]


def test_what_is_asked_at_one_moment_is_one_call_and_each_gets_its_own_answer():
    async def scenario() -> None:
        oracle = Oracle()
        together = Together(oracle.ask)
        assert await asyncio.gather(*(together.one(each) for each in range(MOST + 2))) == [
            2 * n for n in range(MOST + 2)
        ]
        assert [len(call) for call in oracle.calls] == [MOST, 2]
        assert await together.one(7) == 14

    asyncio.run(scenario())


def test_an_error_is_told_to_all_who_asked_and_to_nobody_after_them():
    async def scenario() -> None:
        together = Together(Oracle().ask)
        told = await asyncio.gather(together.one(-1), together.one(1), return_exceptions=True)
        assert [type(each) for each in told] == [ValueError, ValueError]
        assert await together.one(1) == 2

    asyncio.run(scenario())


def test_who_gives_up_takes_nobody_else_with_him():
    async def scenario() -> None:
        oracle = Oracle()
        together = Together(oracle.ask)
        leaves, stays = asyncio.create_task(together.one(1)), asyncio.create_task(together.one(2))
        await asyncio.sleep(0)
        leaves.cancel()
        assert await stays == 4
        with pytest.raises(asyncio.CancelledError):
            await leaves

    asyncio.run(scenario())
