"""A worker whose clock differs from Redis' begins no batch, says so, and goes on when the clock is right."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from workers.errors import RetryableError
from workers.flows.capture import right_clock
from workers.flows.capture.right_clock import wait_for_right_clock
from workers.frontier.clocks import apart

NOW = datetime(2026, 11, 29, 10, tzinfo=UTC)
MS = int(NOW.timestamp() * 1000)


class Set:
    """A clock that is wrong by an hour for so many looks."""

    def __init__(self, looks: int) -> None:
        self.looks, self.elapsed = looks, 0.0

    def now(self) -> datetime:
        self.looks -= 1
        return NOW + timedelta(hours=self.looks >= 0)

    def monotonic(self) -> float:
        self.elapsed += 1.0
        return self.elapsed


async def redis_ms() -> int:
    return MS


@pytest.mark.parametrize(("seconds", "said"), [(3600, "3600 s ahead of"), (-6, "6 s behind"), (4, None), (-4, None)])
def test_five_seconds_are_tolerated(seconds, said):
    trouble = apart(NOW + timedelta(seconds=seconds), MS, where="worker")
    assert (trouble is None) if said is None else (trouble is not None and said in trouble.what)


def test_a_batch_is_begun_when_the_clock_is_right_again(monkeypatch, caplog):
    monkeypatch.setattr(right_clock, "LOOK_SECONDS", 0.0)
    asyncio.run(wait_for_right_clock(redis_ms, Set(3), lambda: False))
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "NTP" in caplog.text


def test_a_clock_that_stays_wrong_leaves_the_batch_to_others(monkeypatch):
    monkeypatch.setattr(right_clock, "LOOK_SECONDS", 0.0)
    with pytest.raises(RetryableError, match="3600 s ahead of Redis"):
        asyncio.run(wait_for_right_clock(redis_ms, Set(10**6), lambda: False))
