"""Steps of a commit, which wait for a store that is away: nothing else can be done with what is captured."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from itertools import chain, repeat
from typing import Final

from workers import metrics
from workers.errors import RetryableError

LOG = logging.getLogger(__name__)
RETRY_SECONDS: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)


async def insist(step: Callable[[], Awaitable[object]]) -> None:
    """Try a step of the commit again while its failures may pass; the lease bounds how long. It returns only when the
    step was taken: what follows names what this one stored."""
    with ExitStack() as waiting:
        for number, pause in enumerate(chain(RETRY_SECONDS, repeat(RETRY_SECONDS[-1]))):
            try:
                await step()
                return
            except RetryableError as error:
                if number == 0:
                    waiting.enter_context(metrics.COMMITS_WAIT.track_inprogress())
                metrics.ERRORS.labels("commit", "retryable").inc()
                LOG.warning("commit waits error=%s pause=%.1f", error, pause)
                await asyncio.sleep(pause)
