"""The local stack as `citevault up` starts it, under its own supervisor, which starts again what is killed. It ends
with the block, and with this process, however that ends."""

from __future__ import annotations

import dataclasses
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from deploy.bench.capture import processes
from scheduler.stack import child, control, state
from scheduler.stack.part import Part
from scheduler.stack.programs import PACKAGES
from scheduler.stack.state import StackPaths
from workers import config
from workers.config import Settings, process_environment
from workers.errors import RetryableError

SETTINGS: Mapping[str, str] = {
    "contact": "https://example.org/chaos",
    "allow_networks": "127.0.0.0/8",
    "capture_workers": "3",
    "extract_workers": "1",
    # Short, so that what a killed worker had goes out again within the run. The default is a minute.
    "lease_seconds": "6",
    "heartbeat_seconds": "1.5",
    "stuck_seconds": "15",
    "segment_seconds": "3",
    "sync_seconds": "0.3",
    "publish_seconds": "5",
}
START_SECONDS, STOP_SECONDS = 180.0, 60.0


@dataclasses.dataclass(frozen=True, slots=True)
class Stack:
    """A running stack: the settings with which to reach it, and its processes."""

    settings: Settings

    def main(self, part: str) -> int | None:
        """Process id of a part; None while it is not there."""
        return state.holder(StackPaths(self.settings.data_dir).run / f"{part}.lock")

    def children(self, part: str) -> list[int]:
        """Processes that a part has started."""
        main = self.main(part)
        return [] if main is None else [pid for pid in processes.tree(main) if pid != main]


@contextmanager
def supervised(
    folder: Path,
    more: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
    enter: tuple[str, ...] = (),
) -> Iterator[Stack]:
    """Start on this folder, with `more` settings by field name and variables for all processes; `enter` is a command
    that runs the supervisor's in a place of its own. RetryableError where a part does not come up."""
    settings = config.load({**SETTINGS, **(more or {}), "data_dir": str(folder)}, environ={}, folder=folder)
    paths = StackPaths(settings.data_dir)
    paths.make()
    part = Part(
        name="supervisor",
        command=(*enter, sys.executable, "-m", "scheduler.stack"),
        env={**process_environment(settings), **(environment or {}), "PYTHONPATH": str(PACKAGES)},
        probe=lambda: "it is starting" if state.running(settings.data_dir) is None else None,
        log=paths.supervisor_log,
        lock=paths.run / "chaos.lock",
        death_signal=signal.SIGTERM,
        stop_seconds=STOP_SECONDS,
    )
    process = child.start(part)
    try:
        complaint = child.wait_until_answering(part, process, START_SECONDS)
        info = state.running(settings.data_dir)
        if complaint is not None or info is None:
            raise RetryableError(f"{complaint}\n{child.log_tail(part.log, 20)}", where=str(part.log))
        yield Stack(info.settings(settings, state.credentials_of(paths)))
    finally:
        child.stop(part, process)
        control.down(settings.data_dir, lambda _line: None)
