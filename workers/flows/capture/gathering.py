"""Visits that have ended, until they are written: many at a time, with one look-up for the payloads of all of them.

A look-up costs a third of what a page costs, and is as dear for one page as for fifty. So who captures hands a visit
over and goes on to the next page, and what comes within some milliseconds is written together. That is little beside
the second after which it is fsynced, and what a killed worker had not written is fetched again as it always was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from schemas.records.outcome import Hop
from workers.flows.capture.waiting import Waiting

GATHER_SECONDS: Final = 0.02
MOST, MOST_BYTES = 64, 4 * 1024 * 1024
"""What may wait before those who bring more have to wait for it, so that a slow store or disk holds captures back."""


class Gathering:
    """Visits of one batch. `write` writes some of them, and says in each that it is done. Safe for many coroutines of
    one loop."""

    def __init__(self, write: Callable[[list[Waiting]], Awaitable[None]]) -> None:
        self._write = write
        self._turn = asyncio.Lock()
        """Whoever has it writes everything that waits."""
        self._waiting: list[Waiting] = []
        self._bytes = 0
        """Of the bodies that were handed over since the last time."""
        self._came = asyncio.Event()

    async def write(self, visit: Waiting) -> tuple[Hop, ...]:
        """Have a visit written now; its hops."""
        self._waiting.append(visit)
        async with self._turn:
            if not visit.written:
                await self._write_all()
        return visit.hops

    async def put(self, visit: Waiting) -> None:
        """Have a visit written soon, by `keep` or whoever writes next. What fails then is raised there."""
        self._waiting.append(visit)
        self._bytes += visit.size
        self._came.set()
        if len(self._waiting) >= MOST or self._bytes >= MOST_BYTES:
            await self.drain()

    async def drain(self) -> None:
        """Write all that waits."""
        async with self._turn:
            await self._write_all()

    async def keep(self) -> None:
        """Write what was handed over, some milliseconds' worth at a time. Runs until it is cancelled."""
        while True:
            await self._came.wait()
            self._came.clear()
            await asyncio.sleep(GATHER_SECONDS)
            await self.drain()

    async def _write_all(self) -> None:
        together, self._waiting, self._bytes = self._waiting, [], 0
        try:
            await self._write(together)
        finally:  # what was not written waits again, as long as the batch goes on
            self._waiting[:0] = [visit for visit in together if not visit.written]
