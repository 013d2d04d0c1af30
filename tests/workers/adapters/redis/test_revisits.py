"""Payload digest to original, on a real Valkey."""

from __future__ import annotations

import uuid

import pytest

from workers.adapters.redis.guard import Guard
from workers.adapters.redis.revisits import RedisRevisits
from workers.errors import EpochError
from workers.ports import Original

A, B, C = ("aa" * 32, "bb" * 32, "cc" * 32)


def original(digest: str, url: str = "https://a.test/ü?x=1") -> Original:
    return Original(f"urn:uuid:{uuid.uuid4()}", url, "2026-11-29T10:00:00.250000Z", digest)


def test_originals_are_found_by_digest_within_their_collection(on_redis):
    async def scenario(guard: Guard) -> None:
        index = RedisRevisits(guard)
        first, second = original(A), original(B, "https://b.test/")
        await index.publish("news", [first, second])
        assert await index.find("news", [A, C, B]) == {A: first, B: second}
        assert await index.find("other", [A]) == {}
        assert await index.find("news", []) == {}

    on_redis(scenario)


def test_the_first_original_of_a_payload_stays(on_redis):
    async def scenario(guard: Guard) -> None:
        index = RedisRevisits(guard)
        first = original(A)
        await index.publish("news", [first])
        await index.publish("news", iter([original(A, "https://copy.test/")]))
        assert await index.find("news", [A]) == {A: first}

    on_redis(scenario)


def test_an_emptied_redis_is_an_epoch_error_and_never_a_new_payload(on_redis):
    async def scenario(guard: Guard) -> None:
        index = RedisRevisits(guard)
        await guard.client.flushall()
        with pytest.raises(EpochError):
            await index.find("news", [A])
        with pytest.raises(EpochError):
            await index.publish("news", [original(A)])

    on_redis(scenario)
