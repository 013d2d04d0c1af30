"""Ties one process to its parent, then becomes it: `python -I -S leash.py [options] -- command…`.

A part of the local stack must not outlive its supervisor, even when that is killed with SIGKILL and can run no
code of its own. On Linux the kernel does it (`prctl(PR_SET_PDEATHSIG)`, which survives `execve`); elsewhere this
script stays as a guard that polls `getppid()`. It is a script and not a `preexec_fn`, since Python code between
fork and exec may deadlock in a process that has threads.

It also holds the part's lock file, which the command inherits: a second copy of a part never starts on the same
data while any process of the first is alive. Standard library only, and nothing of ours: it runs before either.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import time
from types import FrameType

PR_SET_PDEATHSIG = 1
EXIT_ORPHANED = 74
EXIT_STILL_LOCKED = 75
POLL_SECONDS = 0.2


def bind_to_parent(death_signal: int) -> bool:
    """Ask the kernel to send us this signal when the parent's thread ends. False where it cannot (macOS)."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)) == 0


def take_lock(path: str, patience: float) -> bool:
    """Hold the part's lock and write our process id in it; a leftover of a dead supervisor gets SIGKILL at last."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + patience
    killed = False
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > deadline:
                if killed:
                    return False
                _kill_group(os.pread(descriptor, 32, 0))
                killed, deadline = True, time.monotonic() + 5
            time.sleep(0.05)
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
    os.set_inheritable(descriptor, True)
    return True


def _kill_group(recorded: bytes) -> None:
    """The lock is held, so a member of the recorded group lives, and its number cannot have been given away."""
    with contextlib.suppress(ValueError, ProcessLookupError, PermissionError):
        group = int(recorded)
        if group > 1:
            os.killpg(group, signal.SIGKILL)


def guard(command: list[str], parent: int, death_signal: int) -> int:
    """Run the command as our child, pass signals on, and end it when the parent is gone."""
    child = subprocess.Popen(command, close_fds=False)  # noqa: S603 (the stack's own table of commands)

    def forward(number: int, _frame: FrameType | None) -> None:
        with contextlib.suppress(ProcessLookupError):
            child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, forward)
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = child.wait(POLL_SECONDS)
            return code if code >= 0 else 128 - code
        if os.getppid() == parent:
            continue
        if death_signal == signal.SIGKILL:
            os.killpg(os.getpgrp(), signal.SIGKILL)
        child.send_signal(death_signal)
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(os.getpgrp(), signal.SIGKILL)
        return EXIT_ORPHANED


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="leash", description=__doc__)
    parser.add_argument("--parent", type=int, required=True, help="process id of the supervisor")
    parser.add_argument("--death-signal", type=int, default=int(signal.SIGTERM))
    parser.add_argument("--lock", default="", help="lock file that the command inherits")
    parser.add_argument("--patience", type=float, default=10.0, help="seconds to wait for the lock")
    parser.add_argument("--guard", action="store_true", help="stay and poll, also where the kernel could do it")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args(arguments)
    bound = not options.guard and bind_to_parent(options.death_signal)
    if os.getppid() != options.parent:
        return EXIT_ORPHANED
    if options.lock and not take_lock(options.lock, options.patience):
        sys.stderr.write(f"another process still holds {options.lock}; stop it, then try again\n")
        return EXIT_STILL_LOCKED
    if bound:
        os.execvp(options.command[0], options.command)  # noqa: S606 (no shell: becoming the command is the point)
    return guard(options.command, options.parent, options.death_signal)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
