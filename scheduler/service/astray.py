"""Looking after URLs that the frontier has lost sight of: batches without a lease get one again; of what is in nothing
at all it is told that a rebuild brings it back."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from scheduler.service.ticking import WorkLog

LOG = logging.getLogger(__name__)
NAME: Final = "stranded URLs"
"""Under which it stands among the scheduler's troubles."""
SHOWN: Final = 3


class Astray(Protocol):
    async def relist(self, *, ends_ms: int) -> int: ...

    async def stranded(self, *, now_ms: int) -> Mapping[str, int]: ...


@dataclass(slots=True)
class LookAfter:
    """Looks now and then. A batch that is listed again ends `lease_seconds` later, unless a worker has it."""

    astray: Astray
    log: WorkLog
    lease_seconds: float
    _before: Mapping[str, int] = field(default_factory=dict)

    async def look(self, now_ms: int) -> int:
        """One look; how many batches were listed again."""
        relisted = await self.astray.relist(ends_ms=now_ms + round(self.lease_seconds * 1000))
        if relisted:
            LOG.error("batches without a lease are listed again count=%d", relisted)
        before, self._before = self._before, await self.astray.stranded(now_ms=now_ms)
        lasting = {job_id: count for job_id, count in self._before.items() if before.get(job_id) == count}
        if lasting:
            sentence = stranded_sentence(lasting)
            if self.log.troubles.get(NAME) != sentence:
                LOG.error("open URLs are in nothing what=%s", sentence)
            self.log.troubles[NAME] = sentence
        else:
            self.log.troubles.pop(NAME, None)
        return relisted


def stranded_sentence(stranded: Mapping[str, int]) -> str:
    """What is lost, of which jobs, and what brings it back."""
    jobs = ", ".join([*stranded][:SHOWN]) + (", …" if len(stranded) > SHOWN else "")
    return (
        f"{sum(stranded.values())} open URLs of {jobs} are in no queue, no batch and no wait for a next try, since "
        "a part of what Redis holds is lost; next: `citevault rebuild`"
    )
