"""The run on three hosts, one of which is cut off and comes back, twice: first from everything, then from the stores
alone, so that it goes on capturing what others are given meanwhile. Longer than a lease each time.

Host `a` holds stores, scheduler and a worker of each kind; `b` and `c` capture and extract. Nothing is killed and Redis
forgets nothing, so there must be no extra at all; what `c` had when it was cut off must be refused when it is back, and
`c` must take up work again by itself.
"""

from __future__ import annotations

import asyncio
import dataclasses
import secrets
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from deploy.bench.capture.origin import Place
from deploy.chaos import host as hosting
from deploy.chaos.evidence import Evidence, collect
from deploy.chaos.given import Given as GivenJob
from deploy.chaos.given import emptied, served
from deploy.chaos.network import SITES, Network, networked
from deploy.chaos.saying import Say
from deploy.chaos.site import Site
from deploy.chaos.stack import SETTINGS, START_SECONDS, STOP_SECONDS
from deploy.chaos.verdict import Finding, judge
from deploy.chaos.watch import LOOK_SECONDS, Watch, hand_in
from scheduler.stack import child
from scheduler.stack.part import Part
from scheduler.stack.programs import PACKAGES
from scheduler.stack.state import StackPaths
from schemas.records.job import Lane
from schemas.records.receipt import Token
from workers import config
from workers.bootstrap import Archive, open_archive
from workers.config import Settings, process_environment
from workers.errors import RetryableError
from workers.frontier import names
from workers.ports import Batch, Held, Lease

HOSTS = {
    "a": ("stores", "scheduler", "worker-capture", "worker-extract", "worker-cluster"),
    "b": ("worker-capture", "worker-extract"),
    "c": ("worker-capture", "worker-extract"),
}
CUT = "c"
CUTS: tuple[tuple[float, tuple[str, ...]], ...] = ((0.15, ("core", "web")), (0.5, ("core",)))
"""When (part of the URLs that is done), and from what."""
WAITED_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Given(GivenJob):
    """What a run is like."""

    urls: int = 2000
    hosts: int = 50
    answer_seconds: float = 2.0
    lease_seconds: float = 60.0
    cut_seconds: float = 75.0
    """Longer than a lease."""
    most_seconds: float = 1800.0

    @property
    def batch_urls(self) -> int:
        return max(10, self.urls // 40)


@dataclass(frozen=True, slots=True)
class Absence:
    """One time that the host was away."""

    from_what: tuple[str, ...]
    seconds: float
    held: int
    """Batches that it had when it was cut off."""
    taken_over: int
    """Those of them that another worker had claimed, or the job had ended, by the time it was back."""
    refused: int
    """Those whose old token was refused then, for a heartbeat as for a commit."""
    back_seconds: float | None
    """From the cable's return until it had claimed a batch; None: there was none left to claim."""


@dataclass(slots=True)
class Result:
    """A run and what was found."""

    given: Given
    seconds: float = 0.0
    absences: list[Absence] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    extras: int = 0
    receipts: dict[str, int] = field(default_factory=dict)
    """By host."""
    fenced: int = 0
    """Times that the host's log says that it lost a lease, or was fenced at the store."""
    records: int = 0


def run(given: Given, folder: Path, say: Say) -> Result:
    """One run in this folder, which is emptied first. PermanentError where network namespaces are not permitted."""
    emptied(folder)
    with ExitStack() as stack:
        network = stack.enter_context(networked(tuple(HOSTS)))
        origin = Place(network.enter("origin"), f"{SITES}0.1", "10.20")
        site = stack.enter_context(served(given, folder, origin, SITES))
        settings = _settings(given, folder, network)
        for name in HOSTS:
            say(f"starts host {name}")
            stack.enter_context(_host(network, name, settings))
        return asyncio.run(_Run(given, network, site, settings, say).run())


def _settings(given: Given, folder: Path, network: Network) -> Settings:
    at = hosting.Addresses(network.address("a"))
    values = {
        **SETTINGS,
        "data_dir": str(folder / "a"),
        "allow_networks": f"{SITES}0.0/16",
        "capture_workers": "1",
        "batch_urls": str(given.batch_urls),
        "lease_seconds": str(given.lease_seconds),
        "heartbeat_seconds": str(given.lease_seconds / 4),
        "redis_url": at.redis(secrets.token_hex(16)),
        "s3_endpoint": at.s3,
        "aws_access_key_id": secrets.token_hex(10),
        "aws_secret_access_key": secrets.token_hex(24),
    }
    return config.load(values, environ={}, folder=folder)


@contextmanager
def _host(network: Network, name: str, settings: Settings) -> Iterator[None]:
    """A host with a disk of its own."""
    folder = settings.data_dir.parent / name
    own = dataclasses.replace(
        settings,
        data_dir=folder,
        spool_dir=folder / "spool",
        metrics_dir=folder / "metrics",
        signing_key=folder / "keys" / "signing.pem",
    )
    paths = StackPaths(folder)
    paths.make()
    ready = hosting.ready_file(folder)
    command = (sys.executable, "-m", "deploy.chaos.host", name, network.address(name), *HOSTS[name])
    part = Part(
        name=f"host {name}",
        command=(*network.enter(name), *command),
        env={**process_environment(own), "PYTHONPATH": str(PACKAGES)},
        probe=lambda: None if ready.exists() else "it is starting",
        log=paths.logs / "host.log",
        lock=paths.run / "host.lock",
        death_signal=signal.SIGTERM,
        stop_seconds=STOP_SECONDS,
    )
    process = child.start(part)
    try:
        complaint = child.wait_until_answering(part, process, START_SECONDS)
        if complaint is not None:
            raise RetryableError(f"{complaint}\n{child.log_tail(part.log, 20)}", where=str(part.log))
        yield
    finally:
        child.stop(part, process)


@dataclass(slots=True)
class _Run:
    given: Given
    network: Network
    web: Site
    settings: Settings
    say: Say
    started: float = 0.0
    done: int = 0
    absences: list[Absence] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    async def run(self) -> Result:
        async with open_archive(self.settings) as archive:
            job = await hand_in(archive, list(self.web.pages))
            self.started = time.monotonic()
            watch = Watch(archive, job.id, self.web.pages)
            absent = asyncio.create_task(self._come_and_go(archive, job.id, watch))
            while not (await self._look(watch) and absent.done()):
                if time.monotonic() - self.started > self.given.most_seconds:
                    self._find(
                        "run.late", f"{watch.done} of {self.given.urls} URLs after {self.given.most_seconds:.0f} s"
                    )
                    absent.cancel()
                    break
                await asyncio.sleep(LOOK_SECONDS)
            await asyncio.wait({absent})
            if not absent.cancelled() and (failed := absent.exception()) is not None:
                raise failed
            seconds = time.monotonic() - self.started
            self.say(f"{seconds:.0f} s: captured; what follows comes to its end")
            if not await watch.settled(self.given.settle_seconds):
                self._find("run.unsettled", f"not at rest {self.given.settle_seconds:.0f} s after that")
            evidence = await collect(archive, job.id)
        found, extras = judge(self.web.pages, evidence, [])
        return self._result(seconds, evidence, [*watch.findings, *self.findings, *found], len(extras))

    async def _look(self, watch: Watch) -> bool:
        progress = await watch.look()
        if watch.done // 100 != self.done // 100:
            self.say(f"{time.monotonic() - self.started:.0f} s: {watch.done} of {self.given.urls} URLs done")
        self.done = watch.done
        return progress is not None and progress.captured_all

    async def _come_and_go(self, archive: Archive, job_id: str, watch: Watch) -> None:
        for part_done, bridges in CUTS:
            while watch.done < part_done * self.given.urls or not await self._held(archive, job_id):
                if watch.done == self.given.urls:
                    self._find("cut.missed", f"all was done before {CUT} could be cut off from {bridges}")
                    return
                await asyncio.sleep(LOOK_SECONDS)
            await self._absence(archive, job_id, bridges)

    async def _absence(self, archive: Archive, job_id: str, bridges: tuple[str, ...]) -> None:
        held = await self._held(archive, job_id)
        self.network.cut(CUT, bridges)
        self.say(
            f"{time.monotonic() - self.started:.1f} s: {CUT} is cut off from {bridges}, and has {len(held)} batches"
        )
        await asyncio.sleep(self.given.cut_seconds)
        taken = [lease for lease in held if await self._gone_on(archive, lease)]
        refused = [lease for lease in taken if await _refused(archive, lease)]
        self.network.mend(CUT)
        back = time.monotonic()
        self.say(f"{back - self.started:.1f} s: {CUT} is back")
        old = {lease.token.counter for lease in held}
        while time.monotonic() - back < WAITED_SECONDS:
            progress = await archive.frontier.progress(job_id)
            new = {lease.token.counter for lease in await self._held(archive, job_id)} - old
            if new or (progress is not None and progress.captured_all):
                break
            await asyncio.sleep(0.1)
        seconds = time.monotonic() - back if new else None
        self.absences.append(Absence(bridges, self.given.cut_seconds, len(held), len(taken), len(refused), seconds))
        if len(refused) < len(taken):
            self._find("token.accepted", f"{len(taken) - len(refused)} old tokens were good after another's claim")
        if not new and not (progress is not None and progress.captured_all):
            self._find("host.idle", f"{CUT} took nothing for {WAITED_SECONDS:.0f} s after it was back")

    async def _held(self, archive: Archive, job_id: str) -> list[Lease]:
        """The leases that the host has, with their tokens, as Redis says."""
        found = []
        number = archive.guard.epoch.number or 0
        async for key in archive.redis.scan_iter(match=names.batch("*"), count=1000):
            state, worker, counter = map(_text, await archive.redis.hmget(key, "state", "worker", "counter"))
            if state == "leased" and worker.startswith(f"{CUT}-"):
                batch = Batch(key.decode().removeprefix(names.batch("")), job_id, Lane.BULK, ())
                token = Token(epoch=number, counter=int(counter))
                found.append(Lease(batch, token, self.given.lease_seconds))
        return found

    async def _gone_on(self, archive: Archive, lease: Lease) -> bool:
        """Whether the batch is somebody else's by now, or over."""
        counter, state = await archive.redis.hmget(names.batch(lease.batch.batch_id), "counter", "state")
        return state == b"done" or (counter is not None and int(counter) != lease.token.counter)

    def _find(self, code: str, text: str) -> None:
        self.findings.append(Finding(code, text))

    def _result(self, seconds: float, evidence: Evidence, findings: list[Finding], extras: int) -> Result:
        by_host = dict.fromkeys(HOSTS, 0)
        for receipt in evidence.receipts.values():
            by_host[receipt.worker.partition("-")[0]] = by_host.get(receipt.worker.partition("-")[0], 0) + 1
        log = (StackPaths(self.settings.data_dir.parent / CUT).logs / "worker-capture.log").read_text(errors="replace")
        fenced = sum(any(word in line for word in ("lease lost", "fenced batch")) for line in log.splitlines())
        return Result(
            given=self.given,
            seconds=seconds,
            absences=self.absences,
            findings=findings,
            extras=extras,
            receipts=by_host,
            fenced=fenced,
            records=sum(found.records for found in evidence.archives.values()),
        )


def _text(value: bytes | str | None) -> str:
    """As Redis' client gives it: bytes, whatever its types say."""
    return value.decode() if isinstance(value, bytes) else value or ""


async def _refused(archive: Archive, lease: Lease) -> bool:
    """Whether an old token is worth nothing, for going on as for ending the batch."""
    now_ms = int(archive.clock.now().timestamp() * 1000)
    held = await archive.frontier.heartbeat(lease, now_ms=now_ms)
    ended = await archive.frontier.commit(lease, {}, now_ms=now_ms, ready_at_ms={}, last=True)
    return held is Held.LOST and not ended
