"""How long one page that a person asks for takes to be durable, while bulk runs.

From the moment at which the URL is handed in, to the commit: intake, the scheduler's tick and robots.txt included.
Each page is a job of its own on a host of its own. Two people ask, each for the next page when the last one is there.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from statistics import quantiles

from deploy.bench.capture import ours
from deploy.bench.capture.reading import WrongAnswerError
from deploy.bench.capture.stack import Stack
from schemas.records.job import Lane
from workers.bootstrap import Archive, open_archive

PEOPLE = 2
MOST, LEAST = 40, 20
"""Pages asked for; fewer than the least say nothing of the slowest in twenty."""


def p95_seconds(stack: Stack, bulk: Sequence[Sequence[str]], singles: Sequence[str]) -> float:
    """The time within which 19 of 20 such pages are done. What is left of bulk, one job a list, is left as it is.
    WrongAnswerError where bulk ended before enough pages were asked for."""
    times = asyncio.run(_measure(stack, bulk, singles[:MOST]))
    if len(times) < LEAST:
        raise WrongAnswerError(f"bulk ended after {len(times)} interactive pages; it needs more URLs")
    return quantiles(times, n=20, method="inclusive")[-1]


async def _measure(stack: Stack, bulk: Sequence[Sequence[str]], singles: Sequence[str]) -> list[float]:
    async with open_archive(stack.settings) as archive:
        await _one(archive, singles[0])  # so that no process is new
        with ours.halted(stack.pids["scheduler"]):
            jobs = [(await ours.hand_in(archive, urls)).id for urls in bulk]
        left = iter(singles[1:])
        total = sum(len(urls) for urls in bulk)
        people = (_person(archive, left, jobs, total) for _ in range(PEOPLE))
        return [seconds for times in await asyncio.gather(*people) for seconds in times]


async def _person(archive: Archive, left: Iterator[str], jobs: Sequence[str], total: int) -> list[float]:
    """What each page took, until the URLs are used up or bulk has ended. One during which it ended does not count."""
    times: list[float] = []
    for url in left:
        seconds = await _one(archive, url)
        progress = [await archive.frontier.progress(job) for job in jobs]
        if sum(each.done for each in progress if each is not None) >= total:
            break
        times.append(seconds)
    return times


async def _one(archive: Archive, url: str) -> float:
    started = time.time()
    job = await ours.hand_in(archive, [url], lane=Lane.INTERACTIVE)
    return await ours.until_done(archive, job.id, 1) - started
