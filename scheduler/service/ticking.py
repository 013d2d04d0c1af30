"""One tick again and again, with its troubles told and survived."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from scheduler.service.together import pause
from workers import metrics
from workers.errors import CitevaultError, CorruptError, EpochError, RetryableError

LOG = logging.getLogger(__name__)
LONGEST_PAUSE_SECONDS = 30.0
"""After an error, of a tick that comes more often than that; of another one, its own distance."""


@dataclass(slots=True)
class WorkLog:
    """What the process has done since its start, and what keeps it from more."""

    done: Counter[str] = field(default_factory=Counter)
    worked_at_ms: int = 0
    troubles: dict[str, str] = field(default_factory=dict)
    """The last error of each tick that fails at present."""

    @property
    def trouble(self) -> str:
        """All present troubles in one line."""
        return " | ".join(f"{name}: {trouble}" for name, trouble in sorted(self.troubles.items()))


async def every(
    seconds: float,
    name: str,
    tick: Callable[[], Awaitable[int]],
    log: WorkLog,
    now_ms: Callable[[], int],
    ending: asyncio.Event,
) -> None:
    """Run `tick` until the end, `seconds` apart. It answers how many pieces of work it did.

    After an error it is tried again, with pauses that grow; an EpochError is passed on, since what the tick would do
    next rests on a state that is gone.
    """
    failures = 0
    while not ending.is_set():
        try:
            done = await tick()
        except EpochError:
            raise
        except CitevaultError as error:
            failures += 1
            wait = pause_after(failures, seconds)
            log.troubles[name] = str(error)
            metrics.ERRORS.labels("scheduler", _root(error)).inc()
            LOG.warning("tick failed name=%s kind=%s pause=%.1f error=%s", name, _root(error), wait, error)
        else:
            failures, wait = 0, seconds
            log.troubles.pop(name, None)
            if done:
                log.done[name] += done
                log.worked_at_ms = now_ms()
                metrics.LAST_WORK.labels("scheduler").set_to_current_time()
        await pause(wait, ending)


def pause_after(failures: int, seconds: float) -> float:
    """After so many errors in a row of a tick that comes every so many seconds: twice as long each time, beginning with
    twice its distance or half a minute, whichever is less; at most half a minute or its distance, whichever is more."""
    first = min(max(2 * seconds, 1.0), LONGEST_PAUSE_SECONDS)
    return float(min(first * 2 ** min(failures - 1, 16), max(seconds, LONGEST_PAUSE_SECONDS)))


def _root(error: CitevaultError) -> str:
    if isinstance(error, CorruptError):
        return "corrupt"
    return "retryable" if isinstance(error, RetryableError) else "permanent"
