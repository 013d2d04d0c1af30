"""A batch is held while it is captured: heartbeats extend its lease, tell what is waited for, and hear when to end.
Work stops before the lease could end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from workers.disk_faults import unkept
from workers.errors import FencedError, RetryableError
from workers.flows.capture.fetching import Fetching
from workers.flows.capture.settings import CapturePorts, CaptureSettings
from workers.ports import Asked, Held, Lease

LOG = logging.getLogger(__name__)
LEASE_MARGIN_SECONDS: Final = 5.0


@dataclass(slots=True, eq=False)
class Course:
    """How a batch gets on, for those who look after it."""

    fetching: Fetching = field(default_factory=Fetching)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    """Its job was paused or cancelled."""
    asked: Callable[[], Sequence[Asked]] = tuple
    """What is waited for, the longest first."""


async def hold(
    lease: Lease,
    ports: CapturePorts,
    settings: CaptureSettings,
    work: Coroutine[Any, Any, None],
    course: Course,
) -> bool:
    """Run the work while heartbeats keep the lease; cancel it before the lease could end. Where the job was paused or
    cancelled, the work is told, comes to an end of its own, and hands back what is left. False: the lease was lost."""
    clock = ports.clock
    held_until = clock.monotonic() + lease.seconds
    task = asyncio.create_task(work)
    try:
        while True:
            await asyncio.wait({task}, timeout=settings.heartbeat_seconds)
            if task.done():
                return await _outcome(task, lease, settings)
            asked_at, now_ms = clock.monotonic(), int(clock.now().timestamp() * 1000)
            try:
                held = await ports.frontier.heartbeat(lease, now_ms=now_ms, asked=course.asked())
                if held is Held.LOST:
                    break
                if held is Held.STOPPED:
                    course.stop.set()
                held_until = asked_at + lease.seconds
            except RetryableError as error:
                LOG.warning("no heartbeat batch=%s error=%s", lease.batch.batch_id, error)
            margin = min(LEASE_MARGIN_SECONDS, lease.seconds / 4)
            if clock.monotonic() + settings.heartbeat_seconds > held_until - margin:
                break
        LOG.warning("lease lost batch=%s", lease.batch.batch_id)
        return False
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


async def _outcome(task: asyncio.Task[None], lease: Lease, settings: CaptureSettings) -> bool:
    try:
        await task
    except FencedError as error:
        LOG.warning("fenced batch=%s error=%s", lease.batch.batch_id, error)
        return False
    except OSError as error:
        if error.errno is None:  # a time-out of our own: no fault of the disk
            raise
        where = str(error.filename or "")
        raise unkept(error, "keep what was captured", settings.spool_place, where=where) from error
    return True
