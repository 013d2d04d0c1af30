"""Connections to Redis or Valkey, and its errors in our words.

Nothing is retried here. A script that lost its answer may have run, and only its caller knows whether running it
again is harmless. A connection that the server has closed meanwhile is noticed when it is taken from the pool.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias
from urllib.parse import urlsplit

import redis.asyncio
from redis import exceptions
from redis.asyncio.connection import BlockingConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from workers.adapters.redis.packed import PackedConnection
from workers.errors import CitevaultError, PermanentError, RetryableError

AsyncRedis: TypeAlias = redis.asyncio.Redis

SOCKET_SECONDS = 10.0
CONNECT_SECONDS = 5.0
HEALTH_SECONDS = 30


def connect(
    url: str, *, connections: int = 16, timeout_seconds: float = SOCKET_SECONDS, name: str = "citevault"
) -> AsyncRedis:
    """A client whose answers are bytes. It connects with its first command; `aclose()` it in the loop that used it.

    At most `connections` at a time; further commands wait for one.
    """
    pool = BlockingConnectionPool.from_url(
        url,
        connection_class=PackedConnection,  # over TLS or a Unix socket, the URL has its own
        max_connections=connections,
        timeout=timeout_seconds,
        socket_timeout=timeout_seconds,
        socket_connect_timeout=min(CONNECT_SECONDS, timeout_seconds),
        health_check_interval=HEALTH_SECONDS,
        retry=Retry(NoBackoff(), 0),
        client_name=name,
    )
    return redis.asyncio.Redis.from_pool(pool)


async def fresh_connections(client: AsyncRedis, *, patience_seconds: float = 10.0) -> None:
    """Before a piece of work: connections that died while nobody used them are dropped, and a Redis that is just being
    restarted is waited for. RetryableError where it stays away."""
    deadline = time.monotonic() + patience_seconds
    while True:
        try:
            with redis_errors():
                await client.ping()
            return
        except RetryableError:
            await client.connection_pool.disconnect(inuse_connections=False)
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.2)


@contextmanager
def redis_errors(url: str = "") -> Iterator[None]:
    """Foreign exceptions of the block become ours."""
    try:
        yield
    except (TimeoutError, exceptions.RedisError, OSError) as foreign:
        raise translated(foreign, url) from foreign


def translated(foreign: BaseException, url: str = "") -> CitevaultError:
    """The error that says what the caller may do about a foreign one."""
    where = address(url)
    match foreign:
        case exceptions.AuthenticationError() | exceptions.NoPermissionError():
            return PermanentError(
                "Redis refuses the password", where=where, next_step="correct the one in CITEVAULT_REDIS_URL"
            )
        case exceptions.BusyLoadingError():
            return RetryableError("Redis is still loading its data", where=where, next_step="wait")
        case exceptions.OutOfMemoryError():
            return RetryableError(
                "Redis has no memory left", where=where, next_step="raise its maxmemory or pause the jobs"
            )
        case exceptions.ResponseError() if str(foreign).startswith("MISCONF"):
            return RetryableError(
                f"Redis refuses writes, since it cannot keep them ({_first_line(foreign)})",
                where=where,
                next_step="make room on its disk, where its append-only file is; it goes on by itself",
            )
        case exceptions.ReadOnlyError():
            return RetryableError(
                "Redis answers as a replica", where=where, next_step="point CITEVAULT_REDIS_URL at the primary"
            )
        case exceptions.TimeoutError() | TimeoutError():
            return RetryableError("Redis did not answer in time", where=where, next_step="try again")
        case exceptions.ConnectionError() | OSError():
            return RetryableError(
                f"no connection to Redis ({_first_line(foreign)})",
                where=where,
                next_step="start it with `citevault up`, or set CITEVAULT_REDIS_URL",
            )
        case _:
            return PermanentError(f"Redis says: {_first_line(foreign)}", where=where)


def address(url: str) -> str:
    """The URL without its password, for messages."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or parts.path
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    return f"{parts.scheme}://{host}{port}" if parts.scheme else ""


def _first_line(foreign: BaseException) -> str:
    return (str(foreign).splitlines() or [type(foreign).__name__])[0][:200]
