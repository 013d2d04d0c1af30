"""Reading much: some requests ahead, so that neither who is asked nor who reads waits for the other."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Final, TypeVar

READS_AT_ONCE: Final = 12
"""Below the connections that an S3 client keeps, so that others get a word in."""
T = TypeVar("T")


async def read_ahead(
    keys: Iterable[str], read: Callable[[str], Awaitable[T]], *, at_once: int = READS_AT_ONCE
) -> AsyncIterator[tuple[str, T]]:
    """Each key with what was read, in the order of the keys; `at_once` reads run at a time. An error of a read is
    raised where its key is reached."""
    waiting = iter(keys)
    running: deque[tuple[str, asyncio.Future[T]]] = deque()
    try:
        while True:
            while len(running) < at_once and (key := next(waiting, None)) is not None:
                running.append((key, asyncio.ensure_future(read(key))))
            if not running:
                return
            key, reading = running.popleft()
            yield key, await reading
    finally:
        for _, reading in running:
            reading.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await reading


async def all_or_none(asked: Iterable[Coroutine[None, None, T]]) -> list[T]:
    """What all of them give, side by side, in their order. Where one fails the others are ended, and its error is
    raised."""
    running = [asyncio.ensure_future(each) for each in asked]
    try:
        return await asyncio.gather(*running)
    finally:
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)
