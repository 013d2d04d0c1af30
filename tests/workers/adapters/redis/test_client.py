"""Connecting to Redis: bytes come back, and what goes wrong is told in our words."""

import asyncio

import pytest
from redis import exceptions

from workers.adapters.redis.client import connect, redis_errors, translated
from workers.errors import PermanentError, RetryableError


def test_a_client_answers_bytes_and_waits_for_a_free_connection(redis_url: str) -> None:
    async def scenario() -> list[object]:
        client = connect(redis_url, connections=2)
        try:
            await client.set("key", b"\xff\x00")
            return list(await asyncio.gather(*(client.get("key") for _ in range(20))))
        finally:
            await client.aclose()

    assert asyncio.run(scenario()) == [b"\xff\x00"] * 20


@pytest.mark.real
def test_a_missing_redis_is_retryable_and_says_what_to_start() -> None:
    async def scenario() -> None:
        client = connect("redis://:hunter2@127.0.0.1:1/0")
        try:
            with redis_errors("redis://:hunter2@127.0.0.1:1/0"):
                await client.ping()
        finally:
            await client.aclose()

    with pytest.raises(RetryableError, match="citevault up") as refused:
        asyncio.run(scenario())
    assert refused.value.where == "redis://127.0.0.1:1"
    assert "hunter2" not in str(refused.value)


def test_a_wrong_password_is_permanent(redis_url: str) -> None:
    async def scenario() -> None:
        host = redis_url.rpartition("@")[2]
        client = connect(f"redis://:wrong@{host}")
        try:
            with redis_errors():
                await client.ping()
        finally:
            await client.aclose()

    with pytest.raises(PermanentError, match="password"):
        asyncio.run(scenario())


@pytest.mark.parametrize(
    ("foreign", "expected", "words"),
    [
        (exceptions.BusyLoadingError("LOADING"), RetryableError, "loading"),
        (exceptions.OutOfMemoryError("OOM"), RetryableError, "no memory"),
        (exceptions.ReadOnlyError("READONLY"), RetryableError, "replica"),
        (exceptions.TimeoutError("t"), RetryableError, "in time"),
        (exceptions.ResponseError("ERR unknown\nsecond line"), PermanentError, "Redis says: ERR unknown"),
    ],
)
def test_each_error_names_the_next_move(foreign: Exception, expected: type[Exception], words: str) -> None:
    ours = translated(foreign, "redis://h:1/0")
    assert type(ours) is expected
    assert words in ours.what
    assert "second line" not in ours.what
