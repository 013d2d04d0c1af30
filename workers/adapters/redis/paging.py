"""A large key read by and by: a call of some thousand entries at a time, so that Redis answers others in between."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Final, TypeAlias, cast

from redis.asyncio import Redis

from workers.adapters.redis.patience import patiently
from workers.adapters.redis.translate import script_errors

SCAN_COUNT: Final = 2000
READ_BACK: Final = "read the state back"
_Scan: TypeAlias = Callable[..., Awaitable[object]]


async def hash_pages(client: Redis, key: str) -> AsyncIterator[dict[bytes, bytes]]:
    """Fields and values; one may come twice."""
    async for page in _pages(partial(client.hscan, key)):
        yield cast("dict[bytes, bytes]", page)


async def set_pages(client: Redis, key: str) -> AsyncIterator[list[bytes]]:
    """Members of a set; one may come twice."""
    async for page in _pages(partial(client.sscan, key)):
        yield cast("list[bytes]", page)


async def sorted_pages(client: Redis, key: str) -> AsyncIterator[list[bytes]]:
    """Members of a sorted set without their scores; one may come twice."""
    async for page in _pages(partial(client.zscan, key)):
        yield [member for member, _ in cast("list[tuple[bytes, float]]", page)]


async def key_pages(client: Redis, prefix: bytes) -> AsyncIterator[list[bytes]]:
    """Names of all keys that begin with this; one may come twice."""
    async for page in _pages(partial(client.scan, match=prefix + b"*")):
        yield cast("list[bytes]", page)


async def _pages(scan: _Scan) -> AsyncIterator[object]:
    cursor = 0
    while True:
        cursor, page = await patiently(partial(_page, scan, cursor), READ_BACK)
        yield page
        if not cursor:
            return


async def _page(scan: _Scan, cursor: int) -> tuple[int, object]:
    with script_errors(READ_BACK):
        return cast("tuple[int, object]", await scan(cursor=cursor, count=SCAN_COUNT))
