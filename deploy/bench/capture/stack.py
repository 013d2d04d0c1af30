"""Our side: the real parts of the local stack that capturing takes, and no more, for as long as a block lasts.

Valkey, SeaweedFS, a scheduler, and Celery workers on the queue `capture`, and on `interactive` where that is measured.
Nothing extracts or clusters meanwhile. The processes die with this one, however it ends.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.bench.capture import processes
from scheduler.stack import child, state
from scheduler.stack.preparation import PREPARE
from scheduler.stack.programs import program_parts
from scheduler.stack.running import running_parts
from scheduler.stack.state import StackPaths
from workers import config
from workers.config import VARIABLES, ConfigError, Settings

PROGRAMS = ("worker-capture", "scheduler")
"""Whose CPU time is ours."""
INTERACTIVE = "worker-interactive"
STORES = ("redis", "s3")
CHILDREN_SECONDS = 10.0


class DidNotStartError(Exception):
    """A part of our stack did not come up; the text has the end of its log."""


@dataclass(frozen=True, slots=True)
class Stack:
    """A running stack: the settings to reach it, and its processes by part."""

    settings: Settings
    pids: Mapping[str, int]

    def cpu_seconds(self) -> dict[str, float]:
        """What each part has used so far."""
        return {name: processes.cpu_seconds([pid]) for name, pid in self.pids.items()}

    def capture_processes(self) -> list[int]:
        """The prefork children that capture, not Celery's main process."""
        main = self.pids["worker-capture"]
        return [pid for pid in processes.tree(main) if pid != main]


@contextmanager
def running_stack(folder: Path, given: Mapping[str, str], *more: str) -> Iterator[Stack]:
    """Start on an empty folder, with these settings by field name as they would stand in the environment, and with
    `more` programs than capturing in bulk takes; everything is ended with the block. ConfigError where a setting is
    wrong, DidNotStartError where a part does not answer."""
    unknown = sorted(set(given) - {variable.field for variable in VARIABLES})
    if unknown:
        raise ConfigError("there is no such setting", where=", ".join(unknown), next_step="see deploy/reference.md")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    fixed = {
        "data_dir": str(folder),
        "contact": "https://example.org/bench",
        "allow_networks": "127.0.0.0/8",
        "log_level": "WARNING",
    }
    settings = config.load({**fixed, **given}, environ={}, folder=folder)
    with ExitStack() as parts:
        stores = parts.enter_context(running_parts(settings.data_dir))
        complete = stores.reached_by(settings)
        for step in PREPARE:
            step(complete)
        started = []
        for part in program_parts(complete):
            if part.name in (*PROGRAMS, *more):
                process = child.start(part)
                parts.callback(child.stop, part, process)
                started.append((part, process))
        for part, process in started:
            complaint = child.wait_until_answering(part, process, part.start_seconds)
            if complaint is not None:
                raise DidNotStartError(f"{complaint}\n{child.log_tail(part.log, 20)}")
        names = (*STORES, *(part.name for part, _ in started))
        stack = Stack(complete, {name: _pid(StackPaths(folder), name) for name in names})
        _wait_for_children(stack)
        yield stack


def _pid(paths: StackPaths, name: str) -> int:
    pid = state.holder(paths.run / f"{name}.lock")
    if pid is None:
        raise DidNotStartError(f"{name} has ended")
    return pid


def _wait_for_children(stack: Stack) -> None:
    deadline = time.monotonic() + CHILDREN_SECONDS
    while len(stack.capture_processes()) < stack.settings.capture_workers:
        if time.monotonic() > deadline:
            raise DidNotStartError("Celery's processes did not come up")
        time.sleep(0.05)
