"""A step of a commit is tried until it is taken: what comes after it names what it stored."""

from __future__ import annotations

import asyncio

import pytest

from workers.errors import PermanentError, RetryableError
from workers.flows.capture import insist as insisting


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(insisting, "RETRY_SECONDS", (0.0, 0.0))


def test_a_store_that_is_away_for_longer_than_a_night_is_waited_for() -> None:
    tries = 0

    async def step() -> None:
        nonlocal tries
        tries += 1
        if tries <= 3000:  # pauses of 15 s: twelve hours
            raise RetryableError("the store is away")

    asyncio.run(insisting.insist(step))
    assert tries == 3001


def test_what_will_fail_again_is_not_tried_again() -> None:
    async def step() -> None:
        raise PermanentError("no such bucket")

    with pytest.raises(PermanentError):
        asyncio.run(insisting.insist(step))
