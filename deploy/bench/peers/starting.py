"""How a peer's process is told to begin: it says that it is ready, waits for a line, works, and says what it took.

So interpreter start and imports are in nobody's time. Run as a script beside its siblings, in the peers' environment:
nothing of Citevault can be imported there.
"""

from __future__ import annotations

import resource
import sys


def cpu_seconds() -> float:
    """User and system time of this process and its threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def wait_for_start() -> float:
    """Returns the CPU time so far, once the other side says to begin."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    return cpu_seconds()


def tell_end(cpu_before: float) -> None:
    """Everything is written and closed."""
    sys.stdout.write(f"done {cpu_seconds() - cpu_before:.6f}\n")
    sys.stdout.flush()
