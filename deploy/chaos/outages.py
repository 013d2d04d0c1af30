"""The run in which the store is away, in every way that stores are, each for many leases: it refuses, answers 503, does
not answer, answers slowly, and its name is not found. Workers must wait and say so, nothing may be dropped or captured
twice, and all must go on by itself.
"""

from __future__ import annotations

import asyncio
import dataclasses
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from deploy.chaos.asking import asked
from deploy.chaos.given import Given as GivenJob
from deploy.chaos.given import emptied, served
from deploy.chaos.in_the_middle import in_the_middle
from deploy.chaos.proxy import FaultyProxy
from deploy.chaos.saying import Say
from deploy.chaos.site import Site
from deploy.chaos.stack import Stack, supervised
from deploy.chaos.verdict import Finding
from deploy.chaos.watch import LOOK_SECONDS, Watch
from scheduler.stack.running import RunningStores, running_parts
from scheduler.stack.state import StackPaths
from workers.config import Settings

MODES = ("refuse", "busy", "stall", "slow", "no name")
NAME = "store.invalid"
"""Found in a file of hosts of the run's own, or nowhere (RFC 6761)."""
FIRST, LAST = 0.1, 0.8
"""Parts of the URLs that are done at the first and at the last outage."""


@dataclass(frozen=True, slots=True)
class Given(GivenJob):
    """What a run is like. Leases last 6 s here: an outage of a minute is to them what one of ten minutes is to leases
    of a minute."""

    urls: int = 1000
    hosts: int = 50
    away_seconds: float = 60.0
    modes: tuple[str, ...] = MODES
    most_seconds: float = 1200.0
    """Beside the outages themselves."""

    @property
    def longest_seconds(self) -> float:
        """For the job with all outages; longer is a finding."""
        return self.most_seconds + len(self.modes) * self.away_seconds


@dataclass(frozen=True, slots=True)
class Outage:
    """One time that the store was away."""

    mode: str
    told: int
    """Lines in which workers and scheduler said so."""
    doctor: str
    """What `citevault doctor` said of the store."""
    done_meanwhile: int
    """URLs that were done all the same: none, unless the store is only slow."""
    resumed_seconds: float
    """From its return until a URL more was done."""


@dataclass(slots=True)
class Result:
    """A run and what was found."""

    given: Given
    seconds: float = 0.0
    outages: list[Outage] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    extras: int = 0


def run(given: Given, folder: Path, say: Say) -> Result:
    """One run in this folder, which is emptied first. Only root can have its name not found; others go without."""
    emptied(folder)
    with (
        served(given, folder) as web,
        running_parts(folder / "store", {"s3"}) as stores,
        _before(stores.s3_endpoint) as proxy,
    ):
        names = Names(folder / "hosts") if os.getuid() == 0 else None
        more = _settings(given, stores, proxy, names)
        with supervised(folder / "data", more, enter=names.enter if names else ()) as stack:
            own = dataclasses.replace(stack.settings, s3_endpoint=stores.s3_endpoint)
            return asyncio.run(_Run(given, stack, own, web, proxy, names, say).run())


@dataclass(frozen=True, slots=True)
class Names:
    """A file of hosts that only the run's processes see, in a mount namespace of theirs."""

    file: Path

    @property
    def enter(self) -> tuple[str, ...]:
        self.tell(found=True)
        script = 'mount --bind "$0" /etc/hosts && exec "$@"'
        return ("unshare", "--mount", "sh", "-c", script, str(self.file.absolute()))

    def tell(self, *, found: bool) -> None:
        """Written in place: another file under the name would not be the one that is mounted."""
        self.file.write_text("127.0.0.1 localhost\n" + (f"127.0.0.1 {NAME}\n" if found else ""))


def _settings(given: Given, stores: RunningStores, proxy: FaultyProxy, names: Names | None) -> dict[str, str]:
    return {
        "batch_urls": str(given.batch_urls),
        "s3_endpoint": proxy.url.replace("127.0.0.1", NAME) if names else proxy.url,
        "s3_bucket": stores.bucket,
        "aws_access_key_id": stores.credentials.access_key,
        "aws_secret_access_key": stores.credentials.secret_key,
        "s3_connect_seconds": "2",
        "s3_read_seconds": "5",
        "s3_attempts": "2",
    }


@contextmanager
def _before(endpoint: str) -> Iterator[FaultyProxy]:
    proxy = FaultyProxy(endpoint)
    try:
        yield proxy
    finally:
        proxy.close()


@dataclass(slots=True)
class _Run:
    given: Given
    stack: Stack
    own: Settings
    """With a way to the store that is never cut off, to look what is there."""
    web: Site
    proxy: FaultyProxy
    names: Names | None
    say: Say
    findings: list[Finding] = field(default_factory=list)

    async def run(self) -> Result:
        result = Result(self.given, findings=self.findings)
        modes = [mode for mode in self.given.modes if self.names or mode != "no name"]
        moments = [(FIRST + (LAST - FIRST) * number / len(modes), mode) for number, mode in enumerate(modes)]
        lasting = dataclasses.replace(self.given, most_seconds=self.given.longest_seconds)
        result.outages, ending = await in_the_middle(self.own, self.web, lasting, moments, self._outage)
        self.findings += ending.findings
        result.seconds, result.extras = ending.seconds, len(ending.extras)
        return result

    async def _outage(self, watch: Watch, mode: str) -> Outage:
        told = self._told()
        self._turn(mode)
        self.say(f"{time.monotonic() - watch.started:.1f} s: the store is away ({mode}), {watch.done} URLs done")
        await asyncio.sleep(2 * LOOK_SECONDS)  # what was on its way is through
        await watch.look()
        before = watch.done
        await asyncio.sleep(self.given.away_seconds)
        doctor = "" if mode == "no name" else await asyncio.to_thread(self._doctor)
        await watch.look()
        meanwhile = watch.done - before
        self._turn("pass")
        back = time.monotonic()
        resumed = await watch.one_more(self.given.settle_seconds)
        outage = Outage(mode, self._told() - told, doctor, meanwhile, resumed)
        self.say(f"{back - watch.started:.1f} s: it is back; the next URL was done {resumed:.1f} s later")
        if mode != "slow" and not outage.told:
            self._find("outage.untold", f"{mode}: nobody said that the store is away")
        if mode not in ("slow", "no name") and not doctor:
            self._find("outage.undiagnosed", f"{mode}: doctor found no fault with s3")
        if mode != "slow" and meanwhile:
            self._find("outage.done", f"{mode}: {meanwhile} URLs were done without a store")
        return outage

    def _turn(self, mode: str) -> None:
        if self.names is not None:
            self.names.tell(found=mode != "no name")
        self.proxy.turn("pass" if mode == "no name" else mode)  # which cuts off what is connected

    def _doctor(self) -> str:
        """What it has to say against the store; empty: nothing. It reaches the proxy by its address."""
        settings = dataclasses.replace(self.own, s3_endpoint=self.proxy.url, s3_attempts=1)
        checks = asked(settings, ("doctor", "--json")) or []
        return next((f"{each['message']}" for each in checks if each["name"] == "s3" and not each["ok"]), "")

    def _told(self) -> int:
        logs = StackPaths(self.stack.settings.data_dir).logs
        lines = [line for log in logs.glob("*.log") for line in log.read_text(errors="replace").splitlines()]
        return sum("S3" in line and ("WARNING" in line or "ERROR" in line) for line in lines)

    def _find(self, code: str, text: str) -> None:
        self.findings.append(Finding(code, text))
