"""No batch is begun on a disk that is nearly full: what was captured could not be kept, and pages would be asked for in
vain. The message waits a little, then the batch goes back as it is, for a worker that has room."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from workers import metrics
from workers.errors import RetryableError
from workers.flows.capture.settings import CaptureSettings
from workers.ports import Clock, SegmentFiles

LOG = logging.getLogger(__name__)
LOOK_SECONDS: Final = 1.0


def has_room(free: int, least: int) -> bool:
    """Whether a batch may be begun."""
    return free >= least


def room_now(files: SegmentFiles, settings: CaptureSettings) -> bool:
    """The same of the disk as it is."""
    free = files.free_bytes()
    metrics.SPOOL_FREE.set(free)
    return has_room(free, settings.spool_free_bytes)


async def wait_for_room(
    files: SegmentFiles, clock: Clock, settings: CaptureSettings, stopping: Callable[[], bool]
) -> None:
    """Until there is room. RetryableError where there is none in time, or the worker is to end."""
    until = clock.monotonic() + settings.room_patience_seconds
    said = False
    while True:
        if room_now(files, settings):
            return
        free = files.free_bytes()
        if not said:
            LOG.warning(
                "no room for a batch: free=%d least=%d where=%s; next: make room there, or lower "
                "CITEVAULT_SPOOL_FREE_BYTES; nothing is lost, and work goes on by itself",
                free, settings.spool_free_bytes, settings.spool_place,
            )  # fmt: skip
            said = True
        if stopping() or clock.monotonic() >= until:
            raise RetryableError(
                f"the spool has {free} bytes of room, and a batch is begun from {settings.spool_free_bytes} on",
                where=settings.spool_place,
                next_step="make room where CITEVAULT_SPOOL_DIR is, or lower CITEVAULT_SPOOL_FREE_BYTES",
            )
        await asyncio.sleep(LOOK_SECONDS)
