"""A large key read by and by: a call of some thousand entries at a time, so that Redis answers others in between."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, TypeAlias, cast

from redis.asyncio import Redis

from workers.adapters.redis.translate import script_errors

SCAN_COUNT: Final = 2000
_Scan: TypeAlias = Callable[..., Awaitable[object]]


async def hash_pages(client: Redis, key: str) -> AsyncIterator[dict[bytes, bytes]]:
    """Fields and values; one may come twice."""
    async for page in _pages(client.hscan, key):
        yield cast("dict[bytes, bytes]", page)


async def set_pages(client: Redis, key: str) -> AsyncIterator[list[bytes]]:
    """Members of a set; one may come twice."""
    async for page in _pages(client.sscan, key):
        yield cast("list[bytes]", page)


async def sorted_pages(client: Redis, key: str) -> AsyncIterator[list[bytes]]:
    """Members of a sorted set without their scores; one may come twice."""
    async for page in _pages(client.zscan, key):
        yield [member for member, _ in cast("list[tuple[bytes, float]]", page)]


async def _pages(scan: _Scan, key: str) -> AsyncIterator[object]:
    cursor = 0
    while True:
        with script_errors("read the state back"):
            cursor, page = cast("tuple[int, object]", await scan(key, cursor=cursor, count=SCAN_COUNT))
        yield page
        if not cursor:
            return
