"""The run in which Redis' primary dies and a replica takes its place that had not heard everything: the scheduler must
find that out by itself, and the job end as if nothing had been."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path

from deploy.chaos.ending import ended
from deploy.chaos.given import Given, emptied, served
from deploy.chaos.replica import Pair, running_pair
from deploy.chaos.saying import Say
from deploy.chaos.site import Site
from deploy.chaos.stack import Stack, supervised
from deploy.chaos.verdict import Extra, Finding, Loss
from deploy.chaos.watch import Watch, hand_in
from workers.bootstrap import Archive, open_archive
from workers.errors import CitevaultError
from workers.frontier import names
from workers.frontier.epoch import read_epoch

FOLLOWS_UNTIL, TAKES_OVER = 0.2, 0.5
"""Parts of the URLs that are done when the replica stops following, and when its primary dies."""

NOTICE_SECONDS = 120.0


@dataclass(slots=True)
class Result:
    """A run and what was found."""

    given: Given
    seconds: float = 0.0
    lag_seconds: float = 0.0
    """Of the replica when it took over."""
    forgotten: int = 0
    """URLs that were done in the primary, and not in the replica."""
    noticed_seconds: float | None = None
    """From the takeover until a rebuild had begun; None: nobody noticed."""
    reason: str = ""
    """Why the epoch was raised, as its record says."""
    extras: list[Extra] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def run(given: Given, folder: Path, say: Say) -> Result:
    """One run in this folder, which is emptied first."""
    emptied(folder)
    with served(given, folder) as web, running_pair(folder / "pair") as pair:
        more = {"batch_urls": str(given.batch_urls), "redis_url": pair.url}
        with supervised(folder / "data", more) as stack:
            return asyncio.run(_Run(given, stack, web, pair, say).run())


@dataclass(slots=True)
class _Run:
    given: Given
    stack: Stack
    web: Site
    pair: Pair
    say: Say

    async def run(self) -> Result:
        result = Result(self.given)
        async with open_archive(self.stack.settings) as archive:
            job = await hand_in(archive, list(self.web.pages))
            started = time.monotonic()
            watch = Watch(archive, job.id, self.web.pages)
            await watch.until(FOLLOWS_UNTIL * self.given.urls)
            self.pair.lag()
            stopped = time.monotonic()
            self.say(f"{stopped - started:.1f} s: the replica hears nothing more, with {watch.done} URLs done")
            await watch.until(TAKES_OVER * self.given.urls)
            loss = Loss(time.time(), "a replica took over")
            result.forgotten = self.pair.take_over(names.done_urls(job.id))
            result.lag_seconds = time.monotonic() - stopped
            await self._notice(archive, result)
            self.say(
                f"{time.monotonic() - started:.1f} s: the replica took over {result.lag_seconds:.1f} s behind; "
                f"a rebuild began after {result.noticed_seconds or 0:.1f} s"
            )
            ending = await ended(watch, self.given, self.web, started, [loss])
        result.findings += ending.findings
        result.seconds, result.extras = ending.seconds, ending.extras
        return result

    async def _notice(self, archive: Archive, result: Result) -> None:
        """Wait until the epoch is raised."""
        since = time.monotonic()
        while time.monotonic() - since < NOTICE_SECONDS:
            try:
                record = await read_epoch(archive.store)
            except CitevaultError:
                record = None
            if record is not None and record.epoch > 1:
                result.noticed_seconds, result.reason = time.monotonic() - since, record.reason
                return
            await asyncio.sleep(0.1)
        result.findings.append(Finding("failover.unnoticed", f"no rebuild within {NOTICE_SECONDS:.0f} s"))
