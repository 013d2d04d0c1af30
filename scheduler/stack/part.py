"""A part of the local stack, as data: what to run, how to know that it answers, how it ends."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Probe = Callable[[], str | None]
"""Looks once, within a second or two. None: the part answers. Otherwise why it does not, in words."""


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """Seconds between a death and the next start: first x 2 per death in a row, at most `longest`.

    A part that stayed up for `settled` seconds starts from `first` again: it can start, and whatever ended it, to leave
    it down does not help. With 30 s, a stack whose parts were killed every half a minute was hardly ever whole.
    """

    first: float = 0.2
    longest: float = 15.0
    settled: float = 10.0

    def delay(self, deaths_in_a_row: int) -> float:
        return min(self.longest, self.first * 2.0 ** min(max(0, deaths_in_a_row - 1), 16))


@dataclass(frozen=True, slots=True)
class Part:
    """One child process of the supervisor.

    `death_signal` is what the kernel sends when the supervisor dies: SIGTERM for the stores, which then write
    what they hold; SIGKILL for Celery, since a busy prefork worker outlives SIGTERM.
    `stop_seconds` bounds an orderly stop; after it comes SIGKILL to the whole process group.
    `needs` names the parts that must answer before this one is started.
    """

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str]
    probe: Probe
    log: Path
    lock: Path
    needs: tuple[str, ...] = ()
    death_signal: signal.Signals = signal.SIGKILL
    stop_seconds: float = 5.0
    start_seconds: float = 120.0
    restart: RestartPolicy = field(default_factory=RestartPolicy)
    before_start: Callable[[], None] | None = None
    after_end: Callable[[], None] | None = None
