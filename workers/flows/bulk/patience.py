"""Waiting, within a run, for a Redis or a store that is away for a moment.

A run goes on from its folder, whatever it died of. So one that is interrupted is begun again in the same process, after
a pause, and finds what it has done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from workers.errors import RetryableError
from workers.flows.compact import Progress

PAUSES: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Seconds, about a minute in all: longer than a Redis takes to start again with the state of a million pages."""
T = TypeVar("T")
Interrupted = Callable[[RetryableError, float], None]
"""Hears what a run was interrupted by, and in how many seconds it goes on."""


@dataclass(slots=True)
class Furthest:
    """How far a run has come, over all its beginnings."""

    told: Callable[[Progress], None]
    _best: dict[str, int] = field(default_factory=dict)
    _moved: bool = False

    def __call__(self, progress: Progress) -> None:
        """Tell of progress, and note whether the run was as far as that before."""
        if progress.done > self._best.get(progress.what, 0):
            self._best[progress.what] = progress.done
            self._moved = True
        self.told(progress)

    def moved(self) -> bool:
        """Whether it has come further since somebody asked."""
        moved, self._moved = self._moved, False
        return moved


async def patiently(
    run: Callable[[], Awaitable[T]], furthest: Furthest, interrupted: Interrupted, pauses: Sequence[float] = PAUSES
) -> T:
    """Run it; after a RetryableError again, as often as there are pauses and nothing new was done between."""
    tries = 0
    while True:
        try:
            return await run()
        except RetryableError as error:
            if furthest.moved():
                tries = 0
            if tries == len(pauses):
                raise RetryableError(
                    f"given up after {tries + 1} tries: {error.what}",
                    where=error.where,
                    next_step="see that Redis and S3 answer (`citevault doctor`), then run it again: it goes on",
                ) from error
            pause = pauses[tries]
            tries += 1
            interrupted(error, pause)
            await asyncio.sleep(pause)
