"""The ledger through kills of its broker: thousands of segments, each announced once, while Valkey is killed again and
again. Celery and kombu lose messages at that; the sweep must bring every segment on.

Ledger, announcer, sweep, Celery's settings and Valkey's flags are the product's.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ulid import ULID

from deploy.chaos.conveyor import JOB, URL_VARIABLE, entry, ledger_of
from deploy.chaos.saying import Say
from scheduler.stack import child, ports, state
from scheduler.stack.part import Part
from scheduler.stack.programs import PACKAGES
from scheduler.stack.state import StackPaths
from scheduler.stack.stores import LOOPBACK, valkey
from scheduler.sweep import SweepLimits, SweepPorts, sweep
from schemas.ids import segment_id, utc_string
from schemas.messages import ExtractSegment
from schemas.records.job import Lane
from workers.adapters.announcer import CeleryAnnouncer
from workers.adapters.clock import SystemClock
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.client import AsyncRedis, connect, fresh_connections
from workers.adapters.redis.queues import RedisQueues
from workers.config import Settings, process_environment
from workers.errors import RetryableError
from workers.frontier import names
from workers.ports import SegmentEntry

TASKS, KILLS = 10_000, 20
START_SECONDS, LONGEST_SECONDS = 60.0, 900.0
LOOK_SECONDS, SWEEP_SECONDS = 0.1, 1.0
LIMITS = SweepLimits(stuck_seconds=3.0, tries=40)
"""The product's sweep, only faster: five tries, a minute apart at least, are not meant for twenty kills in a minute."""


@dataclass(frozen=True, slots=True)
class Drilled:
    """What became of the tasks."""

    tasks: int
    kills: int
    seconds: float
    lost: int
    """Not moved on at the end, or forgotten by the ledger."""
    sent_again: int
    """Messages that the sweep sent."""
    done_twice: int
    """Segments whose task ran more than once, which does no harm."""
    worker_starts: int
    """Celery's main process ends now and then when its broker does (kombu cannot acknowledge what it had); whoever
    looks after services starts it again, and so does this drill."""

    @property
    def whole(self) -> bool:
        return self.lost == 0


def drill(folder: Path, say: Say, *, tasks: int = TASKS, kills: int = KILLS) -> Drilled:
    """One run in this folder, which is emptied first. RetryableError where a part does not come up."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with ExitStack() as stack:
        broker = Broker(*_valkey(folder))
        stack.enter_context(broker)
        worker = stack.enter_context(Worker(_worker(folder, broker.url)))
        return asyncio.run(_Drill(folder, broker, worker, say, tasks, kills).run())


@dataclass(slots=True)
class Broker:
    """A Valkey that can be killed, with its append-only file as the local stack has it."""

    part: Part
    url: str
    _process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Broker:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            child.stop(self.part, self._process)

    def kill(self) -> None:
        """SIGKILL, and a new start."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            child.finish(self.part, self._process)
        self._start()

    def _start(self) -> None:
        self._process = child.start(self.part)
        complaint = child.wait_until_answering(self.part, self._process, START_SECONDS)
        if complaint is not None:
            raise RetryableError(f"{complaint}\n{child.log_tail(self.part.log)}", where=str(self.part.log))


@dataclass(slots=True)
class Worker:
    """A Celery worker that is started again where it has ended."""

    part: Part
    starts: int = 0
    _process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Worker:
        self.look_after()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            child.stop(self.part, self._process)

    def look_after(self) -> None:
        """Start it unless it runs."""
        if self._process is not None:
            if self._process.poll() is None:
                return
            child.finish(self.part, self._process)
        self._process = child.start(self.part)
        self.starts += 1


@dataclass(slots=True)
class _Drill:
    folder: Path
    broker: Broker
    worker: Worker
    say: Say
    tasks: int
    kills: int
    _sent_again: int = 0
    _segments: list[str] = field(default_factory=list)

    async def run(self) -> Drilled:
        now = utc_string(SystemClock().now())
        self._segments = [segment_id(now, str(ULID())) for _ in range(self.tasks)]
        announcer = CeleryAnnouncer(self.broker.url)
        async with connect(self.broker.url) as client, connect(self.broker.url) as other:
            await client.set(names.EPOCH, "1")
            started = time.monotonic()
            works = [
                asyncio.create_task(each) for each in (self._announce(announcer, client), self._sweep(announcer, other))
            ]
            try:
                await self._kill_by_progress(started)
                entries = await self._entries_at_the_end(client, started)
            finally:
                for work in works:
                    work.cancel()
                await asyncio.wait(works)
                announcer.close()
        moved = [each for each in self._segments if each in entries and entries[each].stage == "extracted"]
        twice = sum(count > 1 for count in self._done().values())
        seconds = time.monotonic() - started
        return Drilled(
            self.tasks, self.kills, seconds, self.tasks - len(moved), self._sent_again, twice, self.worker.starts
        )

    async def _kill_by_progress(self, started: float) -> None:
        """Kills spread evenly over the work."""
        for number in range(self.kills):
            wanted = (number + 1) * self.tasks // (self.kills + 2)
            while len(self._done()) < wanted and time.monotonic() - started < LONGEST_SECONDS:
                self.worker.look_after()
                await asyncio.sleep(LOOK_SECONDS)
            await asyncio.to_thread(self.broker.kill)
            self.say(f"{time.monotonic() - started:.0f} s: Valkey killed, {len(self._done())} of {self.tasks} done")

    async def _entries_at_the_end(self, client: AsyncRedis, started: float) -> dict[str, SegmentEntry]:
        """The ledger, when all have moved on or the time is over. It counts, not the worker's lines: of a task whose
        last answer was lost there is none."""
        ledger = ledger_of(client)
        while time.monotonic() - started < LONGEST_SECONDS:
            self.worker.look_after()
            with suppress(RetryableError):
                await fresh_connections(client)
                if (await ledger.depths())["extracted"] >= self.tasks:
                    break
            await asyncio.sleep(SWEEP_SECONDS)
        await fresh_connections(client)
        return {each.segment_id: each for each in await ledger.of_job(JOB)}

    def _done(self) -> Counter[str]:
        """How often each task ran to its end."""
        lines = [path.read_text().splitlines() for path in self.folder.glob("done-*")]
        return Counter(segment for some in lines for segment in some)

    async def _announce(self, announcer: CeleryAnnouncer, client: AsyncRedis) -> None:
        """As a receipt is followed: into the ledger, insisted on; then the message, which may be lost."""
        ledger = ledger_of(client)
        for segment in self._segments:
            while True:
                try:
                    await ledger.advance(entry(segment, "committed"))
                    break
                except RetryableError:
                    await asyncio.sleep(0.05)
                    with suppress(RetryableError):
                        await fresh_connections(client)
            with suppress(RetryableError):
                await announcer.announce(_message(segment))

    async def _sweep(self, announcer: CeleryAnnouncer, client: AsyncRedis) -> None:
        """As the scheduler does, with Redis away now and then."""
        clock = SystemClock()
        swept = SweepPorts(
            DirectoryObjectStore(self.folder / "store"), ledger_of(client), announcer, RedisQueues(client).waiting
        )
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            now = clock.now()
            try:
                done = await sweep(swept, LIMITS, now_ms=round(now.timestamp() * 1000), now=utc_string(now))
                self._sent_again += done.sent
            except RetryableError:
                with suppress(RetryableError):
                    await fresh_connections(client)


def _message(segment: str) -> ExtractSegment:
    key = entry(segment, "committed").receipt_key
    return ExtractSegment(schema="citevault/extract-segment@1", lane=Lane.BULK, segment_id=segment, receipt_key=key)


def _valkey(folder: Path) -> tuple[Part, str]:
    settings = Settings(data_dir=folder)
    paths = StackPaths(folder)
    paths.make()
    credentials = state.credentials_of(paths)
    port = ports.choose().redis
    part = valkey(folder, port, credentials, env=process_environment(settings))
    return part, f"redis://:{credentials.redis_password}@{LOOPBACK}:{port}/0"


def _worker(folder: Path, url: str) -> Part:
    return Part(
        name="worker",
        command=(sys.executable, "-m", "deploy.chaos.conveyor", str(folder)),
        env={**os.environ, URL_VARIABLE: url, "PYTHONPATH": str(PACKAGES)},
        probe=lambda: None,
        log=folder / "worker.log",
        lock=folder / "worker.lock",
        stop_seconds=10.0,
    )
