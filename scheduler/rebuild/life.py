"""The life of a rebuild, between two epochs.

Order: raise the epoch in the store, so that all that still speaks of the old state is refused; mark
Redis as being rebuilt, so that nobody takes half a state for a whole one; take the old state down;
read every kind of object; let everybody in. Stopped anywhere in between it begins again, with yet another epoch.

What is published is not read here: segments come back as clustered at most, and the publisher, which
verifies the log before it adds to it, finds their leaves and moves them on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from scheduler.rebuild.comparison import differences
from scheduler.rebuild.epochs import highest_epoch
from scheduler.rebuild.garbage import seldom_collected
from scheduler.rebuild.order import KINDS
from scheduler.rebuild.ports import Lease, RebuildPorts
from scheduler.rebuild.work import Rebuilt, Restoration, Told, told_nobody
from workers.errors import RetryableError
from workers.frontier.epoch import raise_epoch, read_epoch


async def settle(ports: RebuildPorts, *, now: str, told: Told = told_nobody) -> Rebuilt | None:
    """Make sure that store and Redis are in one epoch, and that Redis has forgotten nothing of it: None where that is
    so, else what a rebuild restored. A new archive is the rebuild of nothing. RetryableError while another process
    rebuilds."""
    found = await read_epoch(ports.store)
    mark = await ports.state.mark()
    if found is not None and mark == str(found.epoch):
        ports.epoch.number = found.epoch
        lost = await ports.lineage.lost()
        if lost is None:
            return None
        reason = lost
    elif found is None:
        reason = "the archive had no epoch"
    elif not mark:
        reason = "Redis had lost its state"
    else:
        reason = f"Redis was in epoch {mark[:40]}, the store in {found.epoch}"
    return await rebuild(ports, now=now, reason=reason, told=told)


async def rebuild(ports: RebuildPorts, *, now: str, reason: str, told: Told = told_nobody) -> Rebuilt:
    """Restore the state under the next epoch. RetryableError where another process is doing it."""
    async with _only_one(ports.lease):
        with seldom_collected():
            return await _rebuilt(ports, now=now, reason=reason, told=told)


async def _rebuilt(ports: RebuildPorts, *, now: str, reason: str, told: Told) -> Rebuilt:
    known = 0
    if await read_epoch(ports.store) is None:
        known = await highest_epoch(ports.store, await ports.state.mark())
    raised = await raise_epoch(ports.store, now=now, reason=reason, above=known)
    ports.epoch.number, ports.epoch.rebuilding = raised.epoch, True
    try:
        if not await ports.state.swap_mark(await ports.state.mark(), ports.epoch.text):
            raise RetryableError("another process changed the epoch", where="Redis", next_step="try again")
        begun = await ports.lineage.promotion()
        await ports.state.clear()
        work = Restoration(ports, Rebuilt(raised.epoch), now, told)
        await _restore(ports, work)
        told("comparing", 0, 0)
        work.rebuilt.differences = await differences(work.said, work.entries.values(), ports.audit, ports.ledger)
        await ports.state.begin_catching_up()
        await ports.lineage.note(since=begun)
        if not await ports.state.swap_mark(ports.epoch.text, str(raised.epoch)):
            raise RetryableError("Redis lost its state during the rebuild", where="Redis", next_step="try again")
    finally:
        ports.epoch.rebuilding = False
    return work.rebuilt


async def _restore(ports: RebuildPorts, work: Restoration) -> None:
    """Kind after kind, and the steps of other parts beside them: while Redis is at work for one, the other reads."""
    steps = [asyncio.ensure_future(step(work)) for step in ports.steps]
    work.steps = steps
    try:
        for restore in KINDS:
            await restore(work)
        await asyncio.gather(*steps)
    finally:
        for step in steps:
            step.cancel()
        await asyncio.gather(*steps, return_exceptions=True)


@asynccontextmanager
async def _only_one(lease: Lease) -> AsyncIterator[None]:
    """Hold the lease. Who stalls so long that another takes it is stopped by the epoch, which that one raises."""
    if not await lease.take():
        raise RetryableError("another process rebuilds the state", where="Redis", next_step="wait until it has ended")

    async def keep() -> None:
        while True:
            await asyncio.sleep(lease.seconds / 4)
            with suppress(RetryableError):
                await lease.take()

    keeper = asyncio.create_task(keep())
    try:
        yield
    finally:
        keeper.cancel()
        with suppress(asyncio.CancelledError):
            await keeper
        await lease.leave()
