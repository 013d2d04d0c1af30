"""Batch after batch, as long as some wait: the next one is fetched while the last one commits, and beside one that is
slow.

A batch ends with a quarter of a second in which its worker waits for the store, and the next begins with another until
its first answers come. So a worker that has fetched nearly all of a batch takes another of the lane by itself, without
Celery. The message of that one, which some worker gets later, finds it taken: to lose or to double a message never
mattered.

Of the batches that keep up, one commits while another is fetched. One that does not, since an answer drips or a
host rests for long, is not waited for: others begin beside it, and when nothing else is left to take, the task
ends and leaves it to the process (`batches.py`). So no task outlives the time for which Redis keeps its message from
others, and nobody waits for another one's page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from schemas.messages import CaptureBatch
from schemas.records.job import Lane
from workers.capture.transport import Transport
from workers.flows.capture.batch import capture_leased, claimed
from workers.flows.capture.batches import BegunBatch, ended
from workers.flows.capture.resume import drop_ended
from workers.flows.capture.robots import RobotsCache
from workers.flows.capture.room import hindrance, wait_for_room
from workers.flows.capture.settings import CapturePorts, CaptureSettings
from workers.ports import Lease

PATIENCE_SECONDS: Final = {Lane.INTERACTIVE: 0.5, Lane.BULK: 5.0}
"""How long the fetching of a batch, but for its last pages, keeps the next one waiting. A page is fetched in half a
second or is slow; a bulk batch whose hosts keep up is fetched in that time, and two at once would only get in each
other's way."""
LONE_CLAIMS: Final = 3
"""A batch that workers broke off twice is watched alone: whether they die of it must not be told of others too."""


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
    """The same as `begin_in_turn`, to the end of all of them; how many were held to their end."""
    begun = await begin_in_turn(message, ports, settings, transport, robots, stopping, most=most)
    try:
        return sum([await batch.work for batch in begun])
    finally:
        await ended(batch.work for batch in begun)


async def begin_in_turn(
    message: CaptureBatch,
    ports: CapturePorts,
    settings: CaptureSettings,
    transport: Transport,
    robots: RobotsCache,
    stopping: Callable[[], bool] = lambda: False,
    *,
    most: int | None = None,
) -> Sequence[BegunBatch]:
    """Capture the batch of a message and those that wait behind it, `most` in all. Those that are returned may still
    go on. `stopping`: asked now and then whether this process is to end. Where the job is paused or cancelled, the same
    is done. RetryableError where a store, or this machine, cannot keep what is captured: nothing of a batch is lost by
    it."""
    await wait_for_room(ports, settings, stopping, message.batch_id)
    begin_until = ports.clock.monotonic() + settings.batch_seconds / 2

    def over() -> bool:
        return to_stop() or ports.clock.monotonic() > begin_until

    def to_stop() -> bool:
        return stopping() or ports.batches.closing

    def begin(lease: Lease) -> BegunBatch:
        return ports.batches.begin(
            lease.batch.batch_id,
            lambda fetching: capture_leased(lease, ports, settings, transport, robots, to_stop, fetching),
        )

    begun: list[BegunBatch] = []
    try:
        lease = await _first(message, ports, settings, over)
        while lease is not None:
            batch = begin(lease)
            begun.append(batch)
            if lease.claims >= LONE_CLAIMS or len(begun) == most:
                await batch.until_fetched()
            else:
                await batch.until_nearly_fetched(PATIENCE_SECONDS[message.lane])
            await _committed(begun[:-1])
            if len(begun) == most or over() or any(each.failed for each in begun):
                break
            if hindrance(ports, settings) is not None or not await ports.batches.place(over):
                break
            lease = await _another(message.lane, ports, settings)
        for batch in begun:
            if batch.is_nearly_fetched:
                await batch.until_fetched(PATIENCE_SECONDS[message.lane])
        await _committed(begun)
        await ports.batches.place(over)  # else the next message would wait here while other workers are idle
    except BaseException:
        await ended(batch.work for batch in begun)
        raise
    failed = [batch for batch in begun if batch.failed]
    ports.batches.leave([*failed[1:], *(batch for batch in begun if not batch.work.done())])
    await drop_ended(ports)
    if failed:
        await failed[0].work
    return begun


async def _first(
    message: CaptureBatch, ports: CapturePorts, settings: CaptureSettings, over: Callable[[], bool]
) -> Lease | None:
    """The batch of the message; None where it is in hand, here or elsewhere, has ended, or no place came free for it in
    time: then it goes out again."""
    if ports.batches.has(message.batch_id) or not await ports.batches.place(over):
        return None
    return await claimed(message.batch_id, ports, settings)


async def _committed(batches: Sequence[BegunBatch]) -> None:
    """Until those are over that have fetched everything. One that fails does not take the others with it."""
    committing = [batch.work for batch in batches if not batch.goes_on]
    if committing:
        await asyncio.wait(committing)


async def _another(lane: Lane, ports: CapturePorts, settings: CaptureSettings) -> Lease | None:
    """A batch that waits for a worker, the longest first; None where there is none, or others were quicker."""
    for batch_id in await ports.frontier.waiting(lane):
        if ports.batches.has(batch_id) or ports.rests.hindrance(batch_id, ports.clock.monotonic()) is not None:
            continue
        lease = await claimed(batch_id, ports, settings)
        if lease is not None:
            return lease
    return None
