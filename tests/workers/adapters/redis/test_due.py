"""The queue of what is due, on a real Valkey."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.adapters.redis.due import RedisDueQueue, pack, unpack
from workers.adapters.redis.guard import Guard
from workers.errors import EpochError
from workers.frontier import names
from workers.ports import DueAt, DueCounts

NAMES = [f"sch-{number:016x}" for number in range(5000)]
BYTES_AN_ENTRY = 100


def test_what_is_due_comes_soonest_first_and_what_is_not_stays(on_redis):
    async def scenario(guard: Guard) -> None:
        due = RedisDueQueue(guard)
        await due.put([DueAt(NAMES[0], 300), DueAt(NAMES[1], 100), DueAt(NAMES[2], 200), DueAt(NAMES[3], 900)])
        assert await due.due(now_ms=300, limit=10) == [
            DueAt(NAMES[1], 100),
            DueAt(NAMES[2], 200),
            DueAt(NAMES[0], 300),
        ]
        assert await due.due(now_ms=300, limit=1) == [DueAt(NAMES[1], 100)]
        assert await due.counts(now_ms=300) == DueCounts(waiting=4, due=3, first_ms=100)

    on_redis(scenario)


def test_a_later_word_counts_and_what_is_dropped_is_gone(on_redis):
    async def scenario(guard: Guard) -> None:
        due = RedisDueQueue(guard)
        await due.put([DueAt(name, 1) for name in NAMES])
        await due.put([DueAt(NAMES[0], 1_700_000_000_123)])
        await due.drop([*NAMES[1:], "sch-ffffffffffffffff"])
        assert await due.due(now_ms=2_000_000_000_000, limit=10) == [DueAt(NAMES[0], 1_700_000_000_123)]
        await due.drop(NAMES[:1])
        assert await due.counts(now_ms=1) == DueCounts(0, 0, None)
        await due.put([])
        await due.drop([])

    on_redis(scenario)


def test_an_emptied_redis_never_says_that_nothing_is_due(on_redis):
    async def scenario(guard: Guard) -> None:
        due = RedisDueQueue(guard)
        await guard.client.delete(names.EPOCH)
        for call in (due.put([DueAt(NAMES[0], 1)]), due.drop(NAMES[:1]), due.due(now_ms=1, limit=1)):
            with pytest.raises(EpochError):
                await call

    on_redis(scenario)


def test_an_entry_takes_fewer_than_a_hundred_bytes(on_redis):
    async def scenario(guard: Guard) -> None:
        due = RedisDueQueue(guard)
        await due.put([DueAt(name, 1_700_000_000_000 + number) for number, name in enumerate(NAMES)])
        used = await guard.client.memory_usage(names.DUE, samples=0)
        assert used / len(NAMES) < BYTES_AN_ENTRY

    on_redis(scenario)


@given(st.integers(0, 2**64 - 1))
def test_ids_are_packed_into_eight_bytes(number: int):
    assert unpack(pack(f"sch-{number:016x}")) == f"sch-{number:016x}"
    assert len(pack(f"sch-{number:016x}")) == 8


@pytest.mark.parametrize("wrong", ["sch-00", "job-0000000000000000", "sch-000000000000000g"])
def test_another_id_is_refused(wrong: str):
    with pytest.raises(ValueError, match=r"schedule id|hexadecimal"):
        pack(wrong)
