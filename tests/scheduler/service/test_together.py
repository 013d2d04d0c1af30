"""Works that begin and end as one."""

from __future__ import annotations

import asyncio

import pytest

from scheduler.service.together import pause, together


async def patient(ending: asyncio.Event) -> None:
    await ending.wait()


def test_the_failure_of_one_ends_all_and_is_raised():
    async def scenario() -> None:
        ended = False

        async def other(ending: asyncio.Event) -> None:
            nonlocal ended
            await ending.wait()
            ended = True

        async def failing(ending: asyncio.Event) -> None:
            raise LookupError

        with pytest.raises(LookupError):
            await together([patient, other, failing], stopping=asyncio.Event(), grace_seconds=5)
        assert ended, "it came to its end by itself"

    asyncio.run(scenario())


def test_who_does_not_end_in_time_is_cancelled():
    async def scenario() -> None:
        stopping = asyncio.Event()

        async def deaf(ending: asyncio.Event) -> None:
            stopping.set()
            await asyncio.sleep(60)

        await asyncio.wait_for(together([patient, deaf], stopping=stopping, grace_seconds=0.05), 5)

    asyncio.run(scenario())


def test_a_pause_ends_with_everything_else():
    async def scenario() -> None:
        ending = asyncio.Event()
        asyncio.get_running_loop().call_later(0.01, ending.set)
        await asyncio.wait_for(pause(60, ending), 5)
        await pause(0.01, asyncio.Event())

    asyncio.run(scenario())
