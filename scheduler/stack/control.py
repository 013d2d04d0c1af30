"""Starting, finding and ending the local stack, from the point of view of a command. What only a start needs is
imported by it: most commands find a stack that runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from scheduler.stack import state
from scheduler.stack.state import StackInfo, StackPaths
from workers.config import Settings, process_environment
from workers.errors import RetryableError

Say = Callable[[str], None]
START_SECONDS = 300.0
DOWN_SECONDS = 60.0
READY = "READY"


def say_on_stderr(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def local_settings(settings: Settings, say: Say = say_on_stderr) -> Settings:
    """These settings, completed with the local stack where a store is not configured; starts it if need be."""
    if not settings.uses_local_stack:
        return settings
    info = ensure_running(settings, say)
    return info.settings(settings, state.credentials_of(StackPaths(settings.data_dir)))


def ensure_running(settings: Settings, say: Say = say_on_stderr, *, only: Collection[str] = ()) -> StackInfo:
    """The stack of this data directory, started in the background (or `only` these parts) if it does not run."""
    found = state.running(settings.data_dir)
    if found is not None:
        return found
    say(f"starting the local stack in {settings.data_dir}; it runs until `citevault down`")
    info = up_detached(settings, say, only=only)
    say(f"the local stack is ready: {info.web}")
    return info


def up(settings: Settings, say: Say = say_on_stderr, *, detach: bool = False) -> None:
    """What `citevault up` does: run the stack until a signal ends it, or start it in the background. Where one runs
    already, say so and be done. Raises RetryableError where a part does not come up."""
    from scheduler.stack.foreground import AlreadyRunning, serve

    found = state.running(settings.data_dir)
    try:
        if found is None and not detach:
            serve(settings, say, on_ready=lambda info: say(f"ready: {info.web} (data in {settings.data_dir})"))
            return
        info = found or up_detached(settings, say)
    except AlreadyRunning:
        info = _wait_for(settings.data_dir, START_SECONDS)
    already = "" if found is None else "already "
    say(f"the local stack is {already}running (process {info.pid}): {info.web}; end it with `citevault down`")


def up_detached(settings: Settings, say: Say = say_on_stderr, *, only: Collection[str] = ()) -> StackInfo:
    """Start a supervisor that outlives this command, and wait until all its parts answer (or `only` these).
    RetryableError with the reason where they do not."""
    paths = StackPaths(settings.data_dir)
    paths.make()
    if state.holder(paths.lock) is None and not _launch(settings, say, only) and state.holder(paths.lock) is None:
        raise RetryableError(
            "the local stack did not start",
            where=str(paths.supervisor_log),
            next_step="read the log, then `citevault doctor`",
        )
    return _wait_for(settings.data_dir, START_SECONDS)


def _launch(settings: Settings, say: Say, only: Collection[str]) -> bool:
    """Run the supervisor in a session of its own; pass on what it says until it is ready or has given up."""
    from scheduler.stack.programs import PACKAGES

    command = [sys.executable, "-m", "scheduler.stack", "--detach", "--only", ",".join(sorted(only))]
    env = {**process_environment(settings), "PYTHONPATH": str(PACKAGES)}
    with subprocess.Popen(  # noqa: S603 (our own module)
        command, env=env, cwd=settings.data_dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as launcher:
        if launcher.stdout is None:
            return False
        ready = False
        for line in launcher.stdout:
            ready = ready or line.strip() == READY
            if line.strip() != READY:
                say(line.rstrip("\n"))
    return ready


def _wait_for(data_dir: Path, seconds: float) -> StackInfo:
    """Somebody's supervisor holds the lock: wait until it says where its parts answer."""
    deadline = time.monotonic() + seconds
    paths = StackPaths(data_dir)
    while True:
        info = state.running(data_dir)
        if info is not None:
            return info
        if state.holder(paths.lock) is None:
            raise RetryableError("the local stack ended at its start", where=str(paths.supervisor_log))
        if time.monotonic() > deadline:
            raise RetryableError("the local stack has not started in time", where=str(paths.supervisor_log))
        time.sleep(0.1)


def down(data_dir: Path, say: Say = say_on_stderr) -> bool:
    """End the stack of this data directory: SIGTERM with a bound, then SIGKILL. False where none ran.

    Afterwards nothing of it is left, also where an earlier supervisor had been killed and its parts still lived.
    """
    paths = StackPaths(data_dir)
    pid = state.holder(paths.lock)
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        if not state.until_free(paths.lock, DOWN_SECONDS):
            say("the supervisor did not end in time and is killed; its parts end with it")
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            state.until_free(paths.lock, 5.0)
        _until_gone(pid, 5.0)
    for lock in sorted(paths.run.glob("*.lock")):
        leftover = state.holder(lock)
        if lock != paths.lock and leftover is not None and not state.until_free(lock, 5.0):
            say(f"{lock.stem} was left over and is killed")
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(leftover, signal.SIGKILL)
            state.until_free(lock, 5.0)
    paths.stack.unlink(missing_ok=True)
    return pid is not None


def _until_gone(pid: int, seconds: float) -> None:
    """The lock is free a moment before its process has ended."""
    deadline = time.monotonic() + seconds
    with suppress(ProcessLookupError, PermissionError):
        while time.monotonic() < deadline and pid != os.getpid():
            os.kill(pid, 0)
            time.sleep(0.02)
