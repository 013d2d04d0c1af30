"""The batches that one process has in hand: those that its task looks after, and slow ones that go on by themselves.

An answer may take a quarter of an hour. A task that waited for it would keep everything behind it waiting, so it leaves
such a batch here and ends; its lease, its heartbeats and its commits are its own. What bounds them all is here
too: how many there may be, and the connections that they share.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from workers import metrics
from workers.errors import CitevaultError, root_of
from workers.flows.capture.fetching import Fetching

LOG = logging.getLogger(__name__)
LOOK_SECONDS: Final = 0.25
CLOSE_SECONDS: Final = 8.0
"""For batches that end with their process: longer than answers on their way are waited for, and a commit on top; less
than a supervisor waits for a worker."""


@dataclass(frozen=True, slots=True, eq=False)
class BegunBatch:
    """A batch that is being captured."""

    batch_id: str
    work: asyncio.Task[bool]
    """To its last receipt; False: its lease was lost."""
    fetching: Fetching

    @property
    def goes_on(self) -> bool:
        """Whether something is still to be fetched."""
        return not self.fetching.over.is_set() and not self.work.done()

    @property
    def is_nearly_fetched(self) -> bool:
        """Whether little is still to be fetched."""
        return self.goes_on and self.fetching.nearly_over.is_set()

    @property
    def failed(self) -> bool:
        return self.work.done() and not self.work.cancelled() and self.work.exception() is not None

    async def until_fetched(self, seconds: float | None = None) -> None:
        """Until nothing is left to fetch, or so many seconds are over."""
        await self._until(self.fetching.over, seconds)

    async def until_nearly_fetched(self, seconds: float) -> None:
        """Until little is left to fetch, or so many seconds are over."""
        await self._until(self.fetching.nearly_over, seconds)

    async def _until(self, event: asyncio.Event, seconds: float | None) -> None:
        told = asyncio.create_task(event.wait())
        try:
            await asyncio.wait({self.work, told}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            told.cancel()


class Batches:
    """Of one process and its event loop."""

    def __init__(self, most: int = 8, connections: int = 128) -> None:
        """`most` batches at a time, with `connections` for all of them."""
        self._most = most
        self._begun: dict[str, BegunBatch] = {}
        self.connections = asyncio.Semaphore(connections)
        self.closing = False
        """The process ends: each is to come to its end."""

    def has(self, batch_id: str) -> bool:
        """Whether a batch is here. One whose lease was lost is until it has let go of its files."""
        return batch_id in self._begun

    @property
    def has_place(self) -> bool:
        return len(self._begun) < self._most and not self.closing

    def begin(self, batch_id: str, work: Callable[[Fetching], Coroutine[Any, Any, bool]]) -> BegunBatch:
        """Capture a batch; `work` says how far it is."""
        fetching = Fetching()
        begun = BegunBatch(batch_id, asyncio.create_task(work(fetching)), fetching)
        self._begun[batch_id] = begun
        begun.work.add_done_callback(lambda _: self._begun.pop(batch_id, None))
        return begun

    def leave(self, batches: Iterable[BegunBatch]) -> None:
        """Let these go on by themselves: nobody waits for them, so what goes wrong is told here."""
        for batch in batches:
            batch.work.add_done_callback(partial(_tell, batch.batch_id))

    async def place(self, until: Callable[[], bool]) -> bool:
        """Wait for a place for one more. False: `until` came first."""
        while not self.has_place:
            if until():
                return False
            await asyncio.sleep(LOOK_SECONDS)
        return True

    async def close(self) -> None:
        """Have all of them commit what they have and give back the rest; what takes too long is cut off."""
        self.closing = True
        running = {batch.work for batch in self._begun.values()}
        if running:
            await asyncio.wait(running, timeout=CLOSE_SECONDS)
        await ended(running)


async def ended(works: Iterable[asyncio.Task[bool]]) -> None:
    """Cancel what still runs, and wait for it."""
    running = {work for work in works if not work.done()}
    for work in running:
        work.cancel()
    if running:
        await asyncio.wait(running)


def _tell(batch_id: str, work: asyncio.Task[bool]) -> None:
    if work.cancelled() or (error := work.exception()) is None:
        return
    if isinstance(error, CitevaultError):
        metrics.ERRORS.labels("capture", root_of(error)).inc()
        LOG.error("batch failed batch=%s kind=%s error=%s", batch_id, root_of(error), error)
    else:
        LOG.error("batch failed batch=%s", batch_id, exc_info=error)
