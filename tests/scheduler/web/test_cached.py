"""Shared look-ups: one question at a time, answers kept for a moment."""

from __future__ import annotations

import asyncio

import pytest

from scheduler.web.cached import ERROR_SECONDS, Cached


class Asked:
    """A look-up that counts, and may be slow or fail."""

    def __init__(self, *, seconds: float = 0.0, error: Exception | None = None) -> None:
        self.times, self.seconds, self.error = 0, seconds, error

    async def __call__(self) -> int:
        self.times += 1
        await asyncio.sleep(self.seconds)
        if self.error is not None:
            raise self.error
        return self.times


def test_many_askers_at_once_are_one_look_up():
    async def scenario():
        cached, asked = Cached(), Asked(seconds=0.02)
        answers = await asyncio.gather(*(cached.get("q", asked, seconds=0) for _ in range(20)))
        return answers, asked.times

    assert asyncio.run(scenario()) == ([1] * 20, 1)


def test_an_answer_is_kept_while_it_is_fresh_and_looked_up_again_afterwards():
    async def scenario():
        cached, asked = Cached(), Asked()
        first = [await cached.get("q", asked, seconds=0.2) for _ in range(3)]
        await asyncio.sleep(0.25)
        return first, await cached.get("q", asked, seconds=0.2)

    assert asyncio.run(scenario()) == ([1, 1, 1], 2)


def test_an_answer_that_was_dear_is_kept_longer():
    async def scenario():
        cached, asked = Cached(), Asked(seconds=0.05)
        await cached.get("q", asked, seconds=0)
        await asyncio.sleep(0.1)
        return await cached.get("q", asked, seconds=0)

    assert asyncio.run(scenario()) == 1


def test_who_loses_patience_leaves_the_look_up_running_for_the_next():
    async def scenario():
        cached, asked = Cached(), Asked(seconds=0.1)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await cached.get("q", asked, seconds=1)
        return await cached.get("q", asked, seconds=1)

    assert asyncio.run(scenario()) == 1


def test_an_error_is_kept_for_a_second_so_that_a_part_that_is_away_is_not_stormed():
    async def scenario():
        cached, asked = Cached(), Asked(error=ValueError("away"))
        for _ in range(3):
            with pytest.raises(ValueError, match="away"):
                await cached.get("q", asked, seconds=60)
        soon = asked.times
        await asyncio.sleep(ERROR_SECONDS + 0.05)
        asked.error = None
        return soon, await cached.get("q", asked, seconds=60)

    assert asyncio.run(scenario()) == (1, 2)


def test_what_was_asked_longest_ago_is_forgotten_first():
    async def scenario():
        cached, first, other = Cached(capacity=2), Asked(), Asked()
        await cached.get("first", first, seconds=60)
        for n in range(3):
            await cached.get(f"other {n}", other, seconds=60)
        await cached.get("first", first, seconds=60)
        return first.times

    assert asyncio.run(scenario()) == 2


def test_closing_ends_what_still_runs():
    async def scenario():
        cached, asked = Cached(), Asked(seconds=60)
        waiting = asyncio.create_task(cached.get("q", asked, seconds=1))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await cached.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(scenario())
