"""No batch is begun where what is captured could not be kept, so that no page is asked for in vain: the spool can be
written, the disk is not nearly full, and this process has rested from what it could not keep. The message waits a
little, then the batch goes back as it is, for a worker that has room."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from workers import metrics
from workers.disk_faults import unkept
from workers.errors import UnkeptError
from workers.flows.capture.settings import CapturePorts, CaptureSettings

LOG = logging.getLogger(__name__)
LOOK_SECONDS: Final = 1.0


def has_room(free: int, least: int) -> bool:
    """Whether a batch may be begun."""
    return free >= least


def hindrance(ports: CapturePorts, settings: CaptureSettings, batch_id: str | None = None) -> UnkeptError | None:
    """Why this batch (None: any) may not be begun on the disk as it is now; None: it may."""
    try:
        free = ports.files.free_bytes()
        room = has_room(free, settings.spool_free_bytes)
        if room:
            ports.files.prove()
    except OSError as error:
        metrics.SPOOL_FREE.set(0)
        return unkept(error, "write to its spool, and begins no batch", settings.spool_place)
    metrics.SPOOL_FREE.set(free)
    if not room:
        return UnkeptError(
            f"no room for a batch: the spool has {free} bytes of room, and a batch is begun from "
            f"{settings.spool_free_bytes} on",
            where=settings.spool_place,
            next_step="make room where CITEVAULT_SPOOL_DIR is, or lower CITEVAULT_SPOOL_FREE_BYTES",
        )
    return ports.rests.hindrance(batch_id, ports.clock.monotonic())


async def wait_for_room(
    ports: CapturePorts, settings: CaptureSettings, stopping: Callable[[], bool], batch_id: str
) -> None:
    """Until nothing hinders this batch. UnkeptError where something does for too long, or the worker is to end."""
    until = ports.clock.monotonic() + settings.room_patience_seconds
    said = False
    while True:
        error = hindrance(ports, settings, batch_id)
        if error is None:
            return
        if not said:
            LOG.warning("%s; nothing is lost, and work goes on by itself", error)
            said = True
        if stopping() or ports.clock.monotonic() >= until:
            raise error
        await asyncio.sleep(LOOK_SECONDS)
