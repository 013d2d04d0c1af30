"""What processes cost, as the kernel counts it: CPU seconds and peak memory of a process and all its descendants.

The same figures as `getrusage`, which answers only for oneself and for children that have ended; ours are still
running when a run is over.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PEAK_RESET = "5"
"""What `/proc/<pid>/clear_refs` takes to let VmHWM begin anew."""


def tree(pid: int) -> Iterator[int]:
    """A process and its descendants that are alive."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in task.read_text().split():
                yield from tree(int(child))


def cpu_seconds(pids: Iterable[int]) -> float:
    """User and system time of these and of all their descendants, ended ones included."""
    return sum(_ticks(each) for pid in pids for each in tree(pid)) / _TICKS


def peak_bytes(pid: int) -> int:
    """The most memory that a process had resident (VmHWM), since its start or the last `reset_peak`."""
    return _status(pid, "VmHWM")


def resident_bytes(pid: int) -> int:
    """What it has resident now (VmRSS)."""
    return _status(pid, "VmRSS")


def anonymous_bytes(pid: int) -> int:
    """What of its resident memory is no page of a file (RssAnon)."""
    return _status(pid, "RssAnon")


def reset_peak(pid: int) -> None:
    """Let the peak begin at what is resident now."""
    Path(f"/proc/{pid}/clear_refs").write_text(_PEAK_RESET)


def _ticks(pid: int) -> int:
    """utime, stime, cutime, cstime: fields 14 to 17 of `/proc/<pid>/stat` (proc(5)); 0 for one that just ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(int(field) for field in fields[11:15])


def _status(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        field, _, value = line.partition(":")
        if field == name:
            return int(value.split()[0]) * 1024
    raise ValueError(f"/proc/{pid}/status has no {name}")
