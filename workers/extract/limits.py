"""What one page may cost in the sandbox, and how the kernel is told."""

from __future__ import annotations

import contextlib
import ctypes
import resource
import signal
import sys

from schemas.records.base import Count, Record

GIB = 1024 * 1024 * 1024
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


class SandboxLimits(Record):
    """Limits of one page. One of 130 kB takes some 15 ms. CPU time decides, so that a busy machine condemns nobody."""

    cpu_milliseconds: Count = 10_000
    wall_milliseconds: Count = 60_000
    memory_bytes: Count = GIB
    """Address space of the child, of which its code takes some 200 MiB."""
    start_milliseconds: Count = 60_000
    pages_per_child: Count = 2_000
    """After so many pages a fresh child takes over: parsers' caches and fragmented memory go with the old one."""


def die_with_parent() -> None:
    """Ask Linux to kill this process when the thread that started it ends. Elsewhere, end of input does it."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def confine(limits: SandboxLimits) -> None:
    """For the rest of its life this process writes no file, dumps no core, and stays within its memory."""
    for kind, bound in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_AS, limits.memory_bytes),
    ):
        with contextlib.suppress(ValueError, OSError):  # macOS refuses some; time still holds there
            resource.setrlimit(kind, (bound, bound))


def start_clock(limits: SandboxLimits) -> None:
    """From now on the process may spend this much CPU; SIGPROF, which nobody handles, ends it then, in C code too."""
    signal.setitimer(signal.ITIMER_PROF, limits.cpu_milliseconds / 1000)


def stop_clock() -> None:
    signal.setitimer(signal.ITIMER_PROF, 0)
