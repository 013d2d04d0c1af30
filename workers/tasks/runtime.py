"""What a worker process needs to run flows: one event loop, and the archive that lives in it.

Made by the first task of a process, after the fork, since neither connections nor threads survive one.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TypeVar

from workers.adapters.redis.client import fresh_connections
from workers.bootstrap import Archive, open_archive
from workers.config import Settings
from workers.tasks import collector
from workers.tasks.loop import LoopThread

T = TypeVar("T")


class Runtime:
    """Runs a flow in this process, with the archive it needs."""

    def __init__(self, settings: Settings, *, stopping: Callable[[], bool] = lambda: False) -> None:
        self._settings = settings
        self.stopping = stopping
        """Whether this worker is to end."""
        self._process = 0
        self._loop: LoopThread | None = None
        self._archive: Archive | None = None
        self._stack = AsyncExitStack()

    def run(self, flow: Callable[[Archive], Awaitable[T]]) -> T:
        """Run one flow to its end."""
        return self._own_loop().run(self._on_archive(flow))

    def warm(self, flow: Callable[[Archive], Awaitable[object]]) -> None:
        """Start what the first task would wait for, without waiting; what fails here fails again there."""
        self._own_loop().start(self._on_archive(flow))

    def _own_loop(self) -> LoopThread:
        """The loop of this process; one that was inherited by a fork is of no use."""
        if self._loop is None or self._process != os.getpid():
            self._process, self._loop, self._archive = os.getpid(), LoopThread(), None
        return self._loop

    async def _on_archive(self, flow: Callable[[Archive], Awaitable[T]]) -> T:
        if self._archive is None:
            self._archive = await self._stack.enter_async_context(open_archive(self._settings))
            collector.settle()
        await fresh_connections(self._archive.redis)
        return await flow(self._archive)

    def close(self) -> None:
        """Give back connections and the loop, at the end of a process."""
        if self._loop is not None and self._process == os.getpid():
            self._loop.run(self._stack.aclose())
            self._loop.stop()
            self._loop = None
