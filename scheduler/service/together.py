"""Works that begin and end as one, without cutting a call in the middle where that can be helped.

A cancelled call to Redis may leave a connection behind, and one to S3 an upload; so each work is asked to end,
and cancelled only when it takes too long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import TypeAlias

Work: TypeAlias = Callable[[asyncio.Event], Coroutine[None, None, None]]
"""Something that goes on until the event is set."""


async def together(works: Sequence[Work], *, stopping: asyncio.Event, grace_seconds: float) -> None:
    """Run all until `stopping` is set or the first of them ends; then end the others. Raises the error of one that
    failed, in the order of `works`; others that fail at the same time have the same cause."""
    ending = asyncio.Event()
    tasks = [asyncio.create_task(work(ending)) for work in works]
    asked = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({*tasks, asked}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        ending.set()
        asked.cancel()
        _, late = await asyncio.wait(tasks, timeout=grace_seconds)
        for task in late:
            task.cancel()
        await asyncio.wait({*tasks, asked})
    errors = [task.exception() for task in tasks if not task.cancelled()]
    for error in errors:
        if error is not None:
            raise error


async def pause(seconds: float, ending: asyncio.Event) -> None:
    """Sleep, but not beyond the end."""
    with suppress(TimeoutError):
        await asyncio.wait_for(ending.wait(), seconds)
