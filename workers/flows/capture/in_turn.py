"""Batch after batch, as long as some wait: the next one is fetched while the last one commits.

A batch ends with a quarter of a second in which its worker waits for the store, and the next begins with another until
its first answers come. So a worker that has fetched a batch takes another of the lane by itself, without Celery. The
message of that one, which some worker gets later, finds it taken: to lose or to double a message never mattered.

At most one batch commits while another is fetched, and nothing new is begun so late that the task would outlive
the time for which Redis keeps its message from others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from schemas.messages import CaptureBatch
from schemas.records.job import Lane
from workers.capture.transport import Transport
from workers.flows.capture.batch import capture_leased, claimed
from workers.flows.capture.resume import drop_ended
from workers.flows.capture.robots import RobotsCache
from workers.flows.capture.room import hindrance, wait_for_room
from workers.flows.capture.settings import CapturePorts, CaptureSettings
from workers.ports import Lease


async def capture_in_turn(
    message: CaptureBatch,
    ports: CapturePorts,
    settings: CaptureSettings,
    transport: Transport,
    robots: RobotsCache,
    stopping: Callable[[], bool] = lambda: False,
    *,
    most: int | None = None,
) -> int:
    """Capture the batch of a message and those that wait behind it, `most` in all; how many were held to their end.
    `stopping`: asked now and then whether this process is to end. Where the job is paused or cancelled, the same is
    done. RetryableError where a store, or this machine, cannot keep what is captured: nothing of a batch is lost by
    it."""
    await wait_for_room(ports, settings, stopping, message.batch_id)
    begin_until = ports.clock.monotonic() + settings.batch_seconds / 2
    lease = await claimed(message.batch_id, ports, settings)
    batches: list[asyncio.Task[bool]] = []
    try:
        while lease is not None:
            fetched = asyncio.Event()
            batches.append(
                asyncio.create_task(capture_leased(lease, ports, settings, transport, robots, stopping, fetched))
            )
            await _until_fetched(batches[-1], fetched)
            await _all_done(batches[:-1])
            if len(batches) == most or stopping() or ports.clock.monotonic() > begin_until or _any_failed(batches):
                break
            if hindrance(ports, settings) is not None:
                break
            lease = await _another(message.lane, ports, settings)
        await _all_done(batches)
    finally:
        await _ended(batches)
    await drop_ended(ports)
    return sum([await batch for batch in batches])


async def _until_fetched(batch: asyncio.Task[bool], fetched: asyncio.Event) -> None:
    told = asyncio.create_task(fetched.wait())
    try:
        await asyncio.wait({batch, told}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        told.cancel()


async def _all_done(batches: list[asyncio.Task[bool]]) -> None:
    """One that fails does not take the others with it."""
    if batches:
        await asyncio.wait(batches)


def _any_failed(batches: list[asyncio.Task[bool]]) -> bool:
    return any(batch.done() and batch.exception() is not None for batch in batches)


async def _another(lane: Lane, ports: CapturePorts, settings: CaptureSettings) -> Lease | None:
    """A batch that waits for a worker, the longest first; None where there is none, or others were quicker."""
    for batch_id in await ports.frontier.waiting(lane):
        if ports.rests.hindrance(batch_id, ports.clock.monotonic()) is not None:
            continue
        lease = await claimed(batch_id, ports, settings)
        if lease is not None:
            return lease
    return None


async def _ended(batches: list[asyncio.Task[bool]]) -> None:
    """None goes on when the task ends, however it ends."""
    running = {batch for batch in batches if not batch.done()}
    for batch in running:
        batch.cancel()
    if running:
        await asyncio.wait(running)
