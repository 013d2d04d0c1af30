"""The run in which the disk under the data directory is full, twice, while a job is captured: a file system of its own
(tmpfs, which only root mounts) is filled, first until little is left, then to the last byte. Valkey's append-only file,
SeaweedFS' volumes and the spool lie on it, as in a stack that somebody started at home.

Workers must pause and say so; doctor, `status` and a command that fails must name the file system and what to do.
Nothing may be dropped or captured twice, and all must go on by itself when there is room.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from deploy.chaos.asking import asked, complaint
from deploy.chaos.given import Given as GivenJob
from deploy.chaos.given import emptied, served
from deploy.chaos.in_the_middle import in_the_middle
from deploy.chaos.saying import Say
from deploy.chaos.site import Site
from deploy.chaos.stack import Stack, supervised
from deploy.chaos.verdict import Finding
from deploy.chaos.watch import LOOK_SECONDS, Watch
from scheduler.stack.state import StackPaths
from workers.errors import PermanentError

MIB = 1024 * 1024
PAGE = 4096
SAID = ("no room for a batch", "commit waits", "cannot keep what was captured")
"""Of workers: one begins no batch, or has one that it cannot store."""
TIMES = ((0.15, 6 * MIB), (0.55, 0))
"""At which part of the URLs the disk fills up, and what is left of it: room for logs, or for nothing."""


@dataclass(frozen=True, slots=True)
class Given(GivenJob):
    """What a run is like."""

    disk_bytes: int = 1536 * MIB
    full_seconds: float = 30.0
    """Several leases of these runs."""


@dataclass(frozen=True, slots=True)
class Filled:
    """One time that the disk was full."""

    left_bytes: int
    done_meanwhile: int
    """URLs; none where not a byte is left."""
    told: int
    """Lines of the workers' logs that say so."""
    doctor: str
    status: str
    command: str
    """What these said of it; empty: nothing."""
    resumed_seconds: float
    """From the moment at which there was room again until a URL more was done."""


@dataclass(slots=True)
class Result:
    """A run and what was found."""

    given: Given
    seconds: float = 0.0
    filled: list[Filled] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    extras: int = 0


def run(given: Given, folder: Path, say: Say) -> Result:
    """One run in this folder, which is emptied first. PermanentError where no file system may be mounted."""
    with suppress(OSError):
        subprocess.run(["umount", str(folder / "disk")], capture_output=True, check=False)  # noqa: S603, S607
    emptied(folder)
    with served(given, folder) as web, small_disk(folder / "disk", given.disk_bytes) as disk:
        more = {"batch_urls": str(given.batch_urls), "spool_free_bytes": str(64 * MIB)}
        with supervised(disk / "data", more) as stack:
            try:
                return asyncio.run(_Run(given, stack, web, disk, say).run())
            finally:
                (disk / "ballast").unlink(missing_ok=True)


@contextmanager
def small_disk(place: Path, size: int) -> Iterator[Path]:
    """A file system of so many bytes, for the length of a block."""
    place.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError as error:
        raise PermanentError("there is no mount on this machine", where=str(place)) from error
    if mounted.returncode:
        raise PermanentError(mounted.stderr.strip(), where=str(place), next_step="run this as root on Linux")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], capture_output=True, check=False)  # noqa: S603, S607


@dataclass(slots=True)
class _Run:
    given: Given
    stack: Stack
    web: Site
    disk: Path
    say: Say
    findings: list[Finding] = field(default_factory=list)

    async def run(self) -> Result:
        result = Result(self.given, findings=self.findings)
        result.filled, ending = await in_the_middle(self.stack.settings, self.web, self.given, TIMES, self._filled)
        self.findings += ending.findings
        result.seconds, result.extras = ending.seconds, len(ending.extras)
        return result

    async def _filled(self, watch: Watch, left: int) -> Filled:
        told = self._told()
        filling = asyncio.create_task(self._keep_full(left))
        self.say(f"{time.monotonic() - watch.started:.1f} s: {left} bytes are left, {watch.done} URLs done")
        await asyncio.sleep(10 * LOOK_SECONDS)  # what was on its way is through
        await watch.look()
        before = watch.done
        await asyncio.sleep(self.given.full_seconds)
        doctor, status, command = await asyncio.to_thread(self._ask, watch.job_id)
        await watch.look()
        meanwhile = watch.done - before
        filling.cancel()
        await asyncio.wait({filling})
        (self.disk / "ballast").unlink()
        back = time.monotonic()
        resumed = await watch.one_more(self.given.settle_seconds)
        found = Filled(left, meanwhile, self._told() - told, doctor, status, command, resumed)
        self.say(f"{back - watch.started:.1f} s: there is room; the next URL was done {resumed:.1f} s later")
        self._judge(found)
        return found

    async def _keep_full(self, left: int) -> None:
        """What somebody frees meanwhile is taken too."""
        ballast = os.open(self.disk / "ballast", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        try:
            while True:
                await asyncio.to_thread(_fill, ballast, left)
                await asyncio.sleep(0.2)
        finally:
            os.close(ballast)

    def _ask(self, job_id: str) -> tuple[str, str, str]:
        """What doctor, `status` and a command that must write say."""
        settings, disk = self.stack.settings, str(self.disk)
        checks = asked(settings, ("doctor", "--json")) or []
        doctor = next((each["message"] for each in checks if each["name"] == "disk space" and not each["ok"]), "")
        status = asked(settings, ("status", job_id, "--json"))
        if status is None:  # Redis that cannot keep writes runs no scripts either
            held = complaint(settings, ("status", job_id))
        else:
            held = next((each for each in status.get("held_back", ()) if disk in each), "")
        return doctor, held, complaint(settings, ("archive", next(iter(self.web.pages))))

    def _judge(self, found: Filled) -> None:
        disk = str(self.disk)
        if not found.told and found.left_bytes:  # on a disk without a byte there is no log either
            self._find("disk.untold", "no worker said that it has no room or waits for the store")
        asked_for = {"doctor": found.doctor, "status": found.status}
        if found.command or not found.left_bytes:  # what is little may find room while there is any
            asked_for["archive"] = found.command
        for name, said in asked_for.items():
            if disk not in said or "free" not in said:
                self._find("disk.undiagnosed", f"{name} did not name the file system: {said[:300]!r}")
        if found.done_meanwhile and not found.left_bytes:  # as long as there is any, small pages find room
            self._find("disk.done", f"{found.done_meanwhile} URLs were done on a full disk")
        if found.resumed_seconds >= self.given.settle_seconds:
            self._find("disk.stuck", "nothing went on when there was room")

    def _told(self) -> int:
        logs = StackPaths(self.stack.settings.data_dir).logs
        texts = [log.read_text(errors="replace") for log in logs.glob("worker-*.log")]
        return sum(text.count(sentence) for text in texts for sentence in SAID)

    def _find(self, code: str, text: str) -> None:
        self.findings.append(Finding(code, text))


def _fill(ballast: int, left: int) -> None:
    for step in (MIB, PAGE):
        with suppress(OSError):
            while (found := os.fstatvfs(ballast)).f_bavail * found.f_frsize >= left + step:
                os.write(ballast, bytes(step))
