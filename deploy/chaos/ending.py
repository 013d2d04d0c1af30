"""The end of a run in which nothing more is done to the stack: wait for it, and judge what is there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from deploy.chaos.evidence import collect
from deploy.chaos.given import Given
from deploy.chaos.site import Site
from deploy.chaos.verdict import Extra, Finding, Loss, judge
from deploy.chaos.watch import LOOK_SECONDS, Watch


@dataclass(frozen=True, slots=True)
class Ending:
    """How long the job took, from `started` on, and what was found."""

    seconds: float
    findings: tuple[Finding, ...]
    extras: list[Extra]


async def ended(watch: Watch, given: Given, web: Site, started: float, losses: Sequence[Loss] = ()) -> Ending:
    """Wait until the job is captured and at rest; not in time is a finding. `started`: by `time.monotonic`."""
    findings = []
    while not await watch.is_captured():
        if time.monotonic() - started > given.most_seconds:
            findings.append(Finding("run.late", f"{watch.done} of {given.urls} URLs are done"))
            break
        await asyncio.sleep(LOOK_SECONDS)
    seconds = time.monotonic() - started
    if not await watch.settled(given.settle_seconds):
        findings.append(Finding("run.unsettled", f"not at rest {given.settle_seconds:.0f} s later"))
    found, extras = judge(web.pages, await collect(watch.archive, watch.job_id), losses)
    return Ending(seconds, (*watch.findings, *findings, *found), extras)
