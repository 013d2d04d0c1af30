"""No batch is begun by a clock that differs from Redis': leases are noted as times, so that one given by a clock an
hour ahead would outlive its dead worker by an hour, and one by a clock behind would be over when it begins. The message
waits a little, then the batch goes to a worker whose clock is right.

A clock that is set while a batch is held costs the lease at the next heartbeat, or its extension; what was captured is
committed by the store's word, not by the clock's.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from workers.frontier.clocks import apart
from workers.ports import Clock

LOG = logging.getLogger(__name__)
LOOK_SECONDS: Final = 1.0
PATIENCE_SECONDS: Final = 30.0


async def wait_for_right_clock(
    redis_ms: Callable[[], Awaitable[int]], clock: Clock, stopping: Callable[[], bool]
) -> None:
    """Until the clocks agree. RetryableError where they do not in time, or the worker is to end."""
    until = clock.monotonic() + PATIENCE_SECONDS
    said = False
    while True:
        trouble = apart(clock.now(), await redis_ms(), where="worker")
        if trouble is None:
            return
        if not said:
            LOG.warning("no batch is begun: %s", trouble)
            said = True
        if stopping() or clock.monotonic() >= until:
            raise trouble
        await asyncio.sleep(LOOK_SECONDS)
