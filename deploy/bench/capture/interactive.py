"""How long one page that a person asks for takes to be durable, while bulk runs.

From the moment at which the URL is handed in, to the commit: intake, the scheduler's tick and robots.txt included.
Each page is a job of its own on a host of its own, a new one every 0.15 s for as long as bulk is busy.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from statistics import quantiles

from deploy.bench.capture import ours
from deploy.bench.capture.reading import WrongAnswerError
from deploy.bench.capture.stack import Stack
from schemas.records.job import Lane
from workers.bootstrap import Archive, open_archive

EVERY_SECONDS = 0.15
MOST, LEAST = 60, 20
"""Pages asked for; fewer than the least say nothing of the slowest in twenty."""


def p95_seconds(stack: Stack, bulk: Sequence[str], singles: Sequence[str]) -> float:
    """The time within which 19 of 20 such pages are done. Bulk is left as it is then. WrongAnswerError where bulk
    ended before enough pages were asked for."""
    times = asyncio.run(_measure(stack, bulk, singles[:MOST]))
    if len(times) < LEAST:
        raise WrongAnswerError(f"bulk ended after {len(times)} interactive pages; it needs more URLs")
    return quantiles(times, n=20, method="inclusive")[-1]


async def _measure(stack: Stack, bulk: Sequence[str], singles: Sequence[str]) -> list[float]:
    async with open_archive(stack.settings) as archive:
        # One before the rest, so that no process is new.
        await _one(archive, singles[0])
        job = await ours.hand_in(archive, bulk)
        asked = []
        for url in singles[1:]:
            progress = await archive.frontier.progress(job.id)
            if progress is None or progress.done >= len(bulk):
                break
            if progress.done:
                asked.append(asyncio.create_task(_one(archive, url)))
            await asyncio.sleep(EVERY_SECONDS)
        return list(await asyncio.gather(*asked))


async def _one(archive: Archive, url: str) -> float:
    started = time.time()
    job = await ours.hand_in(archive, [url], lane=Lane.INTERACTIVE)
    return await ours.until_done(archive, job.id, 1) - started
