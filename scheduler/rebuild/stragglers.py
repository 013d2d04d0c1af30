"""Receipts that workers of an earlier epoch put after a rebuild had read the others: taken in for a while after it, by
whoever is the scheduler by then. Redis says that it is due, until it is done."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from scheduler.rebuild.ports import RebuildPorts
from scheduler.rebuild.receipts import catch_up
from scheduler.rebuild.work import Rebuilt
from schemas import keys
from schemas.ids import ulid_time
from workers.frontier.epoch import read_epoch

BATCH_LIVES = timedelta(days=1)
"""Nearly all batches are over much sooner. What an older one still commits is found by the next rebuild."""


@dataclass(slots=True)
class Stragglers:
    """Of one life of the scheduler. `rebuilt`: the rebuild that it began with, so that what was read need not be read
    again; None: another process did it, and may have died since. `until_ms`: when no worker of an earlier epoch can
    be at work any more."""

    ports: RebuildPorts
    rebuilt: Rebuilt | None
    until_ms: int
    _over: bool = field(default=False)

    async def take_in(self, *, now_ms: int, now: str) -> int:
        """One look; how many there were."""
        if self._over:
            return 0
        if self.rebuilt is None:
            if not await self.ports.state.catching_up():
                self._over = True
                return 0
            self.rebuilt = await _without_the_old(self.ports)
        taken = await catch_up(self.ports, self.rebuilt, now=now)
        if now_ms > self.until_ms:
            await self.ports.state.caught_up()
            self._over = True
        return taken


async def _without_the_old(ports: RebuildPorts) -> Rebuilt:
    """As after a rebuild that has read the receipts of old batches only: the others are followed once more, which
    changes nothing where they were."""
    record = await read_epoch(ports.store)
    rebuilt = Rebuilt(record.epoch if record is not None else 0)
    if record is not None:
        before = datetime.fromisoformat(record.raised_at) - BATCH_LIVES
        rebuilt.receipts.update([key async for key in ports.store.list(keys.COMMITS) if _formed_before(key, before)])
    return rebuilt


def _formed_before(key: str, moment: datetime) -> bool:
    """Whether the batch of a receipt was formed before this; no, where its id does not tell."""
    batch_id = key.rpartition("/")[2].removesuffix(".json").rpartition("-")[0]
    try:
        return datetime.fromisoformat(ulid_time(batch_id)) < moment
    except ValueError:
        return False
