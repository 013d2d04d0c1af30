"""The run in which everything is killed: workers, their children, scheduler, Valkey, SeaweedFS, with SIGKILL, at least
once every five seconds while the job runs. Capture processes are also stalled beyond their leases, and Redis is emptied
once. The supervisor of the local stack starts again what it finds dead, as an orchestrator would."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from redis.exceptions import RedisError

from deploy.chaos.evidence import Evidence, collect
from deploy.chaos.given import Given as GivenJob
from deploy.chaos.given import emptied, served
from deploy.chaos.plan import Blow, Target, blows, flush_at
from deploy.chaos.saying import Say
from deploy.chaos.site import Site
from deploy.chaos.stack import Stack, supervised
from deploy.chaos.verdict import Extra, Finding, Loss, judge
from deploy.chaos.watch import LOOK_SECONDS, Watch, hand_in
from workers.bootstrap import Archive, open_archive

URLS, HOSTS, ANSWER_SECONDS = 2000, 50, 0.5
INSTEAD = (Target.CAPTURE_CHILD, Target.S3, Target.SCHEDULER, Target.EXTRACT, Target.REDIS, Target.CAPTURE)
"""Whom a blow meets whose own target is just being started again: first who is back soonest."""


@dataclass(frozen=True, slots=True)
class Given(GivenJob):
    """What a run is like."""

    urls: int = URLS
    hosts: int = HOSTS
    answer_seconds: float = ANSWER_SECONDS
    most_seconds: float = 900.0


@dataclass(frozen=True, slots=True)
class Dealt:
    """One blow, so many seconds after the job was handed in."""

    at_seconds: float
    target: str
    pid: int | None
    """None: Redis was emptied."""


@dataclass(slots=True)
class Result:
    """A run and what was found."""

    given: Given
    seconds: float = 0.0
    dealt: list[Dealt] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    extras: list[Extra] = field(default_factory=list)
    receipts: int = 0
    records: int = 0
    revisits: int = 0
    epochs: list[int] = field(default_factory=list)
    uploads: int = 0
    """Unfinished uploads in parts that were left, and that the scheduler's clearing aborts when they are a day old."""

    @property
    def longest_pause(self) -> float:
        """Seconds between two kills, at most."""
        times = [0.0, *(each.at_seconds for each in self.dealt if each.target in set(Target))]
        return max((after - before for before, after in pairwise(times)), default=0.0)


def run(given: Given, folder: Path, say: Say) -> Result:
    """One run in this folder, which is emptied first and left as it is afterwards."""
    emptied(folder)
    with served(given, folder) as web, supervised(folder / "data", {"batch_urls": str(given.batch_urls)}) as stack:
        return asyncio.run(_Run(given, stack, web, say).run())


@dataclass(slots=True)
class _Run:
    given: Given
    stack: Stack
    web: Site
    say: Say
    started: float = 0.0
    dealt: list[Dealt] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    stalled: list[asyncio.Task[None]] = field(default_factory=list)

    async def run(self) -> Result:
        async with open_archive(self.stack.settings) as archive:
            job = await hand_in(archive, list(self.web.pages))
            self.started = time.monotonic()
            watch = Watch(archive, job.id, self.web.pages)
            dealing = asyncio.create_task(self._deal(archive, watch))
            try:
                findings = await self._follow(watch)
            finally:
                dealing.cancel()
                await asyncio.wait({dealing})
            if self.stalled:
                await asyncio.wait(self.stalled)
            if not dealing.cancelled() and (failed := dealing.exception()) is not None:
                raise failed
            seconds = time.monotonic() - self.started
            self.say(f"{seconds:.0f} s: captured; nothing is killed any more, what follows may come to its end")
            if not await watch.settled(self.given.settle_seconds):
                findings.append(Finding("run.unsettled", f"not at rest {self.given.settle_seconds:.0f} s after that"))
            evidence = await collect(archive, job.id)
        found, extras = judge(self.web.pages, evidence, self.losses)
        return self._result(seconds, evidence, [*watch.findings, *findings, *found], extras)

    async def _follow(self, watch: Watch) -> list[Finding]:
        """Until the job is captured, or its time is over."""
        told = -1
        while time.monotonic() - self.started < self.given.most_seconds:
            progress = await watch.look()
            if progress is not None and progress.captured_all and any(each.pid is None for each in self.dealt):
                return []
            if watch.done // 100 != told:
                told = watch.done // 100
                self.say(f"{time.monotonic() - self.started:.0f} s: {watch.done} of {self.given.urls} URLs done")
            await asyncio.sleep(LOOK_SECONDS)
        return [Finding("run.late", f"not captured within {self.given.most_seconds:.0f} s: {watch.done} URLs done")]

    async def _deal(self, archive: Archive, watch: Watch) -> None:
        flushed, flush = False, flush_at(self.given.seed) * self.given.urls
        for blow in blows(self.given.seed):
            await asyncio.sleep(blow.pause_seconds)
            self._strike(blow)
            if blow.stall_seconds:
                self._stall(blow)
            if not flushed and watch.done >= flush:
                flushed = await self._empty(archive)

    def _strike(self, blow: Blow) -> None:
        """Kill what the blow is for, or where that is just being started again, what is there instead."""
        for target in (blow.target, *INSTEAD):
            pid = self._victim(target, blow.pick)
            if pid is None:
                continue
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            self._note(target.value, pid)
            if target is Target.REDIS:
                self.losses.append(Loss(time.time(), f"Redis was killed at {self.dealt[-1].at_seconds:.1f} s"))
            return

    def _victim(self, target: Target, pick: int) -> int | None:
        if target is not Target.CAPTURE_CHILD:
            return self.stack.main(target.part)
        children = self.stack.children(target.part)
        return children[pick % len(children)] if children else None

    def _stall(self, blow: Blow) -> None:
        """Stop a capture process, perhaps beyond its lease, as happens on a machine that swaps or was cut off."""
        pid = self._victim(Target.CAPTURE_CHILD, blow.pick + 1)
        if pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            self._note("stalled child of worker-capture", pid)
            self.stalled.append(asyncio.create_task(_wake(pid, blow.stall_seconds)))

    async def _empty(self, archive: Archive) -> bool:
        """FLUSHALL. False: Redis is not there just now."""
        try:
            await archive.redis.flushall()
        except (RedisError, OSError):
            return False
        self._note("redis is emptied", None)
        self.losses.append(Loss(time.time(), f"Redis was emptied at {self.dealt[-1].at_seconds:.1f} s"))
        return True

    def _note(self, target: str, pid: int | None) -> None:
        dealt = Dealt(time.monotonic() - self.started, target, pid)
        self.dealt.append(dealt)
        self.say(f"{dealt.at_seconds:.1f} s: {target}" + (f" (process {pid})" if pid else ""))

    def _result(self, seconds: float, evidence: Evidence, findings: list[Finding], extras: list[Extra]) -> Result:
        return Result(
            given=self.given,
            seconds=seconds,
            dealt=self.dealt,
            findings=findings,
            extras=extras,
            receipts=len(evidence.receipts),
            records=sum(found.records for found in evidence.archives.values()),
            revisits=sum(len(found.refers_to) for found in evidence.archives.values()),
            epochs=sorted({receipt.token.epoch for receipt in evidence.receipts.values()}),
            uploads=evidence.uploads,
        )


async def _wake(pid: int, seconds: float) -> None:
    await asyncio.sleep(seconds)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)
