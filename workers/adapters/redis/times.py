"""Redis' clock, and the times that the frontier has noted by it.

Leases, rests and permits are times in sorted sets, and are meant as "so many seconds from now": when the clock is set
by an hour, they would be over at once, or last an hour longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from workers.adapters.redis.guard import Guard, Script
from workers.adapters.redis.replies import number, text_list
from workers.adapters.redis.translate import script_errors
from workers.frontier import names
from workers.frontier.scripts import guarded

SCAN_COUNT: Final = 1000
NEAR_MS: Final = 120_000
"""Times that are noted lie so far ahead, at most; but for hosts that asked us to stay away for longer."""
BEFORE_MS: Final = 10_000
"""The scheduler looks five times a second, and a lease that was given since may have ended already."""


@dataclass(frozen=True)
class RedisTimes:
    """The clock that all processes of an archive can ask."""

    guard: Guard

    async def now_ms(self) -> int:
        """Milliseconds since 1970 by the machine that Redis runs on."""
        with script_errors("read the clock"):
            seconds, microseconds = await self.guard.client.time()
        return int(seconds) * 1000 + int(microseconds) // 1000

    async def shift(self, by_ms: int, *, now_ms: int, name: str) -> int:
        """Move the ends of leases, permits and slots, and when hosts may be asked, by so much; how many there were. Of
        one name it is done once, however often it is called.

        `now_ms`: by the clock as it was set. Between that moment and this call workers go on noting times by it. After
        a large jump they can be told from the old ones: no lease lasts two minutes, and few hosts rest so long. They
        stay; moved with the rest, a lease that was given just after the clock was set ahead would last an hour.
        """
        told_apart = abs(by_ms) > 2 * NEAR_MS
        stays = (now_ms - BEFORE_MS, now_ms + NEAR_MS) if told_apart else (0, -1)
        (jobs,) = await self.guard.read(lambda pipe: pipe.zrange(names.JOBS, 0, -1), "jobs")
        keys = [
            names.SHIFTED,
            names.LEASES,
            names.PACE,
            names.PERMITS,
            names.WANTED,
            *map(names.hosts, text_list(jobs)),
        ]
        with script_errors("look for addresses"):
            found = self.guard.client.scan_iter(match=names.address("*"), count=SCAN_COUNT)
            keys += [key.decode() async for key in found]
        return number(await self._shift(keys, [by_ms, name, *stays]))

    @cached_property
    def _shift(self) -> Script:
        return self.guard.script(guarded("workers.adapters.redis", "shift_times"), "shift times")
