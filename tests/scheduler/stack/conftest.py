"""Toy parts: small Python programs that a test can watch live and die."""

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from scheduler.stack.part import Part, RestartPolicy
from workers.config import Settings, process_environment

REPOSITORY = Path(__file__).resolve().parents[3]

# Every toy writes its process id when it is ready, then sleeps; SIGTERM ends it.
READY = "import os, pathlib, signal, time; pathlib.Path(os.environ['PID_FILE']).write_text(str(os.getpid())); "
SLEEP = READY + "time.sleep(600)"


class Toys(Protocol):
    def __call__(self, name: str, code: str = SLEEP, **more: object) -> Part: ...


@pytest.fixture
def pid_of(tmp_path: Path) -> Callable[[str], int]:
    """Process id that the toy of this name wrote last; waits for it."""

    def read(name: str) -> int:
        path = tmp_path / f"{name}.pid"
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            if path.exists() and (text := path.read_text()):
                return int(text)
            time.sleep(0.01)
        raise AssertionError(f"{name} did not start")

    return read


@pytest.fixture
def toy(tmp_path: Path) -> Toys:
    """A part that runs Python code; it answers when its process id file is there."""

    def make(name: str, code: str = SLEEP, **more: object) -> Part:
        pid_file = tmp_path / f"{name}.pid"
        env = {**process_environment(Settings()), "PID_FILE": str(pid_file)}
        settings: dict[str, object] = {
            "probe": lambda: None if pid_file.exists() else "no file yet",
            "stop_seconds": 5.0,
            "restart": RestartPolicy(first=0.05, longest=0.5, settled=30),
            "death_signal": signal.SIGTERM,
        }
        return Part(
            name=name,
            command=(sys.executable, "-I", "-S", "-c", code),
            env=env,
            log=tmp_path / f"{name}.log",
            lock=tmp_path / f"{name}.lock",
            **{**settings, **more},  # type: ignore[arg-type]
        )

    return make


@pytest.fixture
def is_alive() -> Callable[[int], bool]:
    """Whether a process exists and is no zombie."""

    def look(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except FileNotFoundError:
            return not Path("/proc/self").exists()

    return look


@pytest.fixture
def eventually() -> Callable[..., None]:
    """Wait until a condition holds; fail with its description where it does not in time."""

    def wait(condition: Callable[[], object], what: str, seconds: float = 10.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
            time.sleep(0.02)

    return wait


@pytest.fixture
def short_dir() -> Iterator[Path]:
    """A data directory whose name is short enough for sockets in it."""
    with tempfile.TemporaryDirectory(prefix="cv-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
