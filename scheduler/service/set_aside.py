"""Telling of batches that are set aside, for as long as there are any."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from scheduler.service.ticking import WorkLog
from scheduler.stuck import aside_sentence
from workers.ports import BatchAside

NAME: Final = "set aside"
"""Under which it stands among the scheduler's troubles."""
Aside = Callable[[], Awaitable[Sequence[BatchAside]]]


async def tell_aside(aside: Aside, log: WorkLog) -> int:
    """One look; the tick's number of pieces of work, which is none."""
    found = await aside()
    if found:
        log.troubles[NAME] = aside_sentence(found)
    else:
        log.troubles.pop(NAME, None)
    return 0
