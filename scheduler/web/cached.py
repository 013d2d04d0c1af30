"""Look-ups shared between requests: one at a time for each question, and its answer kept for a moment.

A hundred open pages ask the same question every other second; the archive hears it once. A look-up whose asker has
gone away, or lost patience, goes on, so that the next asker finds its answer, and a slow store is not asked again
and again. Errors are kept too, for a second.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

T = TypeVar("T")

CAPACITY = 512
ERROR_SECONDS = 1.0
COST_FACTOR = 10.0
"""An answer that took a second is kept for ten: looking takes a tenth of the time at most."""


class Cached:
    """Answers by question. Belongs to one event loop."""

    def __init__(self, *, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._tasks: OrderedDict[str, asyncio.Task[object]] = OrderedDict()
        self._good_until: dict[str, float] = {}

    async def get(self, question: str, look: Callable[[], Awaitable[T]], *, seconds: float) -> T:
        """The answer, at most `seconds` old, or ten times as old as it took to find."""
        task = self._tasks.get(question)
        now = asyncio.get_running_loop().time()
        if task is None or (task.done() and self._good_until.get(question, 0.0) <= now):
            task = asyncio.create_task(self._look(question, look, seconds))
            task.add_done_callback(_retrieve)
            self._tasks[question] = task
        self._tasks.move_to_end(question)
        self._shrink()
        return cast(T, await asyncio.shield(task))

    async def close(self) -> None:
        """End the look-ups that still run."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self._tasks.clear()

    async def _look(self, question: str, look: Callable[[], Awaitable[T]], seconds: float) -> T:
        clock = asyncio.get_running_loop().time
        started = clock()
        keep = ERROR_SECONDS
        try:
            answer = await look()
            keep = max(seconds, COST_FACTOR * (clock() - started))
        finally:
            self._good_until[question] = clock() + keep
        return answer

    def _shrink(self) -> None:
        """Forget what was asked longest ago; what still runs is left."""
        for question in list(self._tasks):
            if len(self._tasks) <= self._capacity:
                return
            if self._tasks[question].done():
                del self._tasks[question]
                self._good_until.pop(question, None)


def _retrieve(task: asyncio.Task[object]) -> None:
    """An error that nobody waited for is not worth a warning: the next asker gets one of its own."""
    if not task.cancelled():
        task.exception()
