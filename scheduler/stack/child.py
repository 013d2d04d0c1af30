"""Starting and stopping one part's process. Call `start` from a thread that lives as long as the process should:
PR_SET_PDEATHSIG fires when the creating thread ends, so that is the main thread.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from scheduler.stack.part import Part

LEASH = Path(__file__).with_name("leash.py")
LOG_LIMIT_BYTES = 16 * 1024 * 1024


def start(part: Part) -> subprocess.Popen[bytes]:
    """Start the part's process on its leash, in a process group of its own, with its output in its log."""
    if part.before_start is not None:
        part.before_start()
    _roll_log(part.log)
    command = [
        *(sys.executable, "-I", "-S", str(LEASH), "--parent", str(os.getpid())),
        *("--death-signal", str(int(part.death_signal)), "--lock", str(part.lock), "--", *part.command),
    ]
    with part.log.open("ab") as log:
        return subprocess.Popen(  # noqa: S603 (the command is the stack's own table, no shell)
            command,
            env=dict(part.env),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            process_group=0,
        )


def stop(part: Part, process: subprocess.Popen[bytes], seconds: float | None = None) -> None:
    """SIGTERM, a bounded wait, then SIGKILL for the whole group. Returns when the process is reaped."""
    ask_to_stop(process)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(part.stop_seconds if seconds is None else seconds)
    finish(part, process)


def finish(part: Part, process: subprocess.Popen[bytes]) -> None:
    """SIGKILL for what is left of the group, reap the process, clean up after it."""
    kill_group(process)
    process.wait()
    if part.after_end is not None:
        part.after_end()


def ask_to_stop(process: subprocess.Popen[bytes]) -> None:
    """SIGTERM to the main process alone: Celery's own children end through it."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL to whatever is left of the group, also when its leader has ended."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def log_tail(log: Path, lines: int = 5) -> str:
    """The last lines of a log, for a message to a person."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - 4096))
            text = stream.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def wait_until_answering(part: Part, process: subprocess.Popen[bytes], seconds: float) -> str | None:
    """Probe until the part answers (None), ends, or the time is up (why, in words)."""
    deadline = time.monotonic() + seconds
    pause = 0.02
    while True:
        complaint = part.probe()
        if complaint is None:
            return None
        code = process.poll()
        if code is not None:
            return f"{part.name} ended with code {code} at its start"
        if time.monotonic() > deadline:
            return f"{part.name} did not answer within {seconds:.0f} s ({complaint})"
        time.sleep(pause)
        pause = min(0.5, pause * 1.5)


def _roll_log(log: Path) -> None:
    """Keep one older log, so that a part that is restarted for weeks does not fill the disk."""
    with contextlib.suppress(FileNotFoundError):
        if log.stat().st_size > LOG_LIMIT_BYTES:
            log.replace(log.with_suffix(".old.log"))
