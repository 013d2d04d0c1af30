"""The whole stack as `citevault up` starts it: every part answers, one that is killed comes back, nothing is left."""

import json
import os
import signal
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler.stack import control, state
from scheduler.stack.programs import concurrency
from scheduler.stack.state import StackPaths
from workers.config import Settings

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes through /proc"),
]


@pytest.fixture
def settings(short_dir: Path) -> Iterator[Settings]:
    yield Settings(data_dir=short_dir, contact="ops@example.org")
    control.down(short_dir, lambda _line: None)


def processes_of(data_dir: Path) -> list[int]:
    """Every process that was given this data directory, whoever is its parent now."""
    marker = f"CITEVAULT_DATA_DIR={data_dir}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and marker in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_the_whole_stack_answers_heals_and_leaves_nothing(settings: Settings, is_alive: Any, eventually: Any) -> None:
    lines: list[str] = []
    info = control.up_detached(settings, lines.append)
    paths = StackPaths(settings.data_dir)
    workers = [f"worker-{queue}" for queue in concurrency(settings)]
    names = {"redis", "s3", *workers, "scheduler", "web"}
    assert {line.split()[0] for line in lines} == names
    free = [name for name in sorted(names) if not state.holder(paths.run / f"{name}.lock")]
    assert free == [], lines
    with urllib.request.urlopen(f"{info.web}/", timeout=10) as page:
        assert page.status == 200
    written = json.loads(paths.stack.read_text())
    assert (written["pid"], written["contact"]) == (info.pid, settings.contact)

    capture = paths.run / "worker-capture.lock"
    before = state.holder(capture)
    assert before is not None
    os.kill(before, signal.SIGKILL)
    eventually(lambda: state.holder(capture) not in (None, before), "the capture worker is back", 15)

    # All but Valkey, which writes its title over its environment: its lock stands for it.
    every = len(names) - 1 + sum(concurrency(settings).values())
    eventually(lambda: len(processes_of(settings.data_dir)) >= every, "all processes are there", 60)
    os.kill(info.pid, signal.SIGKILL)
    eventually(lambda: not processes_of(settings.data_dir), "no process is left", 20)
    eventually(lambda: not any(state.holder(lock) for lock in paths.run.glob("*.lock")), "no lock is held", 20)
