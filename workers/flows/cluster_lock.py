"""The right to write clusters: one worker at a time, since ids depend on the order of births."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from workers.errors import RetryableError
from workers.ports import Clock, ClusterState

LOCK_SECONDS = 60.0
RENEW_SECONDS = 10.0
WAIT_SECONDS = LOCK_SECONDS + 5  # a worker that died holds the lock that long
POLL_SECONDS = 0.05  # deciding on a segment takes some tenths of a second


@dataclass(slots=True)
class ClusterLock:
    """A held lock. It may be lost at any moment; every write checks the token again, in the same step."""

    state: ClusterState
    clock: Clock
    token: str
    renewed_at: float

    async def keep(self) -> None:
        """Hold it longer, when it is time to."""
        now = self.clock.monotonic()
        if now - self.renewed_at >= RENEW_SECONDS:
            self.check(await self.state.keep(self.token, LOCK_SECONDS))
            self.renewed_at = now

    @staticmethod
    def check(held: bool) -> None:
        """Stop where a write was refused."""
        if not held:
            raise RetryableError("another worker took over the clustering", where="clusters", next_step="try again")


@asynccontextmanager
async def cluster_lock(
    state: ClusterState, clock: Clock, meanwhile: Callable[[], Awaitable[None]] | None = None
) -> AsyncIterator[ClusterLock]:
    """Hold the lock within the block. `meanwhile` is called again and again while another worker has it.
    RetryableError where one has it for longer than it may be dead."""
    started = clock.monotonic()
    while (token := await state.hold(LOCK_SECONDS)) is None:
        if clock.monotonic() - started > WAIT_SECONDS:
            raise RetryableError("another worker is clustering", where="clusters", next_step="try again later")
        if meanwhile is not None:
            await meanwhile()
        await asyncio.sleep(POLL_SECONDS)
    try:
        yield ClusterLock(state, clock, token, clock.monotonic())
    finally:
        await state.release(token)
