"""Reading many objects: some requests ahead, so that neither the store nor who reads waits for the other."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
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
