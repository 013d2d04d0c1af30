"""Where a capture worker's time goes: samples of one process by py-spy while it works, told by function.

`by module` gives each sample to the innermost of our own modules on its stack, so that libraries count where we call
them; `own` is the time in a function itself (with what it calls in C), `with callees` also in what it calls. Threads
that wait are left out: py-spy knows most of them, and for the rest there is a list of the places where ours wait.
"""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.bench.capture.origin import MissingProgramError

RATE = 250
LINES = 45
WAITING = frozenset(
    {
        "_worker (concurrent/futures/thread.py)",
        "wait (threading.py)",
        "Condition.wait (threading.py)",
        "select (selectors.py)",
        "EpollSelector.select (selectors.py)",
        "Connection._recv (billiard/connection.py)",
        "poll_wait_for_socket.<locals>.do_poll (urllib3/util/wait.py)",
    }
)
"""Innermost frames of a thread that has nothing to do; on a busy machine it is often caught on its way to sleep."""


@contextmanager
def sampled(python: Path, pid: int, raw: Path) -> Iterator[None]:
    """Sample a process for the length of a block, into a file of collapsed stacks. `python`: of the environment that
    py-spy is installed in."""
    program = python.with_name("py-spy")
    if not program.exists():
        raise MissingProgramError("py-spy is missing: make bench-peers")
    command = [str(program), "record", "-p", str(pid), "-r", str(RATE), "-d", "3600", "-f", "raw", "-o", str(raw)]
    log = raw.with_suffix(".log")
    with log.open("wb") as said, subprocess.Popen(command, stdout=said, stderr=said) as process:  # noqa: S603
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)
    if not raw.exists():
        raise MissingProgramError(f"py-spy took no samples: {log.read_text(errors='replace')[-500:]}")


def story(raw: str, lines: int = LINES) -> str:
    """Three tables out of collapsed stacks (`frame;frame;frame count`)."""
    own: Counter[str] = Counter()
    within: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    total = waited = 0
    for line in raw.splitlines():
        stack, _, count = line.rpartition(" ")
        frames = [_function(frame) for frame in stack.split(";")]
        if frames[-1] in WAITING:
            waited += int(count)
            continue
        total += int(count)
        own[frames[-1]] += int(count)
        modules[next((_file(frame) for frame in reversed(frames) if _is_ours(frame)), "elsewhere")] += int(count)
        for frame in set(frames):
            within[frame] += int(count)
    out = [f"{total} samples of a thread at work, {waited} of one that waited; {RATE} moments a second"]
    for title, counted in (("by module", modules), ("own", own), ("with callees", within)):
        out.append(f"\n{title}")
        out += [f"{100 * count / max(total, 1):6.1f} %  {name}" for name, count in counted.most_common(lines)]
    return "\n".join(out) + "\n"


def _function(frame: str) -> str:
    """`name (path/file.py:line)` without the line, so that one function is one row."""
    return frame.rpartition(":")[0] + ")" if frame.endswith(")") and ":" in frame else frame


def _file(frame: str) -> str:
    return frame.partition(" (")[2].rstrip(")")


def _is_ours(frame: str) -> bool:
    return _file(frame).startswith(("workers/", "schemas/", "scheduler/"))
