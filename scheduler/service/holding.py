"""Holding bulk batches back while too much waits behind capture, and saying so for as long as it lasts."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from scheduler.backpressure import Holding, hold
from scheduler.release import Releaser
from scheduler.service.ticking import WorkLog
from schemas.records.job import Lane
from workers import metrics
from workers.ports import Ledger

LOG = logging.getLogger(__name__)
NAME = "backpressure"
"""Under which it stands among the scheduler's troubles."""


@dataclass(slots=True)
class HoldBack:
    """Looks now and then; `most` segments may wait to be extracted, 0: any number."""

    ledger: Ledger
    releaser: Releaser
    log: WorkLog
    most: int
    _now: Holding = field(default_factory=Holding)

    async def look(self) -> int:
        """Decide anew; the tick's number of pieces of work, which is none."""
        waiting = await self.ledger.at("committed", limit=self.most) if self.most else []
        before, self._now = self._now, hold(self._now, unextracted=len(waiting), most=self.most)
        held = self._now.held
        self.releaser.held = frozenset({Lane.BULK}) if held else frozenset()
        metrics.HELD_BACK.set(int(held))
        if held:
            self.log.troubles[NAME] = self._now.reason
        else:
            self.log.troubles.pop(NAME, None)
        if held != before.held:
            LOG.warning("bulk batches held=%s reason=%s", held, self._now.reason or "enough is extracted")
        return 0
