"""The run in which the machine's clock is set by an hour while a job is captured: ahead, right again, behind, and right
again. Workers, scheduler and Valkey see it, by libfaketime; the store does not (Go asks the kernel itself), so that it
is another machine with the right time, which refuses requests of the wrong one.

Nothing forgets and nothing dies, so there must be no extra; what the store refuses must be called by its name.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deploy.chaos.asking import asked
from deploy.chaos.given import Given as GivenJob
from deploy.chaos.given import emptied, served
from deploy.chaos.in_the_middle import in_the_middle
from deploy.chaos.saying import Say
from deploy.chaos.site import Site
from deploy.chaos.stack import Stack, supervised
from deploy.chaos.verdict import Finding
from deploy.chaos.watch import Watch
from scheduler.stack.state import StackPaths
from workers.errors import PermanentError

HOUR = 3600
JUMPS = ((0.2, HOUR), (0.55, -HOUR))
"""At which part of the URLs the clock is set, and by how much."""
LIBRARY = Path("vendor/libfaketime/src/libfaketime.so.1")
TOLD_LIKE = "this machine's clock is 3"
"""… 600 s ahead of, or behind, S3's; give or take a second or two."""


@dataclass(frozen=True, slots=True)
class Given(GivenJob):
    """What a run is like."""

    wrong_seconds: float = 25.0
    """For so long the clock is wrong: several leases of these runs."""


@dataclass(frozen=True, slots=True)
class Jump:
    """One time that the clock was wrong."""

    by_seconds: int
    told: int
    """How often the workers' logs said by how much it is wrong, and what to do, meanwhile."""
    doctor: str
    """What `citevault doctor` said of it."""
    resumed_seconds: float
    """From the moment at which the clock was right again until a URL more was done."""


@dataclass(slots=True)
class Result:
    """A run and what was found."""

    given: Given
    seconds: float = 0.0
    jumps: list[Jump] = field(default_factory=list)
    shifts: int = 0
    """How often the scheduler moved the times in Redis along, says its log."""
    lost_leases: int = 0
    """How often a worker gave up a batch: between a jump and the scheduler's look a heartbeat may be refused."""
    findings: list[Finding] = field(default_factory=list)
    extras: int = 0


def run(given: Given, folder: Path, say: Say) -> Result:
    """One run in this folder, which is emptied first. PermanentError where there is no libfaketime."""
    emptied(folder)
    clock = Clock(folder / "clock")
    clock.set(0)
    with (
        served(given, folder) as web,
        supervised(folder / "data", {"batch_urls": str(given.batch_urls)}, clock.environment()) as stack,
    ):
        return asyncio.run(_Run(given, stack, web, clock, say).run())


@dataclass(frozen=True, slots=True)
class Clock:
    """What the processes of a run take for the time: the right one, and so many seconds."""

    file: Path

    def environment(self) -> Mapping[str, str]:
        """Of processes that are to believe it. Only the time of day is faked: monotonic clocks go on."""
        found = importlib.util.find_spec("libfaketime")
        library = Path(str(found.origin)).parent / LIBRARY if found is not None else None
        if library is None or not library.exists() or not sys.platform.startswith("linux"):
            raise PermanentError("no libfaketime for this machine", next_step="pip install libfaketime (Linux, x86-64)")
        return {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(self.file.absolute()),
            "FAKETIME_NO_CACHE": "1",  # a clock is set for all processes of a machine at one moment
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def set(self, by_seconds: int) -> None:
        new = self.file.with_suffix(".new")
        new.write_text(f"{by_seconds:+d}\n")
        new.replace(self.file)


@dataclass(slots=True)
class _Run:
    given: Given
    stack: Stack
    web: Site
    clock: Clock
    say: Say
    findings: list[Finding] = field(default_factory=list)

    async def run(self) -> Result:
        result = Result(self.given, findings=self.findings)
        result.jumps, ending = await in_the_middle(self.stack.settings, self.web, self.given, JUMPS, self._jump)
        self.findings += ending.findings
        result.seconds, result.extras = ending.seconds, len(ending.extras)
        result.shifts = self._log("scheduler").count("the clock was set")
        result.lost_leases = self._log("worker-capture").count("lease lost")
        return result

    async def _jump(self, watch: Watch, by_seconds: int) -> Jump:
        before = self._told()
        self.clock.set(by_seconds)
        self.say(
            f"{time.monotonic() - watch.started:.1f} s: the clock is set by {by_seconds:+d} s, {watch.done} URLs done"
        )
        await asyncio.sleep(self.given.wrong_seconds)
        checks = await asyncio.to_thread(asked, self.stack.settings, ("doctor", "--json"), self.clock.environment())
        doctor = next(
            (f"{each['message']}; {each['next_step']}" for each in checks or [] if each["name"] == "clock"), ""
        )
        self.clock.set(0)
        right = time.monotonic()
        resumed = await watch.one_more(self.given.settle_seconds)
        jump = Jump(by_seconds, self._told() - before, doctor, resumed)
        self.say(f"{right - watch.started:.1f} s: right again; the next URL was done {resumed:.1f} s later")
        if not jump.told:
            self._find("clock.untold", f"no worker said that the clock was wrong, set by {by_seconds:+d} s")
        if "NTP" not in doctor:
            self._find("clock.undiagnosed", f"doctor said {doctor!r}, set by {by_seconds:+d} s")
        return jump

    def _told(self) -> int:
        lines = (self._log("worker-capture") + self._log("worker-extract")).splitlines()
        return sum(TOLD_LIKE in line and "S3's" in line and "NTP" in line for line in lines)

    def _log(self, part: str) -> str:
        path = StackPaths(self.stack.settings.data_dir).logs / f"{part}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def _find(self, code: str, text: str) -> None:
        self.findings.append(Finding(code, text))
