"""Keeps the parts of one stack running: starts them in the order of their needs, waits until each answers, starts
a dead one again, and ends them all.

Everything happens in the thread that calls it, which must be the main thread of its process: parts die with the
thread that started them. Signals only set a flag; the loop looks at it.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

from scheduler.stack import child
from scheduler.stack.part import Part
from workers.errors import CitevaultError, RetryableError

Say = Callable[[str], None]
STARTS_IN_A_ROW = 3
LOOK_SECONDS = 0.25
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class StartError(RetryableError):
    """A part did not come up. Whatever had been started is ended again."""

    ended = False
    """The part ended by itself, as it does where its port is taken."""


class StoppedError(RetryableError):
    """Somebody asked the supervisor to stop while it was starting."""


@dataclass(slots=True)
class Watched:
    """A part and what has become of it."""

    part: Part
    process: subprocess.Popen[bytes] | None = None
    answers: bool = False
    deaths: int = 0
    started_at: float = 0.0
    start_again_at: float = 0.0

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None


class Supervisor:
    """Runs one set of parts. `say` gets a line for people for everything that happens."""

    def __init__(self, parts: Sequence[Part], say: Say) -> None:
        self._watched = [Watched(part) for part in parts]
        self._say = say
        self._asked = 0
        self._wake_reader = self._wake_writer = -1

    @contextmanager
    def signals(self) -> Iterator[None]:
        """While this lasts, SIGTERM, SIGINT and SIGHUP ask for an orderly end (twice: for a quick one), and a child's
        death is noticed at once."""
        self._wake_reader, self._wake_writer = os.pipe()
        for end in (self._wake_reader, self._wake_writer):
            os.set_blocking(end, False)
        before = {number: signal.signal(number, self._asked_to_stop) for number in STOP_SIGNALS}
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        wakeup = signal.set_wakeup_fd(self._wake_writer, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(wakeup)
            for number, previous in before.items():
                signal.signal(number, previous)
            os.close(self._wake_reader)
            os.close(self._wake_writer)
            self._wake_reader = self._wake_writer = -1

    @property
    def stopping(self) -> bool:
        return self._asked > 0

    def _asked_to_stop(self, _number: int, _frame: FrameType | None) -> None:
        self._asked += 1

    def start(self, only: Collection[str] | None = None) -> None:
        """Start every part (or only some) when what it needs answers; return when all answer. StartError names the
        first that does not, with the end of its log, and by then everything has been ended."""
        wanted = [each for each in self._watched if only is None or each.part.name in only]
        try:
            while pending := [each for each in wanted if not each.answers]:
                for each in pending:
                    self._bring_up(each)
                if self.stopping:
                    raise StoppedError("asked to stop while starting")
                if any(not each.answers for each in pending):
                    self._pause(0.05)
        except BaseException:
            self.stop()
            raise

    def run(self) -> None:
        """Watch until asked to stop; start again what dies."""
        while not self.stopping:
            for each in self._watched:
                self._look_after(each)
            self._pause(LOOK_SECONDS)

    def stop(self) -> None:
        """End all: first what uses others, then what is used, each group together and within its bound."""
        left = [each for each in self._watched if each.process is not None]
        while left:
            needed = {name for each in left for name in each.part.needs}
            group = [each for each in left if each.part.name not in needed] or left
            for each in group:
                if each.process is not None:
                    child.ask_to_stop(each.process)
            asked = time.monotonic()
            for each in group:
                if not self._ended_by(each, asked + each.part.stop_seconds):
                    self._say(f"{each.part.name} had not ended within its time and is killed")
                self._bury(each)
            left = [each for each in left if each not in group]

    def _ended_by(self, watched: Watched, deadline: float) -> bool:
        """Wait for an orderly end, unless somebody asks a second time."""
        while watched.alive:
            if self._asked > 1 or time.monotonic() > deadline:
                return False
            self._pause(0.05)
        return True

    def _bury(self, watched: Watched) -> None:
        """End whatever is left of the part's group, and take note that it does not run."""
        if watched.process is not None:
            child.finish(watched.part, watched.process)
        watched.process = None
        watched.answers = False

    def _bring_up(self, watched: Watched) -> None:
        part = watched.part
        answering = {each.part.name for each in self._watched if each.answers}
        present = {each.part.name for each in self._watched}
        if any(name in present and name not in answering for name in part.needs):
            return
        now = time.monotonic()
        if watched.process is None:
            try:
                self._start(watched, now)
            except OSError as refused:
                raise StartError(f"{part.name} cannot be started: {refused}") from refused
            return
        complaint = part.probe()
        if complaint is None and watched.alive:
            watched.answers = True
            self._say(f"{part.name} answers after {time.monotonic() - watched.started_at:.1f} s")
        elif not watched.alive:
            self._died_at_start(watched)
        elif now - watched.started_at > part.start_seconds:
            raise self._failed(watched, f"{part.name} did not answer within {part.start_seconds:.0f} s ({complaint})")

    def _died_at_start(self, watched: Watched) -> None:
        code = watched.process.returncode if watched.process is not None else None
        watched.deaths += 1
        self._bury(watched)
        if watched.deaths >= STARTS_IN_A_ROW:
            failed = self._failed(
                watched, f"{watched.part.name} ended with code {code} at each of {watched.deaths} starts"
            )
            failed.ended = True
            raise failed

    def _failed(self, watched: Watched, what: str) -> StartError:
        tail = child.log_tail(watched.part.log)
        return StartError(f"{what}\n{tail}" if tail else what, where=str(watched.part.log))

    def _look_after(self, watched: Watched) -> None:
        """Notice a death, and start again when its pause is over."""
        now = time.monotonic()
        part = watched.part
        if watched.alive:
            if watched.deaths and now - watched.started_at > part.restart.settled:
                watched.deaths = 0
            return
        if watched.process is not None:
            code = watched.process.returncode
            self._bury(watched)
            pause = self._schedule(watched, now)
            self._say(f"{part.name} ended with code {code}; it is started again in {pause:.1f} s (log: {part.log})")
        if now >= watched.start_again_at:
            try:
                self._start(watched, now)
            except (OSError, CitevaultError) as refused:
                pause = self._schedule(watched, now)
                self._say(f"{part.name} cannot be started ({refused}); tried again in {pause:.1f} s")

    def _schedule(self, watched: Watched, now: float) -> float:
        """One death more: seconds until the next start."""
        watched.deaths += 1
        pause = watched.part.restart.delay(watched.deaths)
        watched.start_again_at = now + pause
        return pause

    def _start(self, watched: Watched, now: float) -> None:
        watched.process = child.start(watched.part)
        watched.started_at = now

    def _pause(self, seconds: float) -> None:
        """Sleep, but wake at any signal."""
        if self._wake_reader < 0:
            time.sleep(seconds)
            return
        ready, _, _ = select.select([self._wake_reader], [], [], seconds)
        if ready:
            with suppress(BlockingIOError):
                os.read(self._wake_reader, 4096)
